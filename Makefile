# SPDX-License-Identifier: GPL-2.0-only
#
# The front door. What is built where: the kernel modules by Kbuild, the tool by tools/pcsample, the
# emulated machine by emulation/build, each of them by itself too.

TOP := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
-include $(TOP)/config.mak

RELEASE := $(shell uname -r)

# The kernel to build modules for: on an Arm machine the running one, elsewhere the guest's.
ifeq ($(shell uname -m),aarch64)
KERNEL ?= /lib/modules/$(RELEASE)/build
else
KERNEL ?= 6.12
endif
MODULES := $(TOP)/build/modules/$(subst /,_,$(KERNEL))

help:
	@echo 'make demo          profile real programs in an emulated Arm machine'
	@echo 'make check         run all tests'
	@echo 'make check-fast    run the tests that need no emulated machine'
	@echo 'make check-cpu     hold the emulated CPU against the manual, bare metal'
	@echo 'make check-model   the architecture as code: tables, rules, mutants'
	@echo 'make check-series  build the kernel series patch by patch and boot it; with'
	@echo '                   SECONDS=1800 its stress tests take their full length'
	@echo 'make check-all     all of these, which takes hours at first'
	@echo
	@echo 'make all           the kernel modules and the tool'
	@echo 'make modules       the modules; KERNEL=6.12, 6.1, or a path of headers'
	@echo 'make tools         pcsample'
	@echo 'make bench         its speed beside perf; QUICK=1 takes under 3 minutes'
	@echo 'make install       both, on an Arm machine; DESTDIR and PREFIX are honoured'
	@echo 'make clean         remove what was built here'
	@echo 'make distclean     and what is cached for the emulated machine'

all: modules tools

modules:
	@$(TOP)/scripts/modules '$(KERNEL)' '$(MODULES)'
	@ls '$(MODULES)'/*.ko

# Elsewhere than on Debian the build itself says what it misses
tools:
	@! command -v dpkg-query >/dev/null || $(TOP)/scripts/host-packages --tools || :
	$(MAKE) -C $(TOP)/tools/pcsample

bench:
	$(MAKE) -C $(TOP)/tools/pcsample bench

install: all
	$(MAKE) -C $(TOP)/tools/pcsample install
	install -D -m 644 -t '$(DESTDIR)/lib/modules/$(RELEASE)/updates' \
		'$(MODULES)/arm_pcsample.ko' '$(MODULES)/arm_profexc.ko'
	depmod $(if $(DESTDIR),-b '$(DESTDIR)') '$(RELEASE)'

demo:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/demo/run

check check-fast:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/check $(if $(filter check-fast,$@),--fast)

check-cpu:
	@$(TOP)/scripts/host-packages
	@$(TOP)/emulation/tests/cpu

check-model:
	@$(TOP)/scripts/host-packages
	@$(MAKE) -s --no-print-directory -C $(TOP)/arch-model check

check-series:
	@$(TOP)/scripts/host-packages --series
	@$(TOP)/patches/check-series $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(BOOTS)

check-all:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/check-all

clean:
	rm -rf $(TOP)/build

distclean: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/pcsample"

.PHONY: help all modules tools bench install demo check check-fast check-cpu check-model \
	check-series check-all clean distclean
