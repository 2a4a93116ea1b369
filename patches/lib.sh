# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel that the series is applied to: its source, and the trees it is built in again and
# again.
# Source after the files of scripts/lib.
# shellcheck disable=SC2154 # what they set

# Two work trees of one repository. `linux` goes from patch to patch, and only the files that the
# series is about are compiled in it. `series` is the end of the series, where whole kernels are
# built: no file in it is touched but those in which one end differs from the next, so make builds
# no more than that.
series_source=${SERIES_SOURCE:-linux-source-7.3}
series_tree=$cache/series/${series_source#linux-source-}

# Backports move on. Where they have left 7.3 behind, the newest source is tried.
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

# tree_make TREE BUILD [ARG...]: runs make for that work tree in the folder build-BUILD. The names
# of builds with clang begin with its name.
tree_make()
{
	local tree=$series_tree/$1 build=$series_tree/build-$2 compiler=()

	case $2 in
	clang*) compiler=(CC="$(newest_clang)") ;;
	esac
	shift 2
	nice make -C "$tree" O="$build" ARCH=arm64 \
		CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" "${compiler[@]}" \
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
# patches/config. The .config is left alone if it is the same, as everything would be built anew.
tree_config()
{
	local tree=$1 build=$2 path=$series_tree/build-$2 name

	shift 2
	mkdir -p "$path/new"
	for name in base "$@"; do
		cat "$top/patches/config/$name.config"
	done >"$path/fragments"
	KCONFIG_ALLCONFIG=$path/fragments tree_make "$tree" "$build/new" allnoconfig
	cmp -s "$path/new/.config" "$path/.config" || cp "$path/new/.config" "$path/.config"
	rm -rf "$path/new"
}
