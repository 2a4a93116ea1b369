#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion is that of the options that --help lists.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

PCSAMPLE=$(realpath "${O:?}/pcsample")

commands() {
	"$PCSAMPLE" completion --json |
		python3 -c 'import json, sys
for c in json.load(sys.stdin)["commands"]:
	print(c["name"])'
}

# in_help COMMAND: its long options
in_help() {
	"$PCSAMPLE" "$1" --help | sed '/^Mandatory or optional/,$d' |
		grep -oE '(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u
}

# complete WORD...: what bash offers for the last one
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_pcsample
	printf '%s\n' "${COMPREPLY[@]}"
}

bash_offers_the_options_of_help() {
	local command

	"$PCSAMPLE" completion bash > script
	# complete is the shell's; here nothing types
	# shellcheck disable=SC1091 # made above
	. ./script
	complete_words pcsample '' | sort > offered
	commands | sort > expected
	diff <(grep -v '^-' offered) expected
	while read -r command; do
		complete_words pcsample "$command" -- > /dev/null
		complete_words pcsample --no-pager "$command" -- | grep '^--' | sort -u > offered
		in_help "$command" > expected
		diff offered expected || die "$command"
	done < <(commands)
	[[ $(complete_words pcsample report --sor) == --sort ]] || die "no --sort"
	[[ $(complete_words pcsample rep) == report ]] || die "no report"
	mkdir some-dir
	: > some-file
	[[ $(complete_words pcsample report -i some-f) == some-file ]] || die "no file for -i"
	[[ $(complete_words pcsample report --symfs = some-) == some-dir ]] || die "no directory"
	if "$PCSAMPLE" version --feature libperf; then
		PATH=$(dirname "$PCSAMPLE"):$PATH
		[[ $(complete_words pcsample record -e cpu-cl) == cpu-clock ]] || die "no event"
	fi
}

zsh_has_the_options_of_help() {
	local command

	"$PCSAMPLE" completion zsh > _pcsample
	[[ $(head -n 1 _pcsample) == '#compdef pcsample' ]] || die "no #compdef"
	! command -v zsh > /dev/null || zsh -n _pcsample
	while read -r command; do
		sed -n "/^\t\t$command)/,/;;/p" _pcsample | grep -oE "'--[a-z][a-z-]*" | tr -d "'" |
			sort -u > offered
		in_help "$command" | grep -v -- --usage > expected
		diff offered expected || die "$command"
		# Quotes come in pairs
		sed -n "/^\t\t$command)/,/;;/p" _pcsample | tr -cd "'" | wc -c > quotes
		[[ $(($(< quotes) % 2)) == 0 ]] || die "$command: quotes"
	done < <(commands)
	# What zsh and bash quote alike
	sed "1d; s/^_pcsample \"\$@\"//" _pcsample | bash -n
}

usage() {
	status 129 "$PCSAMPLE" completion
	status 129 "$PCSAMPLE" completion fish
	if "$PCSAMPLE" completion bash > /dev/full 2> said; then die "a full disk is no error"; fi
	says said 'No space left'
}

tap bash_offers_the_options_of_help zsh_has_the_options_of_help usage
