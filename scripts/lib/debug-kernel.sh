# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Kernels that find mistakes, from Debian's source of 6.12: what selftests/storm runs on for long.
# Source it after linux.sh.

# The configuration is allnoconfig and these files; the emulated machine needs no more, and what is
# not compiled takes no time.
debug_kernel_configs()
{
	local base=patches/config/base.config debug=patches/config/debug.config
	local own=selftests/config

	case $1 in
	kasan) echo $base $own/storm.config $debug $own/kasan.config ;;
	kasan-rt) echo $base $own/storm.config $debug $own/kasan.config $own/rt.config ;;
	faults) echo $base $own/storm.config $debug $own/kasan.config $own/faults.config ;;
	kcsan) echo $base $own/storm.config $own/kcsan.config ;;
	*) die "no debug kernel is called $1" ;;
	esac
}

# build_debug_kernel SOURCE CONFIG: keeps the kernel, and what modules are built with, of the tree.
# Takes 15 minutes of processor time.
build_debug_kernel()
{
	local work make symbol

	work=$(mktemp -d)
	mkdir "$work/deb" "$work/linux"
	dpkg-deb -x "$1"/linux-source-*.deb "$work/deb"
	xz -dc -T0 "$work"/deb/usr/src/linux-source-*.tar.xz |
		tar -C "$work/linux" --strip-components=1 -xf -
	printf '%s\n' "$2" >"$work/config"
	make=(nice -n 10 make -s -C "$work/linux" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
	KCONFIG_ALLCONFIG=$work/config "${make[@]}" allnoconfig
	# What a fragment of ours asks for and a dependency hides would go unnoticed.
	while read -r symbol; do
		grep -qxF "$symbol" "$work/linux/.config" || {
			echo "$symbol cannot be had"
			return 1
		}
	done < <(tac "$work/config" | awk -F= '/=/ && !seen[$1]++ && $2 == "y" &&
		$1 != "CONFIG_ARM64_PROFILING_EXC"')	# which the series has
	use_ccache
	CCACHE_BASEDIR=$work "${make[@]}" -j "$(nproc)" Image modules
	(cd "$work/linux" && cp -a --parents Makefile .config Module.symvers include scripts \
		arch/arm64/{Makefile,boot/Image,include} "$out")
	rm -rf "$work"
}

get_debug_kernel()
{
	local config

	config=$(cd "$top" && debug_kernel_configs "$1" | xargs cat)
	debs_of linux-source-6.12 request_linux_source 6.12
	cache_make "kernel-6.12-$1" "$(deb_version "$REPLY"/*.deb)-$(key_of build_debug_kernel \
		"$config" "$host")" build_debug_kernel "$REPLY" "$config"
}
