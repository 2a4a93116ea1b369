# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For shell tests of the built programs: sources tap.sh, and sets the paths of programs and tests.
#
# Environment: O, the build directory.

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR
. "$here/tap.sh"

# shellcheck disable=SC2034 # used by the script that sources this
{
	PCSAMPLE=$(realpath "${O:?}/pcsample")
	MKREC=$(realpath "$O/tests/mkrec")
	BUSY=$(realpath "$O/tests/busy")
}
export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0

# split_debug PROGRAM: move its debug information to PROGRAM.debug, which it then names
split_debug() {
	objcopy --only-keep-debug "$1" "$1.debug"
	strip "$1"
	objcopy --add-gnu-debuglink="$1.debug" "$1"
}

# need COMMAND, need_feature FEATURE: skip the test without it
need() {
	command -v "$1" > /dev/null || skip "no $1"
}

need_feature() {
	"$PCSAMPLE" version --feature "$1" || skip "built without $1"
}

need_perf() {
	perf version > /dev/null 2>&1 || skip "needs perf"
}
