#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each man page can be built, and has exactly the options of --help.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

pages=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Documentation")

pages_are_well_formed() {
	local page

	need scdoc
	for page in "$pages"/*.scd; do
		scdoc < "$page" > out 2> complaints
		[[ ! -s complaints ]] || die "$page: $(< complaints)"
		name=$(basename "$page" .scd)
		[[ $(head -n 1 "$page") == "${name%.*}(${name##*.})" ]] ||
			die "$page: its first line is not its name"
	done
}

# Write the names of all commands to the file commands
commands() {
	"$PCSAMPLE" completion --json > commands.json
	python3 -c 'import json
for c in json.load(open("commands.json"))["commands"]:
	print(c["name"])' > commands
	[[ $(wc -l < commands) -gt 5 ]] || die "few commands: $(cat commands)"
}

options_are_those_of_help() {
	local page command

	commands
	for page in "$pages"/pcsample-*.1.scd; do
		command=$(basename "$page" .1.scd)
		command=${command#pcsample-}
		grep -qxF "$command" commands || continue	# built without it
		"$PCSAMPLE" "$command" --help > help
		grep -oE '(^| |\[)--[a-z][a-z-]*' help | tr -d ' [' | sort -u > in_help
		sed -n '/^# OPTIONS/,/^# [^O]/p' "$page" | grep -oE '\*--[a-z][a-z-]*\*' |
			tr -d '*' | sort -u > in_page
		# Usage and examples of --help only have options that are in its list
		diff in_help in_page || die "$page and pcsample $command --help differ"
	done
}

each_command_has_a_page() {
	local command

	commands
	while read -r command; do
		[[ -e $pages/pcsample-$command.1.scd ]] || die "$command has no page"
		grep -q '^# EXIT STATUS' "$pages/pcsample-$command.1.scd" ||
			die "$command: no exit status in its page"
		grep -qF "*pcsample-$command*(1)" "$pages/pcsample.1.scd" ||
			die "$command is not in pcsample(1)"
	done < commands
}

tap each_command_has_a_page pages_are_well_formed options_are_those_of_help
