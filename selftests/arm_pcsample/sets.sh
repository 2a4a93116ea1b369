# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The register sets of the emulated machine.

# Sets with 64-bit registers or with FEAT_PMUv3_SS have no Software lock. The samples of sets called
# snapshot are PMU snapshots; impdef is a kind of them.
# shellcheck disable=SC2034 # for who sources this
readonly set_names=(pmu32 pmu32-words pmu64 pmu32-v8p9 pmu64-v8p9 frame32 frame64 debug debug-sc2
	debug-vhe snapshot32 snapshot64 snapshot-impdef)

# set_options NAME: prints the options of scripts/vm for such a machine; fails if there is no set of
# that name.
set_options()
{
	case $1 in
	pmu32) echo --device-arg wide-read=low-first ;;
	pmu32-words) echo --device-arg wide-read=error ;;
	pmu64) echo --device-arg ext64=on ;;
	pmu32-v8p9) echo --device-arg v8p9=on ;;
	pmu64-v8p9) echo --device-arg v8p9=on,ext64=on ;;
	frame32) echo --device-arg pmu=off,suspended-at-reset=on,first-read-none=off ;;
	frame64) echo --device-arg pmu=off,ext64=on,v8p9=on,imp=off ;;
	debug) echo --cpu cortex-a57 --device-arg block=debug,repeat-unknown=on ;;
	# EDSCR.SC2 is there only with EL2. A kernel at EL1 wants it 0, one at EL2 wants it 1.
	debug-sc2)
		echo --machine-arg virtualization=on --append kvm-arm.mode=nvhe \
			--device-arg block=debug
		;;
	debug-vhe) echo --machine-arg virtualization=on --device-arg block=debug ;;
	snapshot32) echo --cpu max,pmu-ss=on --device-arg v8p9=on ;;
	snapshot64) echo --cpu max,pmu-ss=on --device-arg v8p9=on,ext64=on ;;
	# A Neoverse N1 by its ID, with counters that count each retired instruction
	snapshot-impdef)
		echo --cpu max,ebep=on,sebep=on,midr=0x410fd0c0 \
			--device-arg impdef-snapshots=on,late-capture=3
		;;
	*) return 1 ;;
	esac
}
