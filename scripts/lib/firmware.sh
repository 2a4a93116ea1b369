# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Trusted Firmware-A from Debian's source package, for the emulated machine: firmware at EL3 that
# starts the kernel and has SDEI.

tfa_suite=trixie
tfa_series=2.12

request_tfa_source()
{
	local version

	use_world "$tfa_suite" source
	version=$(in_world apt-cache showsrc arm-trusted-firmware | sed -n 's/^Version: //p' |
		grep "^$tfa_series\." | sort -V | tail -n 1)
	in_world apt-get --download-only source "arm-trusted-firmware=$version"
}

# build_tfa SOURCE PATCHES: by semihosting BL1 finds BL2, and this BL31, the kernel as bl33.bin and
# the initrd, so that there is no archive of them to make. The device tree is where QEMU puts it.
# What of the features of QEMU's "max" Linux uses at EL1 and EL2, EL3 has to permit.
build_tfa()
{
	local work patch

	work=$(mktemp -d)
	tar -C "$work" --strip-components=1 -xf "$1"/*.orig.tar.xz
	tar -C "$work" -xf "$1"/*.debian.tar.xz
	while read -r patch; do
		patch --silent -d "$work" -p1 <"$patch"
	done < <(sed "s|[[:space:]]*#.*||; /^\$/d; s|^|$work/debian/patches/|" \
		"$work/debian/patches/series" && sed "s|^|$2/|" "$2/series")
	nice make -C "$work" -j"$(nproc)" CROSS_COMPILE=aarch64-linux-gnu- PLAT=qemu DEBUG=1 \
		LOG_LEVEL=20 SDEI_SUPPORT=1 EL3_EXCEPTION_HANDLING=1 \
		QEMU_USE_GIC_DRIVER=QEMU_GICV3 ARM_LINUX_KERNEL_AS_BL33=1 \
		ENABLE_FEAT_FGT2=2 ENABLE_FEAT_MTE2=2 ENABLE_FEAT_TCR2=2 bl1 bl2 bl31
	cp "$work"/build/qemu/debug/bl{1,2,31}.bin "$out"
	rm -rf "$work"
}

get_tfa()
{
	local patches=$top/patches/tf-a-$tfa_series source

	need_command gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
	debs_of debian-source-tf-a request_tfa_source
	source=$REPLY
	cache_make tf-a "$tfa_series-$(key_of build_tfa "$source" \
		"$(sha256sum <"$patches/series")" "$(cat "$patches"/*.patch | sha256sum)" \
		"$host")" build_tfa "$source" "$patches"
}
