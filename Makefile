# SPDX-License-Identifier: GPL-2.0-only
#
# The front door. What is built where: the kernel modules by Kbuild, the tool by tools/pcsample, the
# emulated machine by emulation/build, each of them by itself too.

TOP := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
-include $(TOP)/config.mak

RELEASE := $(shell uname -r)
VERSION := $(shell sed -n 's/^\#define PCSAMPLE_VERSION "\(.*\)"/\1/p' \
	$(TOP)/tools/pcsample/commands/command.h)
PREFIX ?= /usr/local
export PREFIX

# The kernel to build modules for: on an Arm machine the running one, elsewhere the guest's.
ifeq ($(shell uname -m),aarch64)
KERNEL ?= /lib/modules/$(RELEASE)/build
else
KERNEL ?= 6.12
endif
MODULES := $(TOP)/build/modules/$(subst /,_,$(KERNEL))

help:
	@echo 'make demo          profile real programs in an emulated Arm machine'
	@echo 'make check         run all tests but the long ones'
	@echo 'make check-fast    run the tests that need no emulated machine'
	@echo 'make check-cpu     hold the emulated CPU against the manual, bare metal'
	@echo 'make check-model   the architecture as code: tables, rules, mutants'
	@echo 'make boards        the boards that have PC-sample blocks'
	@echo 'make check-blocks  every PC-sample block, fault and way to lose power; SETS=...'
	@echo 'make check-series  build the kernel series patch by patch and boot it; with'
	@echo '                   SECONDS=1800 its stress tests take their full length, with'
	@echo '                   SERIES=linux-6.12 it is the one for that kernel'
	@echo 'make mutants-series  break the kernel series line by line, and see a boot notice it'
	@echo 'make storm         all that can be done to the driver, at random and at once;'
	@echo '                   SECONDS=20 KERNEL=6.12 SEED=N'
	@echo 'make mutants-driver  break the driver line by line, and see a test notice it'
	@echo 'make check-fleet   profiles of 200 machines in ClickHouse, and what sends them there'
	@echo 'make check-posting  the driver as patches for Linux: made, checked, booted;'
	@echo '                   SECONDS=60 is how long each storm takes, BOOTS="el1 storm"'
	@echo 'make check-all     run all tests, which takes hours'
	@echo
	@echo 'make all           the kernel modules and the tool'
	@echo 'make modules       the modules; KERNEL=6.12, 6.1, newest, or a path of headers'
	@echo 'make tools         pcsample'
	@echo 'make bench         its speed beside perf; QUICK=1 takes under 3 minutes'
	@echo 'make install       the tool, and on an Arm machine the modules; with DESTDIR what a'
	@echo '                   package holds: the tool, and the modules for DKMS'
	@echo 'make dist          a release: all sources, libperf among them, in one file'
	@echo 'make deb           Debian packages of it, for 12 and 13, amd64 and arm64'
	@echo 'make check-deb     hold them against what packages must keep'
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
	$(TOP)/emulation/tests/reader-cost

# On this machine, or, with DESTDIR, the content of a package, which has no modules of whatever
# kernel happens to run where it is made: DKMS builds them where it is installed.
ifeq ($(DESTDIR)$(filter-out aarch64,$(shell uname -m)),)
install: install-tools install-modules
else
install: install-tools $(if $(DESTDIR),install-dkms)
endif

install-tools: tools
	$(MAKE) -C $(TOP)/tools/pcsample install

# Which driver is loaded for external debug blocks
INSTALL_RULE = install -D -m 644 $(TOP)/drivers/modprobe.conf \
	'$(DESTDIR)$(PREFIX)/lib/modprobe.d/arm_pcsample.conf'

install-modules: modules
	install -D -m 644 -t "$(DESTDIR)/lib/modules/$$(cat '$(MODULES)/release')/updates" \
		'$(MODULES)/arm_pcsample.ko' '$(MODULES)/arm_profexc.ko'
	depmod $(if $(DESTDIR),-b '$(DESTDIR)') "$$(cat '$(MODULES)/release')"
	$(INSTALL_RULE)

DKMS := $(DESTDIR)$(PREFIX)/src/pcsample-$(VERSION)

install-dkms:
	cd $(TOP) && find Kbuild drivers include $(addprefix arch-model/,include src) \
		-name tests -prune -o -type f \( -name '*.[chS]' -o -name Kbuild \
		-o -name '*.sh' \) ! -name '*.mod.c' ! -name kernel-probes.h \
		-print | while read -r file; do \
			install -D -m "$$([ -x "$$file" ] && echo 755 || echo 644)" "$$file" \
				'$(DKMS)'/"$$file" || exit; \
		done
	sed 's/@VERSION@/$(VERSION)/' $(TOP)/drivers/dkms.conf.in >'$(DKMS)/dkms.conf'
	$(INSTALL_RULE)

dist:
	@$(TOP)/scripts/packages/dist

deb:
	@$(TOP)/scripts/packages/build

check-deb:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/packages/check

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

boards:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/boards

check-blocks:
	@$(TOP)/scripts/host-packages
	@$(TOP)/selftests/arm_pcsample/check-blocks $(SETS)

check-series:
	@$(TOP)/scripts/host-packages --series
	@$(TOP)/patches/check-series $(if $(SERIES),--series $(SERIES)) \
		$(if $(SECONDS),--seconds $(SECONDS)) $(BOOTS)

mutants-series:
	@$(TOP)/scripts/host-packages --series
	@$(TOP)/patches/mutants

storm:
	@$(TOP)/scripts/host-packages
	@$(TOP)/selftests/storm $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		--kernel $(if $(filter command line environment,$(origin KERNEL)),$(KERNEL),6.12)

mutants-driver:
	@$(TOP)/scripts/host-packages
	@$(TOP)/drivers/perf/arm_pcsample/tests/mutants

check-fleet:
	@$(TOP)/scripts/host-packages
	@$(TOP)/tools/pcsample/tests/fleet/run

check-posting:
	@$(TOP)/scripts/host-packages --posting
	@$(TOP)/patches/check-posting $(if $(SECONDS),--seconds $(SECONDS)) $(BOOTS)

check-all:
	@$(TOP)/scripts/host-packages
	@$(TOP)/scripts/check-all

clean:
	rm -rf $(TOP)/build

distclean: clean
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/pcsample"

.PHONY: help all modules tools bench boards install install-tools install-modules install-dkms \
	dist deb check-deb demo check check-fast check-cpu check-model \
	check-blocks check-series check-posting storm mutants-driver mutants-series check-fleet \
	check-all clean distclean
