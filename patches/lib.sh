# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel that the series is applied to: its source, and one tree it is built in again and again.
# Source after the files of scripts/lib.
# shellcheck disable=SC2154 # what they set

# The tree, which is under git so that going from patch to patch touches no more than the patches
# do: make then builds no more than that.
series_tree=$cache/series/tree
series_source=linux-source-7.3

# Backports move on. Where they have left 7.3 behind, the newest source is tried.
request_series_source()
{
	local suite newest

	for suite in $kernel_suites; do
		use_world "$suite" "$host_arch"
		in_world apt-get download "$series_source" && return
	done
	newest=$(newest_package 'linux-source-[0-9]+\.[0-9]+')
	in_world apt-get download "$newest"
}

# Sets REPLY to the folder of the source package, and source_version to its version.
get_series_source()
{
	debs_of series-source request_series_source
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
	echo "$source_version" >"$series_tree/version"
}

tree_git()
{
	git -C "$series_tree/linux" -c user.name=series -c user.email=series@localhost "$@"
}

# tree_make CONFIG TARGET...: builds in the build folder of that configuration.
tree_make()
{
	local build=$series_tree/build-$1

	shift
	nice make -C "$series_tree/linux" O="$build" ARCH=arm64 \
		CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" -j"$(nproc)" "$@"
}

# tree_config CONFIG: allnoconfig and patches/config/base.config, and CONFIG.config on top of it.
# The .config is left alone if it is the same, as everything would be built anew.
tree_config()
{
	local build=$series_tree/build-$1 fragments=("$top/patches/config/base.config")

	[ "$1" = base ] || fragments+=("$top/patches/config/$1.config")
	mkdir -p "$build/new"
	cat "${fragments[@]}" >"$build/fragments"
	nice make -C "$series_tree/linux" O="$build/new" ARCH=arm64 \
		CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" \
		KCONFIG_ALLCONFIG="$build/fragments" allnoconfig
	cmp -s "$build/new/.config" "$build/.config" || cp "$build/new/.config" "$build/.config"
	rm -rf "$build/new"
}
