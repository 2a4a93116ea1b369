# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel that a series is applied to: its source, and the trees it is built in again and again.
# Source after the files of scripts/lib.
# shellcheck disable=SC2154 # what they set

# Two work trees of one repository. `linux` goes from patch to patch, and only the files that the
# series is about are compiled in it. `series` is the end of the series, where whole kernels are
# built: no file in it is touched but those in which one end differs from the next, so make builds
# no more than that.
#
# use_series NAME: chooses patches/NAME, which is for the source of that version. SERIES_SOURCE is
# the name of another source to try it with.
use_series()
{
	# shellcheck disable=SC2034 # for who sources this
	series_name=$1
	series=$top/patches/$1
	series_source=${SERIES_SOURCE:-linux-source-${1#linux-}}
	series_tree=$cache/series/${series_source#linux-source-}
}
use_series linux-7.3

# Backports move on. Where they have left a version behind, the newest source is tried.
request_series_source()
{
	local suite newest=''

	for suite in $kernel_suites; do
		use_world "$suite" "$host_arch"
		in_world apt-get download "$1" && return
	done
	newest=$(newest_package 'linux-source-[0-9]+\.[0-9]+')
	in_world apt-get download "$newest"
}

# Sets REPLY to the folder of the source package, and source_version to its version.
get_series_source()
{
	debs_of "$series_source" request_series_source "$series_source"
	source_version=$(deb_version "$REPLY"/linux-source-*.deb)
	case $(basename "$REPLY"/linux-source-*.deb) in
	"$series_source"_*) ;;
	*) say "series: $series_source is no longer offered, trying $source_version" ;;
	esac
}

# lock_series: waits until nobody else works in the tree; `lock` is the descriptor that says so. The
# file is beside the tree, as make_series_tree() may remove that.
lock_series()
{
	mkdir -p "$cache/series"
	exec {lock}>"$series_tree.lock"
	flock "$lock"
}

# make_series_tree: unpacks the source where the tree is not there or of another version.
make_series_tree()
{
	local deb

	get_series_source
	deb=$REPLY
	[ "$source_version" != "$(cat "$series_tree/version" 2>/dev/null)" ] || return 0

	say "series: unpacking $source_version"
	rm -rf "$series_tree"
	mkdir -p "$series_tree/deb" "$series_tree/linux"
	dpkg-deb -x "$deb"/linux-source-*.deb "$series_tree/deb"
	tar -C "$series_tree/linux" --strip-components=1 \
		-xf "$series_tree"/deb/usr/src/linux-source-*.tar.xz
	rm -rf "$series_tree/deb"
	tree_git init -q -b debian
	tree_git config gc.auto 0
	tree_git add -A -f
	tree_git commit -q -m "$source_version"
	tree_git tag debian-source
	tree_git worktree add -q --detach ../series debian-source
	echo "$source_version" >"$series_tree/version"
}

tree_git()
{
	git -C "$series_tree/linux" -c user.name=series -c user.email=series@localhost "$@"
}

# step COMMAND...: runs it with its output in the log of the last step, in the folder `results`, and
# sets status.
status=0
step()
{
	mkdir -p "$results"
	: >"$results/step"
	attempt "$results/step" "$@"
}

# apply_series: all of it, in the work tree `linux`. Sets patches to how many there are that apply,
# name to the last one tried, and last to the commit at the end. What git has to say is for the log
# of the last step; fails where a patch does not apply.
apply_series()
{
	patches=0
	tree_git am -q --abort 2>/dev/null || true
	tree_git reset -q --hard
	tree_git checkout -q --detach debian-source
	while read -r name; do
		step tree_git am -q "$series/$name"
		[ "$status" = 0 ] || return
		patches=$((patches + 1))
	done < <(grep -v '^#' "$series/series")
	last=$(tree_git rev-parse HEAD)
}

# go_to_end: the work tree `series` has the end of the series, and nothing else. A file that is the
# same as before is left as it is.
go_to_end()
{
	git -C "$series_tree/series" checkout -q -f --detach "$last"
}

# tree_make TREE BUILD [ARG...]: runs make for that work tree in the folder build-BUILD. The names
# of builds with clang begin with its name, objects-arm32 is for the other architecture.
tree_make()
{
	local tree=$series_tree/$1 build=$series_tree/build-$2 compiler=() arch=arm64
	local cross=${series_cross-aarch64-linux-gnu-}

	case $2 in
	clang*) compiler=(CC="$(newest_clang)") ;;
	objects-arm32*)
		arch=arm
		cross=arm-linux-gnueabi-
		;;
	esac
	shift 2
	nice make -C "$tree" O="$build" ARCH="$arch" CROSS_COMPILE="$cross" "${compiler[@]}" \
		-j"$(nproc)" "$@"
}

# The kernel wants version 17 or later, and Debian 12's own is older.
newest_clang()
{
	local path

	path=$(compgen -c clang- | grep -Ex 'clang-[0-9]+' | sort -V | tail -n 1)
	[ "${path#clang-}" -ge 17 ] || die "clang 17 or later is missing: apt-get install clang-19"
	echo "$path"
}

# tree_config TREE BUILD [FRAGMENT...]: allnoconfig, base.config and the fragments of
# patches/config; for the other architecture what it has by default, and the fragment. The .config
# is left alone if it is the same, as everything would be built anew.
tree_config()
{
	local tree=$1 build=$2 path=$series_tree/build-$2 name

	shift 2
	mkdir -p "$path/new"
	for name in base "$@"; do
		cat "$top/patches/config/$name.config"
	done >"$path/fragments"
	case $build in
	objects-arm32)
		tree_make "$tree" "$build/new" defconfig
		cat "$top/patches/config/$1.config" >>"$path/new/.config"
		tree_make "$tree" "$build/new" olddefconfig
		;;
	*) KCONFIG_ALLCONFIG=$path/fragments tree_make "$tree" "$build/new" allnoconfig ;;
	esac
	cmp -s "$path/new/.config" "$path/.config" || cp "$path/new/.config" "$path/.config"
	rm -rf "$path/new"
}

# build_kernel CONFIG: all of it, with make finding out what is missing.
build_kernel()
{
	local modules

	case $1 in
	base) tree_config series base ;;
	modules | sdei)
		# They have the objects of base but for a few
		[ -e "$series_tree/build-$1" ] ||
			cp -a "$series_tree/build-base" "$series_tree/build-$1"
		tree_config series "$1" "$1"
		;;
	*) tree_config series "$1" "$1" ;;
	esac
	tree_make series "$1" Image modules
	# The modules for guests do not know that they are for another kernel now.
	modules=$top/build/guest/${series_tree//\//_}_build-$1
	[ ! "$series_tree/build-$1/vmlinux" -nt "$modules/inputs" ] || rm -rf "$modules"
}
