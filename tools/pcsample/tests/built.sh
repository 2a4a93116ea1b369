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

need_perf() {
	perf version > /dev/null 2>&1 || skip "needs perf"
}
