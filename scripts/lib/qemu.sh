# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# QEMU from Debian's source package, with our device. The recipe is emulation/build.

qemu_suite=trixie
qemu_series=10.0

# The suite's backports hold a newer series, which `apt-get source` would prefer.
request_qemu_source()
{
	local version

	use_world "$qemu_suite" source
	version=$(in_world apt-cache showsrc qemu | sed -n 's/^Version: //p' |
		grep -F ":$qemu_series." | sort -V | tail -n 1)
	in_world apt-get --download-only source "qemu=$version"
	rm -f ./*.asc
}

get_debian_source_qemu()
{
	debs_of debian-source-qemu request_qemu_source
}

request_meson()
{
	use_world "$qemu_suite" "$host_arch"
	in_world apt-get download meson
}

build_meson()
{
	dpkg-deb -x "$1"/meson_*.deb "$out"
}

get_meson()
{
	debs_of meson request_meson
	cache_make meson "$(deb_version "$REPLY"/meson_*.deb)" build_meson "$REPLY"
	REPLY=$REPLY/usr/lib/python3/dist-packages
}

# What the binary depends on: the recipe, the device, the register layout it includes, the source.
qemu_inputs()
{
	(
		cd "$top"
		find emulation arch-model/include/arch-model -type f \
			! -path '*/tests/*' ! -path '*/plugins/*' ! -name '*.md' ! -name '*.rst' \
			\( -path 'emulation/*' -o -name '*-regs.h' -o -name bits.h \) |
			LC_ALL=C sort | xargs sha256sum
	)
}

build_qemu()
{
	nice "$top/emulation/build" "$out"
	[ -x "$out/qemu-system-aarch64" ]
}

get_qemu()
{
	local source version

	[ -x "$top/emulation/build" ] || die "emulation/build is missing from this tree"
	get_debian_source_qemu
	source=$REPLY
	version=$(deb_version "$source"/qemu_*.debian.tar.xz)
	get_meson
	cache_make qemu "${version%%+*}-$(key_of build_qemu "$source" "$(qemu_inputs)" "$host")" \
		build_qemu
	REPLY=$REPLY/qemu-system-aarch64
}
