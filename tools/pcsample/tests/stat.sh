#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample stat, doctor and list on any machine.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# Samples at 1 kHz are the CPU time of the workload in ms
samples_are_cpu_time() {
	"$PCSAMPLE" stat -e cpu-clock -F 1000 --json -- "$BUSY" 0.5 > stat.json
	json stat.json 'd["schema"] == "pcsample-stat" and d["schema_version"] == 1'
	json stat.json 'd["event"] == "cpu-clock" and d["requested_hz"] == 1000'
	json stat.json '450 <= d["samples"] <= 600'
	json stat.json 'd["samples"] == sum(c["samples"] for c in d["cpus"])'
	json stat.json 'd["duration_ns"] >= 4.5e8 and d["lost"] == 0'
	json stat.json '4.5e8 <= d["ran_ns"] <= 1e9'
	json stat.json 'abs(d["rate_hz"] - d["samples"] / (d["ran_ns"] / 1e9)) < 0.01'
}

text_goes_to_standard_error() {
	local total

	"$PCSAMPLE" stat -e cpu-clock -- sh -c "sleep 0.3; $BUSY 0.1; echo output" > out 2> err
	[[ $(< out) == output ]] || die "standard output: $(< out)"
	says err 'cpu-clock for'
	says err 'asked for 4000.0 Hz'
	# The task slept at least three quarters of the time. The time that a hypervisor gives to
	# other guests is missing in both rates.
	says err total
	total=$(awk '$1 == "total" { print $3 }' err)
	between "$(awk -v r="$total" 'BEGIN { print 2 * r }')" \
		"$(sed -n 's/.*s of CPU time: \([0-9.]*\) Hz.*/\1/p' err)" 4400
}

stat_passes_the_status_on() {
	status 7 "$PCSAMPLE" stat -e cpu-clock -- sh -c "$BUSY 0.05; exit 7"
	status 2 "$PCSAMPLE" stat -e cpu-clock -F 1 -- true
	status 127 "$PCSAMPLE" stat -e cpu-clock -- ./nothing
	status 1 "$PCSAMPLE" stat -e no-such-event -- true
	status 129 "$PCSAMPLE" stat -o x
}

doctor_has_a_verdict() {
	local expected=2

	if [[ $(uname -m) == aarch64 && -e /sys/bus/event_source/devices/arm_pcsample ]]; then
		skip "this is an Arm machine with the driver"
	fi
	status $expected "$PCSAMPLE" doctor > text
	says text 'cannot sample the PC-sample registers here'
	says text "$(uname -r)"
	status $expected "$PCSAMPLE" doctor --json > doctor.json
	json doctor.json 'd["schema"] == "pcsample-doctor" and d["can_sample"] is False'
	json doctor.json 'all(c["fix"] for c in d["checks"] if c["grade"] == "bad")'
	status 129 "$PCSAMPLE" doctor x
}

list_has_the_pmus() {
	"$PCSAMPLE" list > text
	says text cpu-clock
	"$PCSAMPLE" list --json > list.json
	json list.json '"cycles" in d["events"]'
	head -v -n 1 /sys/bus/event_source/devices/*/type |
		awk -F/ '/^==>/ { name = $(NF - 1) } /^[0-9]/ { print name, $1 }' | sort > pmus
	python3 -c 'import json; d = json.load(open("list.json"))
for p in d["pmus"]: print(p["name"], p["type"])' | sort > listed
	diff pmus listed
	# Every event in the list can be parsed, though this machine may not have it
	python3 -c 'import json; print(*json.load(open("list.json"))["events"], sep="\n")' > events
	while read -r event; do
		ASAN_OPTIONS=detect_leaks=0 "$PCSAMPLE" stat -e "$event" -- true 2> said || true
		[[ $(grep -c 'no such event' said) == 0 ]] || die "$event is listed, but not known"
	done < events
}

# shellcheck disable=SC2034 # for tap
few="text_goes_to_standard_error stat_passes_the_status_on doctor_has_a_verdict"
tap samples_are_cpu_time text_goes_to_standard_error stat_passes_the_status_on \
	doctor_has_a_verdict list_has_the_pmus
