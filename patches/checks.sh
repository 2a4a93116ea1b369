# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What can be said about the patches without booting them. Source after lib.sh.
# shellcheck disable=SC2154 # what they set

# The files that the series is about

# Those whose code a header of the series goes into, besides the files that the patches change: the
# early boot code, KVM's, and the places that restore DAIF.
series_users='arch/arm64/kernel/head.o arch/arm64/kernel/irq.o
	arch/arm64/kernel/setup.o arch/arm64/kernel/suspend.o
	arch/arm64/kvm/hyp/nvhe/hyp-init.nvhe.o arch/arm64/kvm/hyp/nvhe/switch.nvhe.o
	arch/arm64/kvm/hyp/vhe/switch.o drivers/hwtracing/coresight/coresight-etm4x-core.o
	kernel/events/core.o'

# series_objects: of these and the files that any patch changes, those that the tree has by now.
series_objects()
{
	local object source

	{
		cat "$series"/*.patch | sed -nE 's|^\+\+\+ b/([a-z].*)\.[cS]$|\1.o|p'
		xargs -n 1 <<<"$series_users"
	} | sort -u | while read -r object; do
		source=${object%.o}
		source=$series_tree/linux/${source%.nvhe}
		if [ -e "$source.c" ] || [ -e "$source.S" ]; then
			echo "$object"
		fi
	done
}

# build_objects BUILD [ARG...]: what the compiler says of them; none of them may fail.
build_objects()
{
	local build=$1

	shift
	# shellcheck disable=SC2046 # a list of words
	tree_make linux "$build" "$@" $(series_objects)
}

# Warnings

# The warnings in a log without their places, which every patch moves.
warnings_of()
{
	sed -nE "s|^$series_tree/linux/||; s/:[0-9]+(:[0-9]+)?: (.*(warning|error):)/: \2/p" "$1" |
		LC_ALL=C sort -u
}

# save_warnings FILE: what the checkers say of the source as it is: sparse, gcc with W=1, which has
# kernel-doc look at the comments too, and clang.
save_warnings()
{
	local log=$1.log

	tree_config linux warnings
	build_objects warnings W=1 C=2 >"$log" 2>&1
	tree_config linux clang-objects
	build_objects clang-objects W=1 >>"$log" 2>&1
	warnings_of "$log" >"$1.new"
	mv "$1.new" "$1"
}

# check_warnings WITHOUT WITH: the second has none that the first has not.
check_warnings()
{
	echo "$(wc -l <"$1") kinds of warnings without the series"
	! LC_ALL=C comm -13 "$1" "$2" | grep .
}

# checkpatch takes headers of assembly for C, and some lines are as the file around them is. The
# source package has no history to look the commits of Fixes: up in.
checkpatch_ignore=CAMELCASE,FILE_PATH_CHANGES,UNKNOWN_COMMIT_ID
check_patch()
{
	local ignore=$checkpatch_ignore

	! grep -q '^+++ b/arch/arm64/include/asm/el2_setup.h' "$1" || ignore+=,SPACING,LINE_SPACING
	! grep -q '^+.*printk("pstate: ' "$1" ||
		ignore+=,PRINTK_WITHOUT_KERN_LEVEL,PARENTHESIS_ALIGNMENT
	(
		cd "${TMPDIR:-/tmp}" || exit
		"$series_tree/linux/scripts/checkpatch.pl" --strict --no-tree -q \
			--ignore "$ignore" "$1"
	)
}

# Inertness

# The way of an exception and of a context switch, FILE:FUNCTION. An exception's class is looked up
# in a table: what counts of that function are the instructions up to the jump, as there has to be
# one more entry.
hot_paths='entry:vectors entry:el1h_64_sync entry:el1h_64_irq entry:el0t_64_sync entry:el0t_64_irq
	entry:ret_to_user entry:ret_to_kernel entry:cpu_switch_to entry:call_on_irq_stack
	entry-common:el1h_64_sync_handler entry-common:el0t_64_sync_handler
	entry-common:el1h_64_irq_handler entry-common:el0t_64_irq_handler
	entry-common:el1_interrupt entry-common:el0_interrupt entry-common:el0_svc
	entry-common:el0_da entry-common:el0_ia entry-common:el1_abort
	entry-common:asm_exit_to_user_mode process:__switch_to'

# instructions FILE FUNCTION: its instructions without what they operate on, as the compiler may
# choose other registers.
instructions()
{
	local end=eof

	case $2 in
	*_sync_handler) end=br ;;
	esac
	"${series_cross-aarch64-linux-gnu-}objdump" -d --no-show-raw-insn --disassemble="$2" \
		"$series_tree/build-patches/arch/arm64/kernel/$1.o" |
		sed -nE 's/^ *[0-9a-f]+:\t([^\t ]+).*/\1/p' | sed "/^$end\$/q"
}

# save_hot_paths DIR
save_hot_paths()
{
	local path

	rm -rf "$1"
	mkdir -p "$1.new"
	for path in $hot_paths; do
		instructions "${path%:*}" "${path#*:}" >"$1.new/${path#*:}"
	done
	mv -T "$1.new" "$1"
}

# check_inert WITHOUT WITH: all that the series adds to a hot path are NOPs; tests/inert.py looks at
# what alternatives have made of them in a kernel that runs.
check_inert()
{
	"$top/patches/inert" "$1" "$2"
}
