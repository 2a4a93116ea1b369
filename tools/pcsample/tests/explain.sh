#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample explain prints the answers in golden/, on any machine. UPDATE=1 rewrites golden/.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# golden NAME TOPIC WORD...: explain TOPIC WORD... prints golden/explain-NAME.txt
golden() {
	local file=$here/golden/explain-$1.txt

	shift
	"$PCSAMPLE" explain "$@" > out
	[[ ! ${UPDATE:-} ]] || cp out "$file"
	diff "$file" out
}

# matches FILE EXPRESSION: a line of FILE matches
matches() {
	grep -q -e "$2" "$1" || {
		cat "$1"
		die "$1 does not match '$2'"
	}
}

# EL2 takes stage 2 faults alone, EL1 owns the buffer and takes the rest as an exception
trbe_delegated() {
	golden trbe trbe MDCR_EL3.NSTB=3 MDCR_EL3.TRBEE=1 MDCR_EL2.E2TB=0b11 TRFCR_EL2.EE=2 \
		TRFCR_EL1.EE=3 TRFCR_EL1.KE=1 TRBSR_EL1.IRQ=1 TRBLIMITR_EL1=0xffff800010002003 \
		TRBBASER_EL1=0xffff800010000000 TRBPTR_EL1=0xffff800010000040 TRBIDR_EL1.Align=6
}

# Table D6-5, last row: EL3 takes all events, and lower levels mask nothing
trbe_all_to_el3() {
	golden trbe-el3 trbe MDCR_EL3.TRBEE=3 TRBSR_EL3.IRQ=1 PSTATE.EL=2
}

trbe_reserved() {
	golden trbe-reserved trbe HCR_EL2.TGE=1 MDCR_EL2.E2TB=1 TRBLIMITR_EL1.FM=2 \
		TRBLIMITR_EL1.TM=2
}

sampling() {
	golden sampling sampling PMPCSCTL=0x13 FEAT_PCSRv8=1
	golden sampling-secure sampling SCR_EL3=0 \
		ExternalSecureNoninvasiveDebugEnabled=0 EDPRSR.PU=0 \
		PMPCSCTL.IMP=1 PMPCSCTL.EN=1 MDCR_EL3.PMSSE=1 MDCR_EL2.PMSSE=3
}

samples() {
	golden sample-vhe sample PMPCSR=0xC080FFFF12345678 PMCID1SR=1 PMCID2SR=0x4d2
	golden sample-guest sample PMPCSR=0xA080FFFF12345678 PMCID1SR=1 PMCID2SR=2 PMVIDSR=3 \
		kernel=nvhe
	golden sample-none sample PMPCSR=0xFFFFFFFF
	golden ed-sample ed-sample EDPCSRlo=0x12345678 EDPCSRhi=0xc080ffff EDSCR.SC2=1
	golden ed-sample-armv7 ed-sample EDPCSRlo=0x8001 EDVIDSR=0x80000000 EDDEVID=3
}

blocks() {
	golden frame frame PMDEVARCH=0x47702A16 PMDEVTYPE=0x16 PMDEVID=1 EDDEVID=3 EDDEVID1=2
}

# The overflow of a counter freezes the first range; the second range continues
pmu_frozen() {
	golden pmu-frozen pmu PMCR_EL0.E=1 PMCR_EL0.FZO=1 PMOVSSET_EL0=8 PMCNTENSET_EL0=0x80000021 \
		MDCR_EL2.HPMN=4 MDCR_EL2.HPME=1 PMCR_EL0.N=6
}

# At the target level, PM masks the exception of an overflow, and a pending one is not lost
pmu_exception() {
	golden pmu-exception pmu MDCR_EL3.PMEE=1 MDCR_EL2.PMEE=1 PMECR_EL1.PMEE=3 \
		PMECR_EL1.KPME=1 PMINTENSET_EL1=1 PMOVSSET_EL0=1 PMCR_EL0.E=1 PMCNTENSET_EL0=1 \
		PMCR_EL0.N=2 MDCR_EL2.HPMN=2
	golden pmu-masked pmu MDCR_EL3.PMEE=1 MDCR_EL2.PMEE=1 PMECR_EL1.PMEE=3 PSTATE.PM=1 \
		PMECR_EL1.KPME=1 PMINTENSET_EL1=1 PMOVSSET_EL0=1 PMCR_EL0.N=1 MDCR_EL2.HPMN=1
}

syndrome() {
	golden syndrome syndrome ESR_ELx=0xF4000001
	golden syndrome-other syndrome ESR_ELx=0x56000000
}

# Some events are known to support synchronous mode; for the others no register says so
pmu_synchronous() {
	"$PCSAMPLE" explain pmu PMCR_EL0.E=1 PMCR_EL0.N=3 PMCNTENSET_EL0=7 \
		PMEVTYPER0_EL0=0x0400000000000008 PMEVTYPER1_EL0=0x0400000000000011 \
		PMEVTYPER2_EL0=0x0400000000004000 > out
	matches out '^does counter 0, of the first range, count? *yes'
	matches out '^does counter 1, of the first range, count? *no'
	matches out '^does counter 2.* not if its event 0x4000 has no synchronous mode'
}

# PMCR_EL0 tells the number of counters, and HPMN follows it
pmu_number_of_counters() {
	"$PCSAMPLE" explain pmu PMCR_EL0=0x2001 PMCNTENSET_EL0=0xff > out
	matches out '^does counter 3, of the first range, count? *yes'
	[[ $(grep -c '^does counter' out) -eq 4 ]] || die 'not four counters'
	"$PCSAMPLE" explain pmu PMCR_EL0.E=1 PMCNTENSET_EL0=0xff PMCR_EL0.N=4 > out
	matches out '^does counter 3, of the first range, count? *yes'
	"$PCSAMPLE" explain pmu PMCR_EL0=0x2001 PMCNTENSET_EL0=0xff MDCR_EL2=0x82 > out
	matches out '^does counter 3, of the second range, count? *yes'
}

# A reserved HPMN: there is an answer if all permitted values give the same, and no number
pmu_reserved() {
	golden pmu-reserved pmu PMCR_EL0=0x1001 PMCNTENSET_EL0=1 PMOVSSET_EL0=1 PMINTENSET_EL1=1 \
		MDCR_EL2.HPMN=9 MDCR_EL2.HLP=1
	! grep -e '-1' out
}

# Before FEAT_Debugv8p2 the authentication interface overrides prohibition
pmu_authentication() {
	local words=(PMCR_EL0.E=1 PMCNTENSET_EL0=1 SCR_EL3=0 FEAT_Debugv8p2=0 PMCR_EL0.N=1)

	"$PCSAMPLE" explain counting "${words[@]}" > out
	says out 'Counter 0 counts'
	"$PCSAMPLE" explain counting "${words[@]}" ExternalSecureNoninvasiveDebugEnabled=0 > out
	says out 'Counter 0 does not count'
	says out 'Let firmware set MDCR_EL3.SPME'
}

cycle_counter_needs_dp() {
	local words=(PMCR_EL0.E=1 PMCNTENSET_EL0=0x80000000 SCR_EL3=0)

	"$PCSAMPLE" explain pmu "${words[@]}" PMCR_EL0.DP=1 > out
	matches out '^does the cycle counter count? *no, since PMCR_EL0.DP is 1'
	"$PCSAMPLE" explain pmu "${words[@]}" > out
	matches out '^does the cycle counter count? *yes'
}

what_a_read_returns() {
	"$PCSAMPLE" explain sampling PMPCSCTL=3 > out
	matches out '^what does a read of PMPCSR return? *a sample'
	"$PCSAMPLE" explain sampling PMPCSCTL=3 EDPRSR.HALTED=1 > out
	matches out '^what does a read of PMPCSR return? *0xFFFFFFFF: no sample'
	"$PCSAMPLE" explain sampling EDPRSR=0x11 > out
	matches out '^what does a read of PMPCSR return? *0xFFFFFFFF: no sample'
	"$PCSAMPLE" explain sampling OSLSR_EL1=0xA > out
	matches out '^what does a read of PMPCSR return? *an error response'
}

# The three questions of users: an answer, the reason, and what to do
questions() {
	golden counting counting PMCR_EL0=0x41023001 PMCNTENSET_EL0=0xA PMEVTYPER3_EL0=0x80000008 \
		PMEVTYPER4_EL0=0x11
	golden counting-frozen counting PMCR_EL0=0x201 PMCNTENSET_EL0=1 PMOVSSET_EL0=2
	golden interrupt interrupt PMCR_EL0.E=1 PMOVSSET_EL0=2
	golden interrupt-masked interrupt PMCR_EL0.E=1 PMOVSSET_EL0=2 PMINTENSET_EL1=2 \
		MDCR_EL3.PMEE=1 MDCR_EL2.PMEE=1 PMECR_EL1=3 TRBSR_EL1.IRQ=1 MDCR_EL3.TRBEE=1 \
		MDCR_EL3.NSTB=3 MDCR_EL2.E2TB=3 TRFCR_EL2.EE=1 TRFCR_EL1.EE=3
	golden interrupt-el3 interrupt TRBSR_EL2.IRQ=1 TRBSR_EL3.IRQ=1 MDCR_EL3.TRBEE=3
	golden all-ones all-ones DBGAUTHSTATUS_EL1=0xAA
	golden all-ones-suspended all-ones PMPCSCTL=2
	golden all-ones-allowed all-ones PMPCSCTL=3
}

# In the three topics, each answer that says that something is wrong also says what to do
answers_have_remedies() {
	local topic word n=0

	for topic in counting interrupt all-ones; do
		for word in EL3.nRW=1 SCR_EL3=0 PSTATE.EL={0,1,2,3} EDPRSR={0,0x11,0x21,0x41} \
				PMCR_EL0.E=1 PMPCSCTL={0,2,3,0x10} PMCNTENSET_EL0=0x180000001 \
				MDCR_EL2.HPMN=31 MDCR_EL{2,3}.PMEE={1,2,3} TRBSR_EL{1,2,3}.IRQ=1 \
				PMECR_EL1.PMEE={1,2,3} HCR_EL2.TGE=1 PMOVSSET_EL0=1; do
			"$PCSAMPLE" explain $topic --json "$word" > out.json 2> err || {
				says err 'does not matter'
				continue
			}
			python3 "$here/remedies.py" out.json || die "$topic $word"
			n=$((n + 1))
		done
	done
	[[ $n -gt 40 ]] || die "$n cases"
}

# Text as debuggers, debugfs and logs print it: any separator, any case, other text around it
pasted() {
	cat > text <<-'END'
		cpu 3 regs: pmcr_el0: 0x41023001, x0 = 7
		MDCR_EL2 0xe4
		  "PMCNTENSET_EL0": "0x4"  PMEVTYPER2_EL0=0x08 TRBSR_EL9=1 PMCCR
	END
	"$PCSAMPLE" explain --paste=text counting > out
	"$PCSAMPLE" explain counting PMCR_EL0=0x41023001 MDCR_EL2=0xe4 PMCNTENSET_EL0=4 \
		PMEVTYPER2_EL0=8 > words
	diff words out
	"$PCSAMPLE" explain -p - counting < text > out
	diff words out
	# Words override the text, before and after it
	"$PCSAMPLE" explain counting PMCNTENSET_EL0=0 -p text > out
	says out 'PMCNTENSET_EL0[2] is 0'
	status 129 "$PCSAMPLE" explain counting -p /dev/null 2> err
	says err '/dev/null names no register that matters'
	status 129 "$PCSAMPLE" explain counting -p missing 2> err
	says err 'cannot read missing: No such file'
}

json_is_the_same() {
	"$PCSAMPLE" explain trbe MDCR_EL3.TRBEE=3 > text
	"$PCSAMPLE" explain trbe MDCR_EL3.TRBEE=3 --json > out.json
	python3 - <<-'END'
		import json
		d = json.load(open("out.json"))
		assert d["schema"] == "pcsample-explain" and d["topic"] == "trbe"
		text = "".join(f"{a['question']:48}{a['answer']}\n" +
			       (f"    {a['because']} ({a['rule']})\n" if "because" in a else "")
			       for a in d["answers"])
		assert text == open("text").read()
	END
}

# Each name that --list prints accepts the value that it prints, and all ones
names_are_taken() {
	local topic name bits value n=0 ones

	printf -v ones '1%.0s' {1..64}

	for topic in sampling sample ed-sample frame trbe pmu syndrome counting interrupt \
			all-ones; do
		"$PCSAMPLE" explain $topic --list > names
		as_listed=() all_ones=()
		while read -r name bits _ value; do
			[[ $name != kernel ]] || continue
			as_listed+=("${name/<n>/2}=$value")
			all_ones+=("${name/<n>/2}=0b${ones:0:bits}")
			n=$((n + 1))
		done < names
		"$PCSAMPLE" explain $topic "${as_listed[@]}" > as_listed
		"$PCSAMPLE" explain $topic > unchanged
		diff unchanged as_listed
		"$PCSAMPLE" explain $topic "${all_ones[@]}"
		status 129 "$PCSAMPLE" explain $topic "${all_ones[-1]}0"
	done
	[[ $n -gt 200 ]] || die "$n names"
}

errors_say_what() {
	status 129 "$PCSAMPLE" explain 2> err
	says err 'expected a topic'
	status 129 "$PCSAMPLE" explain nothing 2> err
	says err "'nothing' is not a topic"
	status 129 "$PCSAMPLE" explain trbe TRBSR_EL4=1 2> err
	says err "no register, field or feature is called 'TRBSR_EL4'"
	status 129 "$PCSAMPLE" explain trbe TRBSR_EL01=1
	status 129 "$PCSAMPLE" explain trbe TRBSR_EL=1
	status 129 "$PCSAMPLE" explain trbe PMPCSCTL=1 2> err
	says err 'PMPCSCTL does not matter for that question'
	status 129 "$PCSAMPLE" explain trbe PSTATE.EL 2> err
	says err "'PSTATE.EL' is not NAME=VALUE"
	status 129 "$PCSAMPLE" explain trbe PSTATE.EL=4 2> err
	says err 'PSTATE.EL has 2 bits, too few for 4'
	for value in '' x -1 1x 0b 0b2 0x 99999999999999999999; do
		status 129 "$PCSAMPLE" explain trbe "TRBPTR_EL1=$value" 2> err
		says err "'$value' is not a number"
	done
	status 129 "$PCSAMPLE" explain sample kernel=none 2> err
	says err 'kernel is one of: nvhe vhe arm'
}

tap trbe_delegated trbe_all_to_el3 trbe_reserved sampling samples blocks pmu_frozen \
	pmu_exception pmu_synchronous pmu_number_of_counters pmu_reserved pmu_authentication \
	cycle_counter_needs_dp what_a_read_returns questions answers_have_remedies pasted \
	syndrome json_is_the_same names_are_taken errors_say_what
