# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian's arm64 packages, unpacked in the cache: what the tool is cross-built against, and the root
# of the guest. Both are of one suite, so what is built here runs there.

arm64_suite=bookworm

sysroot_packages="libc6-dev libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev
	libncurses-dev libcapstone-dev libprotobuf-c-dev libiberty-dev"

# An absolute link would lead out of the sysroot, into the host.
build_sysroot()
{
	local deb link

	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$out"
	done
	rm -rf "${out:?}"/usr/share "${out:?}"/{bin,sbin,etc,var} "${out:?}"/usr/{bin,sbin}
	find "$out" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$out$(readlink "$link")" "$link"
	done
}

get_sysroot()
{
	# shellcheck disable=SC2086 # a list of words
	debs_of sysroot-arm64 request_closure "$arm64_suite" arm64 $sysroot_packages
	cache_make sysroot-arm64 "$(key_of build_sysroot "$REPLY")" build_sysroot "$REPLY"
}
