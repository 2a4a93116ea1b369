# SPDX-License-Identifier: GPL-2.0-only
#
# What the Makefiles here have in common. A folder of tests sets the variables of kselftest's lib.mk
# and includes this, then $(LIB_MK).
#
# KSFT is tools/testing/selftests of a kernel source.

selftests := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))

# make -n reads these files and does nothing: no source is fetched for it, and without one there is
# nothing to show.
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

# Of kselftest's runner: seconds a test may take, where 45 is not enough for perf_tool.sh. A file
# "settings" is only found below KSFT.
export kselftest_override_timeout ?= 300
