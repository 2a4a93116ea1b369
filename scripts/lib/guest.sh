# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What scripts/vm adds to the guest's root: our modules and the tool, built from this tree.

# guest_kernel NAME: sets REPLY to the image.
guest_kernel()
{
	if is_debian_kernel "$1"; then
		get_kernel "$1"
		return
	fi
	REPLY=$1/arch/arm64/boot/Image
	[ -e "$REPLY" ] || die "--kernel $1 is neither a built kernel tree nor of $debian_kernels"
}

# guest_overlay NAME: sets REPLY to a cpio of all that is built from this tree for that kernel:
# the modules and the tool. For Debian's kernels the cache keeps it, as it is the same for every
# clone of a tree. Of a built kernel tree no key says what is in it: there it is made anew when a
# source of ours has changed.
guest_overlay()
{
	local kernel=$1 dir=$top/build/guest/${1//\//_} inputs

	mkdir -p "$dir"
	inputs=$(guest_inputs)
	case $kernel in
	*/*) overlay_for_tree ;;
	*)
		get_headers "$kernel"
		inputs+=" $REPLY"
		get_libperf arm64
		inputs+=" $REPLY"
		get_sysroot
		cache_make "guest-$kernel" "$(key_of "$inputs $REPLY" "$host")" cache_overlay
		;;
	esac
	REPLY+=/overlay.cpio
}

# The variables are guest_overlay's.
overlay_for_tree()
{
	local lock status

	exec {lock}>"$dir/.lock"
	flock "$lock"
	if [ "$inputs" != "$(cat "$dir/inputs" 2>/dev/null)" ]; then
		say "pcsample: building the modules and the tool for the guest ($kernel)"
		: >"$dir/log"
		attempt "$dir/log" build_guest_overlay "$kernel" "$dir"
		[ "$status" = 0 ] || {
			cat "$dir/log" >&2
			die "what goes into the guest could not be built"
		}
		echo "$inputs" >"$dir/inputs"
	fi
	exec {lock}>&-
	REPLY=$dir
}

# One overlay, of 9 MB, comes with each state of the sources: the last few are enough.
overlays_kept=20

cache_overlay()
{
	build_guest_overlay "$kernel" "$dir"
	mv "$dir/overlay.cpio" "$out"
	find "${final%/*}" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -printf '%T@ %p\n' |
		sort -rn | tail -n "+$overlays_kept" | cut -d' ' -f2- | xargs -r rm -rf
}

guest_inputs()
{
	local paths=(Kbuild arch-model drivers include scripts/modules scripts/lib/guest.sh
		tools/pcsample)

	[ ! -d "$top/selftests/modules" ] || paths+=(selftests/modules)
	(
		cd "$top"
		find "${paths[@]}" -name tests -prune -o -type f ! -name '*.o' -print0 |
			LC_ALL=C sort -z |
			xargs -0 sha256sum | sha256sum
	)
}

build_guest_overlay()
{
	local kernel=$1 dir=$2 release

	rm -rf "$dir/root"
	"$top/scripts/modules" "$kernel" "$dir/modules"
	release=$(<"$dir/modules/release")
	mkdir -p "$dir/root/lib/modules/$release/extra" "$dir/root/usr/bin"
	cp "$dir"/modules/*.ko "$dir/root/lib/modules/$release/extra"
	use_its_driver "$kernel" "$dir/root/lib/modules/$release/extra"
	depmod -b "$dir/root" "$release"
	# Below usr, as /lib is a link in the guest
	mv "$dir/root/lib" "$dir/root/usr/lib"

	# One build of the tool serves every kernel, so two guests may want it at the same time.
	flock "$top/build/guest/.lock" make -C "$top/tools/pcsample" -j "$(nproc)" \
		CROSS_COMPILE=aarch64-linux-gnu- O="$top/build/guest/tool"
	cp "$top/build/guest/tool/pcsample" "$dir/root/usr/bin/"
	pack_cpio "$dir/root" >"$dir/overlay.cpio"
}

# use_its_driver KERNEL FOLDER: a kernel tree that has arm_pcsample is tried with that, as a module
# in place of ours, or built in.
use_its_driver()
{
	case $(sed -n 's/^CONFIG_ARM_PCSAMPLE=//p' "$1/include/config/auto.conf" 2>/dev/null) in
	m) cp "$1/drivers/perf/arm_pcsample/arm_pcsample.ko" "$2" ;;
	y) rm "$2/arm_pcsample.ko" ;;
	esac
}

# guest_complaints FILE...: the lines, with their numbers, in which a kernel says that it, or we,
# did something wrong.
guest_complaints()
{
	cat "$@" 2>/dev/null | grep -an '' | without_fair_server |
		grep -aE "$complaint_patterns" || true
}

# telling_complaint FILE...: the first of them that says what is wrong. The line "cut here", which
# begins a trace, does not; the next one of that trace does.
telling_complaint()
{
	guest_complaints "$@" | awk '
		{ sub(/^[0-9]+:/, "") }
		NR == 1 || cut {
			cut = /\[ cut here \]/
			first = $0
		}
		END { if (NR) print first }
	'
}

# Linux 6.12 warns in sched_fair_server_write() itself ("dl_rq->running_bw > old") if a server is
# stopped by it that is not active, which selftests/run.sh cannot know. That trace is of no test.
without_fair_server()
{
	LC_ALL=C awk '
		/\[ cut here \]/ {
			printf "%s", held
			held = ""
			holding = 1
			ours = 0
		}
		!holding {
			print
			next
		}
		{
			held = held $0 "\n"
			ours = ours || /sched_fair_server_write/
		}
		/---\[ end trace/ {
			if (!ours)
				printf "%s", held
			held = ""
			holding = 0
		}
		END { printf "%s", held }
	'
}

complaint_patterns='Kernel panic|Oops|Internal error|Unable to handle kernel|BUG:|kernel BUG at'
complaint_patterns+='|WARNING:|\[ cut here \]|Call trace:|KASAN:|UBSAN:|KFENCE:|refcount_t:'
complaint_patterns+='|INFO: (rcu|task|possible|suspicious|trying|inconsistent)'
complaint_patterns+='|rcu_.*(stall|starved)'
complaint_patterns+='|locking correctness validator|possible .*(deadlock|recursive locking)'
complaint_patterns+='|inconsistent lock state'
complaint_patterns+='|suspicious RCU usage|sleeping function called|scheduling while atomic'
complaint_patterns+='|soft lockup|hard LOCKUP|corruption|nobody cared|ODEBUG:|unreferenced object'
complaint_patterns+='|usage count underflow'
