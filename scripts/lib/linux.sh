# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian's stock arm64 kernels and what is built against them. Everything of one kernel is
# downloaded together, so that headers and image are of one version whatever the archive does.

# The suites to look for a kernel in, best first. The suite of the guest's libraries comes first.
kernel_suites="bookworm trixie"

# A kernel's name is that of a series, 6.12, or of another flavour of it, 6.12-rt. The newest one is
# that of the last suite's backports, of whatever series.
debian_kernels="newest 6.12 6.12-16k 6.12-cloud 6.12-rt 6.1 6.1-cloud 6.1-rt"

is_debian_kernel()
{
	[[ $1 = [0-9a-z]* && " $debian_kernels " = *" $1 "* ]]
}

# request_kernel NAME HOST_ARCH: the image, and the headers to build modules with on such a host.
request_kernel()
{
	local series=${1%%-*} suites=$kernel_suites suite image abi flavour=arm64 common=common

	case $1 in
	newest) series='[0-9]+.[0-9]+' suites=${suites##* } ;;
	*-16k) flavour=arm64-16k ;;
	*-cloud) flavour=cloud-arm64 ;;
	*-rt) flavour=rt-arm64 common=common-rt ;;
	esac
	for suite in $suites; do
		use_world "$suite" arm64
		image=linux-image-${series//./\\.}'\.[0-9][0-9a-z.+~]*(-[0-9]+)?-'$flavour
		image=$(newest_package "$image") || continue
		abi=${image#linux-image-}
		abi=${abi%"-$flavour"}
		in_world apt-get download "$image" "linux-headers-$abi-$flavour" \
			"linux-headers-$abi-$common"
		# After 6.12 the image's package became one without files, which wants these.
		[ -z "$(in_world apt-cache pkgnames "linux-binary-$abi-$flavour")" ] ||
			in_world apt-get download "linux-"{binary,modules,base}"-$abi-$flavour"
		# From 6.1 to 6.12 the build tools' package went from one a series to one a build.
		use_world "$suite" "$2"
		in_world apt-get download "linux-kbuild-$abi" ||
			in_world apt-get download "linux-kbuild-$series"
		[[ "$kernel_suites " != *"$host_suite "*"$suite "* ]] ||
			in_world apt-get download libc6
		return
	done
	return 1
}

# deb_version FILE: the version in a .deb's name, where apt writes a colon as %3a.
deb_version()
{
	local name=${1##*/}

	name=${name#*_}
	name=${name%_*}
	echo "${name//%3a/:}"
}

# kernel_debs NAME: sets REPLY to their folder, and version to the kernel's.
kernel_debs()
{
	debs_of "linux-$1" request_kernel "$1" "$host_arch"
	version=$(deb_version "$REPLY"/linux-image-*.deb)
}

# The kernel, its configuration, and the modules a guest may load. After 6.12 all of them are in one
# folder.
build_kernel()
{
	local deb boot=$out/boot dash=-

	for deb in "$1"/linux-{image,binary,modules,base}-*.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$out"
	done
	if [ ! -d "$boot" ]; then
		mv "$out/usr/lib" "$out"
		boot=$(echo "$out"/lib/modules/*) dash=''
		rm -rf "$boot/dtb"
	fi
	mv "$boot/vmlinuz$dash"* "$out/Image"
	mv "$boot/config$dash"* "$out/config"
	mv "$boot/System.map$dash"* "$out/System.map"
	rm -rf "${out:?}"/{boot,usr}
}

get_kernel()
{
	local version

	kernel_debs "$1"
	cache_make "kernel-$1" "$version-$(key_of build_kernel "$REPLY")" build_kernel "$REPLY"
	REPLY=$REPLY/Image
}

# The device trees that Debian ships with a kernel
build_dtbs()
{
	dpkg-deb --fsys-tarfile "$1"/linux-image-*.deb |
		tar -C "$out" --strip-components=4 -xf - --wildcards './usr/lib/linux-image-*/*.dtb'
	echo "$2" >"$out/version"
}

get_dtbs()
{
	local version

	kernel_debs "$1"
	cache_make "dtbs-$1" "$version-$(key_of build_dtbs "$REPLY")" build_dtbs "$REPLY" "$version"
}

# The build tools of a newer suite than the host's may want a newer C library than the host has. So
# each becomes a script, which runs it with the library of its suite, in the folder libc. Under its
# own name, as Debian's modpost is a program that starts others, whose names begin like its own.
use_own_libc()
{
	local loader program

	loader=$(cd "$out" && find libc/usr -name 'ld-linux-*.so.*' -type f)
	find "$out"/usr/lib/linux-kbuild-*/scripts -type f -perm -u+x | while read -r program; do
		readelf -l "$program" 2>/dev/null | grep -q INTERP || continue
		mv "$program" "$program.elf"
		cat >"$program" <<-END
			#!/bin/sh
			exec $final/$loader --library-path $final/${loader%/*} --argv0 "\$0" \
				$final${program#"$out"}.elf "\$@"
		END
		chmod +x "$program"
	done
}

# Only the makefiles of one or two lines name the place where the package would be installed.
# Without vmlinux kbuild skips BTF, for which it would want pahole and the very same compiler.
# The compiler is the host's, which may be newer or older than the one the kernel was built by. GCC
# from 14 on can align each function, and ftrace relies on it. Without the symbols for that, kbuild
# does what older ones can: it marks no function as cold, as such a one would not be aligned.
build_headers()
{
	local deb headers

	for deb in "$1"/linux-{headers,kbuild}-*.deb; do
		dpkg-deb -x "$deb" "$out"
	done
	for deb in "$1"/libc6_*.deb; do
		[ -e "$deb" ] || continue
		dpkg-deb -x "$deb" "$out/libc"
		use_own_libc
	done
	rm -rf "${out:?}/usr/share"
	headers=$(echo "$out"/usr/src/linux-headers-*arm64*)
	rm -f "$headers/vmlinux"
	find "$out"/usr/src -maxdepth 2 -name Makefile -size -2 \
		-exec sed -i -E "s#([= ])/usr/src/#\1$final/usr/src/#" {} +
	cat >"$headers/.kernelvariables" <<-END
		override ARCH = arm64
		DEBIAN_KERNEL_NO_CC_VERSION_CHECK = y
		override KERNELRELEASE = ${headers##*/linux-headers-}
		CROSS_COMPILE ?= aarch64-linux-gnu-
		export CROSS_COMPILE
	END
	sed -i -E '/CONFIG_CC_HAS_(MIN|SANE)_FUNCTION_ALIGNMENT/d' \
		"$headers/include/config/auto.conf" "$headers/include/generated/autoconf.h"
	ln -s "usr/src/${headers##*/}" "$out/build"
}

get_headers()
{
	local version

	kernel_debs "$1"
	cache_make "headers-$1" "$version-$(key_of build_headers use_own_libc "$REPLY" \
		"$host_arch" "in $cache")" build_headers "$REPLY"
	REPLY=$(realpath "$REPLY/build")
}

# The kernel's source: what is built from it or checked with it, not the kernel itself.
request_linux_source()
{
	local suite

	for suite in $kernel_suites; do
		use_world "$suite" "$host_arch"
		in_world apt-get download "linux-source-$1" && return
	done
	return 1
}

linux_source_parts="tools/lib tools/include tools/build tools/scripts tools/arch
	tools/testing/selftests/lib.mk tools/testing/selftests/kselftest
	tools/testing/selftests/kselftest.h tools/testing/selftests/kselftest_harness.h
	include/uapi include/linux include/dt-bindings arch/arm64/include arch/arm64/tools
	arch/x86/include scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch
	scripts/kernel-doc scripts/Makefile.include drivers/perf
	Documentation/devicetree/bindings"

build_linux_source()
{
	local deb=$1 tar=$1

	shift
	mkdir "$out/deb"
	dpkg-deb -x "$deb"/linux-source-*.deb "$out/deb"
	tar=$(echo "$out"/deb/usr/src/linux-source-*.tar.xz)
	# One pass over the archive; a part that this version lacks is left out.
	xz -dc -T0 "$tar" | tar -C "$out" --strip-components=1 -xf - --wildcards \
		"${@/#/linux-source-*/}" || [ -d "$out/tools/lib/perf" ]
	rm -rf "$out/deb"
	[ -x "$out/scripts/checkpatch.pl" ]
}

get_linux_source()
{
	debs_of "linux-source-$1" request_linux_source "$1"
	# shellcheck disable=SC2086 # a list of words
	cache_make "linux-source-$1" "$(deb_version "$REPLY"/*.deb)-$(key_of build_linux_source \
		"$linux_source_parts" "$REPLY")" build_linux_source "$REPLY" $linux_source_parts
}

# libperf has no Debian package.
cached_libperf()
{
	"$top/tools/pcsample/libperf.sh" "$1" "$out" "$2" "$3"
}

get_libperf()
{
	local arch=$1 cross=''

	if [ "$arch" != "$host_arch" ]; then
		case $arch in
		arm64) cross=aarch64-linux-gnu- ;;
		amd64) cross=x86_64-linux-gnu- ;;
		esac
		need_command "gcc-${cross%-}" "${cross}gcc"
	fi
	get_linux_source 6.12
	cache_make "libperf-$arch" "$(key_of "$(<"$top/tools/pcsample/libperf.sh")" "$REPLY" \
		"$arch" "$cross" "$host")" cached_libperf "$REPLY" "$arch" "$cross"
}

# What the kernel checks device-tree bindings with. It wants a dt-schema of 2024, and Debian 12's is
# older, while Debian 13 has none: that of sid runs from here, with its own Python.
dtschema_programs='dt-doc-validate dt-extract-example dt-mk-schema dt-validate yamllint'

build_dtschema()
{
	local program loader python

	build_unpacked "$1"
	loader=$(find "$out/usr" -name 'ld-linux-*.so.*' -type f)
	loader=${loader#"$out/"}
	python=$(cd "$out" && echo usr/bin/python3.*[0-9])
	mkdir "$out/bin"
	for program in $dtschema_programs; do
		cat >"$out/bin/$program" <<-END
			#!/bin/sh
			root=$final
			PYTHONHOME=\$root/usr exec "\$root/$loader" --library-path \
				"\$root/${loader%/*}" "\$root/$python" \
				"\$root/usr/bin/$program" "\$@"
		END
		chmod +x "$out/bin/$program"
	done
}

# In the cache's folder bin
get_dtschema()
{
	debs_of dtschema request_closure sid "$host_arch" dt-schema yamllint
	cache_make dtschema "$(key_of build_dtschema "$dtschema_programs" "$REPLY" "in $cache")" \
		build_dtschema "$REPLY"
}

get_checkpatch()
{
	get_linux_source 6.12
	REPLY=$REPLY/scripts/checkpatch.pl
}

# The smallest kernel that runs KUnit tests: User-mode Linux, a process of this machine. Its root is
# a folder of the host's.
# UBSan sees to the tests; of the kernel itself it complains where alignment is checked.
kernel_kunit_config="64BIT=y PRINTK=y BINFMT_ELF=y HOSTFS=y MODULES=y KUNIT=y UBSAN=y
	UBSAN_ALIGNMENT=n NULL_CHAN=y KERNEL_STACK_ORDER=4"

# Of the tree stays what modules are built with, and the kernel. 2.5 minutes of processor time.
build_kernel_kunit()
{
	local work

	work=$(mktemp -d)
	mkdir "$work/deb" "$work/linux"
	dpkg-deb -x "$1"/linux-source-*.deb "$work/deb"
	xz -dc -T0 "$work"/deb/usr/src/linux-source-*.tar.xz |
		tar -C "$work/linux" --strip-components=1 -xf -
	# User-mode Linux of 6.12 has room for the registers of AVX-512 in what it gives back to
	# PTRACE_SETREGSET, which takes no part of what the host's CPU has: 11008 bytes with AMX.
	sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' \
		"$work/linux/arch/x86/um/user-offsets.c"
	make -s -C "$work/linux" ARCH=um tinyconfig
	# shellcheck disable=SC2086 # a list of words
	printf 'CONFIG_%s\n' $2 >>"$work/linux/.config"
	make -s -C "$work/linux" ARCH=um olddefconfig
	grep -qx CONFIG_KUNIT=y "$work/linux/.config"
	nice make -s -C "$work/linux" ARCH=um -j "$(nproc)"
	(cd "$work/linux" && cp -a --parents Makefile .config Module.symvers linux include scripts \
		arch/um arch/x86/Makefile* arch/x86/include arch/x86/um arch/x86/entry "$out")
	rm -rf "$work"
}

get_kernel_kunit()
{
	debs_of linux-source-6.12 request_linux_source 6.12
	cache_make kernel-kunit "$(deb_version "$REPLY"/*.deb)-$(key_of build_kernel_kunit \
		"$kernel_kunit_config" "$host")" build_kernel_kunit "$REPLY" \
		"$kernel_kunit_config"
}
