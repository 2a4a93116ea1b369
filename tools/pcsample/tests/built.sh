# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For tests in shell of what was built: tap.sh, the programs, and where the tests are.
#
# Environment: O, the build directory.

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR
. "$here/tap.sh"

# shellcheck disable=SC2034 # for who sources this
{
	PCSAMPLE=$(realpath "${O:?}/pcsample")
	MKREC=$(realpath "$O/tests/mkrec")
	BUSY=$(realpath "$O/tests/busy")
}
export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0

need_perf() {
	perf version > /dev/null 2>&1 || skip "needs perf"
}
