#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What make install DESTDIR=... PREFIX=... installs, as a packager uses it.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

O=$(realpath "${O:?}")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

# install_to DIR [VARIABLE=VALUE...]: install what was built
install_to() {
	local dir=$1

	shift
	make -s -C "$here/.." O="$O" DESTDIR="$PWD/$dir" "$@" install > log 2>&1 || {
		cat log
		die "make install"
	}
}

# make install does not rebuild with other flags, least of all without libperf
installs_what_was_built() {
	cp "$O/flags" flags
	install_to d PREFIX=/opt/tool
	cmp flags "$O/flags"
	cmp "$O/pcsample" d/opt/tool/bin/pcsample
}

# A changed header causes all files that include it to be compiled, by each name that GCC gives it
headers_count() {
	local src n

	src=$(realpath "$here/..")
	n=$(make -n -C "$src" O="$O" -W "$src/symbols/symtab.h" -W symbols/symtab.h all |
		grep -c -- ' -c -o ')
	[[ $n -gt 20 ]] || die "$n files are compiled"
}

everything_is_below_its_prefix() {
	local page

	install_to d PREFIX=/opt/tool
	[[ $(find d -mindepth 1 -maxdepth 2 | sort | tr '\n' ' ') == 'd/opt d/opt/tool ' ]]
	for page in "$here"/../Documentation/*.scd{,.in}; do
		page=${page##*/}
		page=${page%.in}
		page=${page%.scd}
		[[ -s d/opt/tool/share/man/man${page##*.}/$page ]] || die "no $page"
	done
	! grep -rIE '/usr/local|@[A-Z]+@' d || die "names another place"
}

unit_runs_what_was_installed() {
	local unit

	install_to d PREFIX=/opt/tool
	unit=d/opt/tool/lib/systemd/system/pcsample-spool.service
	grep -q '^ExecStart=/opt/tool/bin/pcsample record ' $unit || die "$(< $unit)"
	install_to d
	unit=d/usr/local/lib/systemd/system/pcsample-spool.service
	grep -q '^ExecStart=/usr/local/bin/pcsample record ' $unit || die "$(< $unit)"
	install_to e PREFIX=/usr UNITDIR=/lib/systemd/system UDEVDIR=/lib/udev/rules.d
	[[ -s e/lib/systemd/system/pcsample-spool.service ]]
	[[ -s e/lib/udev/rules.d/60-pcsample.rules ]]
}

completion_is_that_of_the_program() {
	install_to d PREFIX=/usr
	PATH=$PWD/d/usr/bin:$PATH
	# shellcheck disable=SC1091 # installed above
	. d/usr/share/bash-completion/completions/pcsample
	[[ $(complete -p pcsample) == *' -F _pcsample pcsample' ]]
	COMP_WORDS=(pcsample rep) COMP_CWORD=1 COMPREPLY=()
	_pcsample
	[[ ${COMPREPLY[*]} == report ]] || die "${COMPREPLY[*]}"
	command -v zsh > /dev/null || return 0
	# The file defines the completion and ends by calling it
	# shellcheck disable=SC2016 # for that shell to expand
	zsh -f -c 'fpath=($1 $fpath)
		autoload -Uz +X _pcsample
		_arguments() { echo called; }
		_pcsample' zsh d/usr/share/zsh/site-functions > said
	grep -q called said || die "$(< said)"
}

tap installs_what_was_built headers_count everything_is_below_its_prefix \
	unit_runs_what_was_installed completion_is_that_of_the_program
