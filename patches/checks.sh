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

# series_files: the objects of all files that any patch changes. Those of the nVHE hypervisor have
# a name of their own.
series_files()
{
	cat "$series"/*.patch | sed -nE 's|^\+\+\+ b/([a-z].*)\.[cS]$|\1.o|p' |
		sed 's|\(/nvhe/.*\)\.o$|\1.nvhe.o|' | sort -u
}

# series_objects CONFIG: of these and the users, those that the tree has by now and that are there
# in that configuration.
series_objects()
{
	local config=$1 object source

	{
		series_files
		xargs -n 1 <<<"$series_users"
	} | sort -u | while read -r object; do
		case $config:$object in
		sdei:drivers/firmware/arm_sdei.o | arm32:drivers/perf/*) ;;
		*:drivers/firmware/arm_sdei.o | off:*/profexc.o | arm32:*) continue ;;
		esac
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
	tree_make linux "$build" "$@" $(series_objects base)
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
	# A tracepoint is laid out as all of them are.
	! grep -q '^+++ b/include/trace/events/' "$1" ||
		ignore+=,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
	(
		cd "${TMPDIR:-/tmp}" || exit
		"$series_tree/linux/scripts/checkpatch.pl" --strict --no-tree -q \
			--ignore "$ignore" "$1"
	)
}

# Inertness

# The way of an exception and of a context switch: where it begins, in which objects it is followed,
# and what is no part of it, as the kernel dies there.
hot_functions='vectors el1h_64_sync el1h_64_irq el0t_64_sync el0t_64_irq ret_to_user ret_to_kernel
	cpu_switch_to call_on_irq_stack el1h_64_sync_handler el0t_64_sync_handler
	el1h_64_irq_handler el0t_64_irq_handler asm_exit_to_user_mode __switch_to'
hot_objects='entry entry-common process'
cold_functions='__panic_unhandled panic_bad_stack'

# save_hot_paths BUILD FOLDER: the objects, and what their alternatives are called
save_hot_paths()
{
	local build=$series_tree/build-$1 object

	rm -rf "$2" "$2.new"
	mkdir -p "$2.new"
	for object in $hot_objects; do
		cp "$build/arch/arm64/kernel/$object.o" "$2.new/"
	done
	cp "$build/arch/arm64/include/generated/asm/cpucap-defs.h" "$2.new/"
	mv -T "$2.new" "$2"
}

# check_inert WITHOUT WITH: all that the series adds to a hot path are NOPs; tests/inert.py looks at
# what alternatives have made of them in a kernel that runs.
check_inert()
{
	# shellcheck disable=SC2086 # lists of words
	OBJDUMP=${series_cross-aarch64-linux-gnu-}objdump "$top/patches/inert" "$1" "$2" \
		HAS_EBEP HAS_TRBE_EXC -- $hot_functions -- $cold_functions
}
