# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by the Makefiles here. A folder of tests sets the variables of kselftest's lib.mk, and
# includes this file and then $(LIB_MK).
#
# KSFT is tools/testing/selftests of a kernel source.

selftests := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))

# make -n reads these files without running anything: do not fetch a source for that. Without one
# there is nothing to print.
DRY := $(findstring n,$(firstword -$(MAKEFLAGS)))
ifeq ($(KSFT)$(DRY),)
KSFT := $(shell $(selftests)/../scripts/get linux-source-6.12)/tools/testing/selftests
endif
export KSFT
LIB_MK := $(if $(KSFT),$(KSFT)/lib.mk)
ifeq ($(LIB_MK),)
all run_tests clean install:
endif

CFLAGS += -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-clobbered \
	  -Wno-missing-field-initializers \
	  -I$(CURDIR) -I$(selftests)/../include/uapi -I$(KSFT)
LDFLAGS += -static

# Seconds that kselftest's runner gives a test: 45 are not enough for perf_tool.sh. The runner finds
# a file "settings" only below KSFT.
export kselftest_override_timeout ?= 300
