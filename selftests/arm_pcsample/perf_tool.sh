#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The distribution's perf with this PMU: what works, and the messages for what is refused.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh

pmu=/sys/bus/event_source/devices/arm_pcsample
[ -d "$pmu" ] || skip_all "no PMU arm_pcsample here"
command -v perf >/dev/null || skip_all "no perf here"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

case $(uname -r) in
6.1.*) old_kernel=yes ;;
*) old_kernel= ;;
esac

event=arm_pcsample//

# The CPUs that are read: those online, but no CPU reads itself, and where others are isolated one
# reads all.
targets()
{
	only=$(grep -x '[0-9]*' "$pmu/cpumask")
	for cpu in $(find "$pmu/ledger/" -name 'cpu*' | sed 's/.*cpu//'); do
		! grep -q 0 "/sys/devices/system/cpu/cpu$cpu/online" || continue
		[ "$cpu" = "$only" ] || echo "$cpu"
	done
}

busy=$(targets | sort -n | tail -n 1)

# record_work OPTION...: perf record of a shell that counts and opens a file, on that CPU
record_work()
{
	# shellcheck disable=SC2016 # for the shell below
	perf record -o perf.data "$@" -- taskset "$(printf %x $((1 << busy)))" sh -c \
		'i=0; while [ $i -lt 6000 ]; do i=$((i + 1)); : </dev/null; done' 2>record.log || {
		cat record.log
		return 1
	}
}

# Number of samples that perf recorded last
samples()
{
	sed -n 's/.* (~*\([0-9]*\) samples.*/\1/p' record.log
}

has_samples()
{
	n=$(samples)
	echo "$n samples"
	[ "$n" -gt 100 ]
}

# refused WORDS COMMAND...: the command fails, with these words
refused()
{
	words=$1
	shift
	if "$@" >out 2>&1; then
		echo "not refused: $*"
		return 1
	fi
	cat out
	grep -qE "$words" out
}

list()
{
	perf list pmu 2>&1 | grep -F arm_pcsample/pc/
}

readers()
{
	tr ',-' ' ' <"$pmu/cpumask" | wc -w
}

# The unit is ns of target time. perf sums up for how long the events ran beside what they count, so
# that the quotient is the number of a reader's targets, however long that was.
stat_counts()
{
	perf stat -x, -e arm_pcsample/pc/ -a -- sleep 1 2>out || return 1
	cat out
	awk -F, -v targets="$(targets | wc -l)" -v readers="$(readers)" '
		/arm_pcsample/ { ns = $1; n = ns / $4 * readers; unit = $2 }
		END {
			exit !(n > targets - 0.5 && n < targets + 0.5 && unit == "ns" &&
			       ns > 0.9e9 * targets)
		}' out
}

stat_per_cpu()
{
	perf stat -A -x, -e "$event" -a -- sleep 0.2 2>out || return 1
	cat out
	awk -F, -v targets="$(targets | wc -l)" -v readers="$(readers)" '
		/arm_pcsample/ { lines++; sum += int($2 / $5 + 0.5) }
		END { exit lines != readers || sum != targets }' out
}

record()
{
	record_work -e "$event" -a "$@" && has_samples
}

# The recording for tests that only read one
record_to_read()
{
	record && mv perf.data read.data
}

report_finds_the_program()
{
	perf report -i read.data --stdio --sort comm,dso,sym 2>/dev/null >out
	grep -vE '^#|^$' out | head -n 5
	grep -qE '^ +[0-9.]+% +sh ' out && grep -qF '[kernel.kallsyms]' out
}

script_has_the_sampled_cpus()
{
	perf script -i read.data -F comm,pid,tid,cpu,time,event,ip,sym >out || return 1
	head -n 3 out
	for cpu in $(targets); do
		grep -q "\[0*$cpu\]" out || echo "no samples of CPU$cpu"
	done | { ! grep . ; } && ! grep -v arm_pcsample out
}

# Several events in one recording: in an emulated machine each start of perf takes seconds
record_events()
{
	record -F 1000 -R -e arm_pcsample//u -e arm_pcsample//k -e cpu-clock \
		-e arm_pcsample/targets=$((1 << busy)),name=mask/ \
		-e arm_pcsample/period=500000,name=slow/ \
		-e "{arm_pcsample/name=leader/,arm_pcsample/seed=1,name=member/}:S" || return 1
	perf script -i perf.data -F event,cpu,ip 2>/dev/null >events
	head -n 3 events
	grep -q 'cpu-clock' events
}

# only_mode u|k: all addresses of that event are in user space or in the kernel
only_mode()
{
	grep "//$1:" events | awk -v want="$1" '
		{ high = length($NF) == 16 && $NF ~ /^f/ }
		(want == "k") != high { wrong++; print }
		END { print NR " samples"; exit wrong > 0 || NR < 20 }'
}

# enough EVENT...: each of these has samples
enough()
{
	for name; do
		n=$(grep -c " $name:" events)
		echo "$name: $n samples"
		[ "$n" -gt 20 ] || return 1
	done
}

# Only targets in the mask are read.
mask()
{
	enough mask && ! grep ' mask:' events | grep -v "\[0*$busy\]"
}

call_graph()
{
	record -g || return 1
	# The chain of each symbol of the kernel is that symbol alone.
	perf report -i perf.data --stdio 2>/dev/null | awk '
		/%.* \[[k.]\] / { symbol = $(NF - 1) == "[k]" ? $NF : "" }
		symbol && sub(/.*---/, "") {
			chains++
			wrong += $0 != symbol
		}
		END { print chains + 0 " chains"; exit wrong || !chains }'
}

frequency_is_clamped()
{
	limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
	perf record -q -o perf.data -F 1000000 -e "$event" -a -- sleep 0.2
	status=$?
	echo "$limit" >/proc/sys/kernel/perf_event_max_sample_rate
	[ "$status" = 0 ] && perf script -i perf.data -F period 2>/dev/null | sort -u |
		grep -qxE ' *10000 *'
}

ledger_balances()
{
	awk '$1 == "planned" { gap = $2; next } { gap -= $2 } END { print gap; exit gap != 0 }' \
		"$pmu/ledger/total"
}

check "perf list shows the event" list
check "perf stat -a counts target time" stat_counts
check "perf stat -A has a line a reader" stat_per_cpu
check "perf record -a" record_to_read
check "perf report finds the program and the kernel" report_finds_the_program
check "perf script shows the sampled CPUs" script_has_the_sampled_cpus
check "perf record -a -F 1000, raw records, several events, cpu-clock beside them" record_events
check ":u is user space alone" only_mode u
check ":k is the kernel alone" only_mode k
check "an event with a period" enough slow
check "a group with :S" enough leader
check "a mask of targets" mask
check "a frequency is clamped to min_period" frequency_is_clamped
if [ "$old_kernel" ]; then
	check "-d, -W and page sizes" record -d -W --data-page-size --phys-data
	check "-g is refused: this kernel cannot" refused "doesn't support|not supported" \
		perf record -o perf.data -g -e "$event" -a -- true
else
	check "-g" call_graph
	check "--call-graph dwarf, -d, -W, page sizes, registers, cgroups" record \
		--call-graph dwarf -d -W --data-page-size --phys-data --user-regs=x0 \
		--intr-regs=x0 --code-page-size --all-cgroups
fi
check "a period under min_period is refused" refused "Invalid argument" \
	perf record -o perf.data -c 1000 -e "$event" -a -- true
check "a task is refused" refused "per-thread mode, enable system wide" \
	perf record -o perf.data --per-thread -e "$event" -- true
check "precise samples are refused" refused "doesn't support|not supported" \
	perf record -o perf.data -e arm_pcsample//p -a -- true
check "branch stacks are refused" refused "doesn't support|not supported" \
	perf record -o perf.data -b -e "$event" -a -- true
check "an unknown event is refused" refused "Invalid argument" \
	perf record -o perf.data -e arm_pcsample/event=1/ -a -- true
check "the ledger balances" ledger_balances
finish
