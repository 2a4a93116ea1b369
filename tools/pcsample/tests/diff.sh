#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample diff of recordings that are made here, so that it is known what changed.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# recording FILE SEED SHARE SAMPLES GAP_NS: process "a" has SHARE of the samples, nine others have
# the rest. The process that runs continues with probability 0.8. A sample stands for GAP_NS.
recording() {
	awk -v seed="$2" -v share="$3" -v n="$4" -v gap="$5" '
		function draw() { return rand() < share ? 0 : 1 + int(rand() * 9) }
		BEGIN {
			srand(seed)
			for (k = 0; k < 10; k++) {
				print "comm", 100 + k, 100 + k, substr("abcdefghij", k + 1, 1), 1
				print "mmap", 100 + k, "0x400000 0x100000 0 /nowhere/" k, 1
			}
			k = draw()
			for (i = 0; i < n; i++) {
				if (rand() >= 0.8)
					k = draw()
				printf "sample user 0x401000 %d %d %.0f 0 %d\n", 100 + k, 100 + k,
					1000000000 + i * gap, gap
			}
		}' | "$MKREC" "$1"
}

# 80 comparisons of two halves of a recording, at most 5 % of which may find a change. Because of
# Holm's method and whole numbers of samples it is less than that. If it were 5 %, 14 or more would
# be found in one of 25,000 runs. The seeds are fixed. tests/test-change.c makes thousands of
# comparisons without files. With sanitizers, which look for other errors, there are 10 comparisons:
# 5 or more would be found in one of 15,000 runs.
halves_are_the_same() {
	local runs=80 most=13 seed changed=0

	! grep -q fsanitize "$O/flags" || runs=10 most=4
	for ((seed = 1; seed <= runs; seed++)); do
		recording r.data "$seed" 0.3 4000 1000000
		"$PCSAMPLE" diff --exit-code --sort comm --time 0%-50%:50%-100% \
			r.data r.data > out ||
			changed=$((changed + 1))
	done
	echo "$changed of $runs"
	between 0 $changed "$most"
}

changes_are_found() {
	recording old.data 3 0.3 20000 1000000
	recording new.data 4 0.4 20000 1000000
	status 2 "$PCSAMPLE" diff --exit-code --sort comm old.data new.data > out
	awk '$NF == "a" && / yes / { found = 1 } END { exit !found }' out || die "$(cat out)"
	"$PCSAMPLE" diff --sort comm --json old.data new.data > diff.json
	json diff.json 'd["unit"] == "ns/s" and d["rows"][0]["comm"] == "a"'
	json diff.json 'd["rows"][0]["changed"] and 0.05e9 < d["rows"][0]["delta"] < 0.15e9'
	json diff.json 'd["rows"][0]["low"] < 0.1e9 < d["rows"][0]["high"]'
}

# The same shares at four times the rate, in a quarter of the time: diff compares rates
other_rate_and_length() {
	recording old.data 1 0.3 8000 1000000
	recording new.data 2 0.3 8000 250000
	status 0 "$PCSAMPLE" diff --exit-code --sort comm old.data new.data > out
	says out '8,000 of cpu-clock in 7.999 s'
	says out '8,000 of cpu-clock in 2.000 s'
	"$PCSAMPLE" diff --sort comm --json old.data new.data > diff.json
	json diff.json '0.25e9 < d["rows"][0]["old"] < 0.36e9 or d["rows"][0]["comm"] != "a"'
	json diff.json 'abs(sum(r["new"] for r in d["rows"]) - 1e9) < 1e7'
}

new_and_gone_rows() {
	recording old.data 1 0 4000 1000000
	recording new.data 2 0.5 4000 1000000
	"$PCSAMPLE" diff --sort comm,dso --json old.data new.data > diff.json
	json diff.json 'd["rows"][0]["old_samples"] == 0 and d["rows"][0]["comm"] == "a"'
	json diff.json 'd["rows"][0]["changed"] and d["rows"][0]["dso"] == "0"'
	"$PCSAMPLE" diff --sort comm,dso --json new.data old.data > diff.json
	json diff.json 'd["rows"][0]["new_samples"] == 0 and d["rows"][0]["delta"] < -0.4e9'
}

# A row is of all symbols with its name, whatever their numbers are in their objects
symbols_by_name() {
	local pid i

	mkdir -p root/tmp
	echo '500000 100 one' > root/tmp/perf-7.map
	echo '500000 100 two' > root/tmp/perf-8.map
	printf '%s\n' '500000 100 three' '500200 100 one' > root/tmp/perf-9.map
	{
		for pid in 7 8 9; do
			echo "mmap $pid 0x500000 0x1000 0 //anon 1"
		done
		for i in {1..20}; do
			echo "sample user 0x500010 7 7 $((i * 1000)) 0 1"
			echo "sample user 0x500010 8 8 $((i * 1000)) 0 1"
			echo "sample user 0x500210 9 9 $((i * 1000)) 0 1"
			echo "sample user 0x500400 9 9 $((i * 1000)) 0 1"
		done
	} | "$MKREC" maps.data
	"$PCSAMPLE" diff --symfs root --sort sym --all --json maps.data maps.data > diff.json
	json diff.json '{r["symbol"]: (r["old_samples"], r["new_samples"]) for r in d["rows"]} == {
		"one": (40, 40), "two": (20, 20), "[unknown]": (20, 20)} and len(d["rows"]) == 3'
}

# A burst of 100 samples is one event: the other recording may lack it by chance
a_burst_is_no_change() {
	awk 'BEGIN {
		for (i = 0; i < 4000; i++) {
			k = i >= 2000 && i < 2100 ? 2 : 1
			printf "sample user 0x401000 %d %d %.0f 0 1000000\n", k, k, 1e9 + i * 1e6
		}
	}' | "$MKREC" burst.data
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "sample user 0x401000 1 1 %.0f 0 1000000\n",
		1e9 + i * 1e6 }' | "$MKREC" none.data
	status 0 "$PCSAMPLE" diff --exit-code --sort comm none.data burst.data > out
}

# A single file is the new one, and perf.data.old is the old one, as in perf
one_file() {
	recording perf.data.old 1 0.3 2000 1000000
	recording other.data 2 0.3 3000 1000000
	"$PCSAMPLE" diff --sort comm other.data > out
	says out '# Old:       perf.data.old, 2,000 '
	says out '# New:       other.data, 3,000 '
	rm perf.data.old
	status 1 "$PCSAMPLE" diff other.data 2> said
	says said 'perf.data.old: No such file'
	need_perf
	perf diff other.data > out 2> said || :
	says said 'perf.data.old'
}

default_files_and_errors() {
	recording perf.data.old 1 0.3 2000 1000000
	recording perf.data 2 0.3 2000 1000000
	"$PCSAMPLE" diff --sort comm > out
	says out 'perf.data.old, 2,000'
	status 129 "$PCSAMPLE" diff a b c
	status 129 "$PCSAMPLE" diff --sort nothing
	status 129 "$PCSAMPLE" diff --time 50%-10%
	status 1 "$PCSAMPLE" diff missing.data perf.data 2> said
	says said 'missing.data'
	status 2 "$PCSAMPLE" diff --time 99999,999999 perf.data perf.data 2> said
	says said 'no samples of that time'
}

different_events_are_not_compared() {
	printf 'type 0x187\n%s\n%s\n' 'sample user 1 1 1 1000 0 1' 'sample user 1 1 1 9000 0 1' |
		"$MKREC" clock.data
	# Change attr.config of the first event from cpu-clock (0) to page-faults (2)
	cp clock.data faults.data
	python3 - <<-'END'
		import struct
		f = open("faults.data", "r+b")
		f.seek(24)
		at, = struct.unpack("<Q", f.read(8))
		f.seek(at + 8)
		f.write(struct.pack("<Q", 2))
	END
	status 1 "$PCSAMPLE" diff clock.data faults.data 2> said
	says said 'do not count the same; --normalize share'
	"$PCSAMPLE" diff --normalize share --all clock.data faults.data > out
	says out '% of the samples'
}

each_event_is_compared() {
	local two=kinds/identical-hybrid.data one=kinds/identical-second-event.data

	python3 "$here/mkcorpus.py" kinds
	"$PCSAMPLE" diff --sort comm $two $two > out
	says out "# Old:       $two, 27 of cpu_core/cycles/"
	says out "# Old:       $two, 13 of cpu_atom/cycles/"
	"$PCSAMPLE" diff --sort comm $two $one > out
	says out "# Not compared: 27 samples of cpu_core/cycles/ in $two: $one has none"
	says out '13 of cpu_atom/cycles/'
	says out '40 of cpu_atom/cycles/'
	# An event may have no samples
	"$PCSAMPLE" diff --sort comm --json $one $one > diff.json
	json diff.json 'd["old"]["samples"] == 40 and not d["not_compared"]'
	"$PCSAMPLE" diff --sort comm --event cycles --json $two $two > diff.json
	json diff.json '[e["old"]["samples"] for e in d["events"]] == [27, 13]'
	json diff.json '{r["event"] for r in d["rows"]} == {"cpu_core/cycles/", "cpu_atom/cycles/"}'
	"$PCSAMPLE" diff --sort comm --event cpu_atom/cycles/ --json $two $two > diff.json
	json diff.json '[e["old"]["samples"] for e in d["events"]] == [13]'
	status 1 "$PCSAMPLE" diff --event nosuch $two $two 2> said
	says said 'no event is called nosuch'
	status 2 "$PCSAMPLE" diff --event cpu_core/cycles/ $two $one 2> said
	says said 'no samples'
}

all_at_one_time() {
	printf 'sample user 1 1 1 1000 0 1\nsample user 1 1 1 1000 0 1\n' | "$MKREC" once.data
	status 2 "$PCSAMPLE" diff once.data once.data 2> said
	says said 'all samples are of the same time, so there are no rates'
}

# Such a recording has no rates: with them as 0 / 0, each row had changed. mkrec takes a period of 0
# for 1, so it is written afterwards.
all_periods_are_0() {
	local period=1234567890123 file

	for file in some.data none.data; do
		awk -v p=$period 'BEGIN { for (i = 0; i < 200; i++)
			printf "sample user 1 %d 1 %d 0 %.0f\n", i % 2, 1000 + i, p }' |
			"$MKREC" $file
	done
	python3 - $period <<-'END'
		import struct, sys
		data = open("none.data", "rb").read()
		period = struct.pack("<Q", int(sys.argv[1]))
		assert data.count(period) == 200
		open("none.data", "wb").write(data.replace(period, bytes(8)))
	END
	status 2 "$PCSAMPLE" diff none.data some.data > out 2> said
	says said 'none.data: all periods are 0, so there are no rates; --normalize share'
	status 2 "$PCSAMPLE" diff some.data none.data 2> said
	says said 'none.data: all periods are 0'
	status 0 "$PCSAMPLE" diff --exit-code --normalize share none.data some.data
}

# heavier FILE PERIOD: 200 samples of "a" that stand for PERIOD, 200 of "b" that stand for 1000
heavier() {
	awk -v period="$2" 'BEGIN {
		print "comm 1 1 a 1\ncomm 2 2 b 1"
		for (i = 0; i < 200; i++) {
			printf "sample user 1 1 1 %.0f 0 %d\n", 1e9 + 2 * i * 1e6, period
			printf "sample user 1 2 2 %.0f 0 1000\n", 1e9 + (2 * i + 1) * 1e6
		}
	}' | "$MKREC" "$1"
}

# The rate of "b" had changed with the periods of "a"
rows_weigh_their_own_periods() {
	heavier old.data 1000
	heavier new.data 3000
	"$PCSAMPLE" diff --sort comm --json old.data new.data > diff.json
	json diff.json '{r["comm"]: r["changed"] for r in d["rows"]} == {"a": True, "b": False}'
	json diff.json '[round(r["new"] / r["old"], 6) for r in d["rows"]] == [3, 1]'
	"$PCSAMPLE" diff --sort comm --json --normalize share old.data new.data > diff.json
	json diff.json '[(r["old"], r["new"]) for r in d["rows"]] == 2 * [(0.5, 0.5)]'
}

# A row that only the old recording has: nothing tells the weight of its samples in the new one,
# which is taken to be the same. Ten heavy samples are no more of a change than ten light ones.
gone_rows_of_any_weight() {
	local period

	for period in 1 1000 1000000; do
		awk -v period="$period" 'BEGIN {
			for (i = 0; i < 4000; i++) {
				k = i % 400 ? 1 : 2
				printf "sample user 1 %d %d %.0f 0 %d\n", k, k, 1e9 + i * 1e6,
					k == 1 ? 1000 : period
			}
		}' | "$MKREC" old.data
		awk 'BEGIN { for (i = 0; i < 4000; i++)
			printf "sample user 1 1 1 %.0f 0 1000\n", 1e9 + i * 1e6 }' |
			"$MKREC" new.data
		"$PCSAMPLE" diff --sort comm --json --all old.data new.data > diff.json
		json diff.json '[r["new"] for r in d["rows"] if r["comm"] == ":2"] == [0]'
		python3 -c 'import json; print([r["p"] for r in json.load(open("diff.json"))["rows"]
			if r["comm"] == ":2"])' >> p
	done
	[ "$(sort -u p | wc -l)" = 1 ] || die "$(< p)"
}

# One sample in ten stands for 1,000 times as much as the others. 5 or more of 20 comparisons would
# be wrong in one of 390 runs; if all samples of a row weighed the same, 16 are.
periods_that_vary_are_noise() {
	local seed changed=0

	for ((seed = 1; seed <= 20; seed++)); do
		awk -v seed="$seed" 'BEGIN {
			srand(seed)
			for (i = 0; i < 4000; i++) {
				k = 1 + int(rand() * 2)
				printf "sample user 1 %d %d %.0f 0 %d\n", k, k, 1e9 + i * 1e6,
					rand() < 0.1 ? 100000 : 100
			}
		}' | "$MKREC" r.data
		"$PCSAMPLE" diff --exit-code --sort comm --time 0%-50%:50%-100% \
			r.data r.data > out ||
			changed=$((changed + 1))
	done
	echo "$changed of 20"
	between 0 $changed 4
}

# few_and_many PERIOD: 1,000 page faults in a second; each sample stands for PERIOD
few_and_many() {
	{
		echo 'event 1 2'
		awk -v period="$1" 'BEGIN {
			for (i = 0; i <= 1000; i++)
				print "sample user 0x401000 1 1", (1000 + i) * 1000000, 0, period, 1
		}'
	} | "$MKREC" faults.data
	"$PCSAMPLE" diff --sort comm faults.data faults.data
}

# Page faults and tracepoints are so few that all would be 0.000 in millions
unit_is_of_the_rate() {
	few_and_many 1 > out
	says out '# Values:    events per second'
	awk '!/^#/ { exit !($1 == "1001.000" && $2 == $1) }' out || die "$(< out)"
	few_and_many 3000 > out
	says out '# Values:    million events per second'
	awk '!/^#/ { exit !($1 == "3.003" && $2 == $1) }' out || die "$(< out)"
}

tap unit_is_of_the_rate halves_are_the_same changes_are_found other_rate_and_length \
	new_and_gone_rows symbols_by_name a_burst_is_no_change default_files_and_errors one_file \
	different_events_are_not_compared each_event_is_compared all_at_one_time \
	all_periods_are_0 rows_weigh_their_own_periods gone_rows_of_any_weight \
	periods_that_vary_are_noise
