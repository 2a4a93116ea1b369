#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# libperf.sh LINUX OUT ARCH CROSS: builds libperf from LINUX, which has tools/ of a kernel's source,
# for ARCH as Debian calls it, with the compiler CROSSgcc, and installs it below OUT/usr. libperf's
# makefiles install everything but libapi, which it needs. The shared library goes, so that -lperf
# links the archive and nothing private is wanted at run time.

set -eu

linux=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
arch=$3
cross=$4

case $arch in
amd64) arch=x86 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Of make's own variables none is libperf's. Where it is built does not show in debug information.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O V
make -C "$linux/tools/lib/perf" O="$work/" ARCH="$arch" CROSS_COMPILE="$cross" \
	EXTRA_CFLAGS="-ffile-prefix-map=$linux=linux -ffile-prefix-map=$work=libperf" \
	DESTDIR="$out" prefix=/usr libdir=/usr/lib \
	all install_headers install_lib install_pkgconfig
install -m 644 "$work"/libapi.a "$out/usr/lib/" ||
	install -m 644 "$work"/libapi/libapi.a "$out/usr/lib/"
rm -f "$out"/usr/lib/libperf.so*
