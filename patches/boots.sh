# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Booting the kernels of a series, and what goes into the guests for that. Source after lib.sh, with
# `results` and `seconds` set.
# shellcheck disable=SC2154 # what they set

# boot CONFIG TEST [THREADS] [OPTION...]: boots that kernel with options of scripts/vm, and runs a
# script of patches/tests in it. Arguments of the script follow its name with colons in between;
# SECONDS stands for the length of a stress test, OVERLAYS for the folder that has overlays. The
# guest's clock counts its instructions, 8 ns each, so that what the host does besides makes no
# difference but to how long it takes; one thread runs all of its CPUs, on any CPU of the host. With
# THREADS its clock is the host's, and its CPUs run at the same time.
boot()
{
	local config=$1 test clock=(--no-pin --accel 'tcg,thread=single' --qemu-arg -icount
		--qemu-arg 'shift=3,sleep=off')

	IFS=: read -ra test <<<"${2/SECONDS/$seconds}"
	shift 2
	if [ "${1:-}" = THREADS ]; then
		clock=()
		shift
	fi
	ARCH=arm64 CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" "$top/scripts/vm" \
		--kernel "$series_tree/build-$config" --overlay "$results/overlay" \
		--timeout $((1200 + 10 * seconds)) "${clock[@]}" "${@//OVERLAYS/$results}" -- \
		"/tests/${test[0]}.sh" "${test[@]:1}"
}

# Sets up what is laid over the guest's root: the tests, their programs, and what inert.py and
# kexec.sh want of the kernel.
make_overlay()
{
	local source cc=${series_cross-aarch64-linux-gnu-}gcc

	rm -rf "$results/overlay"
	mkdir -p "$results/overlay"
	cp -r "$top/patches/tests" "$results/overlay/tests"
	for source in "$results"/overlay/tests/programs/*.c; do
		"$cc" -O1 -Wall -static -o "${source%.*}" "$source"
	done
	for source in "$results"/overlay/tests/programs/arm/*.c; do
		arm-linux-gnueabi-gcc -O1 -Wall -march=armv7-a -mfloat-abi=soft -ffreestanding \
			-nostdlib -static -o "${source%.*}" "$source"
	done
	for source in "$results"/overlay/tests/programs/*.S; do
		"$cc" -nostdlib -static -o "${source%.*}" "$source"
	done
	"$top/patches/alternatives" "$series_tree/build-base" >"$results/overlay/tests/alternatives"
	build_perf
	get_perf_6_1
	cp -a "$REPLY"/. "$results/overlay/"
	mkdir "$results/overlay/tests/perf"
	"${series_cross-aarch64-linux-gnu-}strip" -o "$results/overlay/tests/perf/perf" \
		"$series_tree/build-perf/perf"
}

# build_perf: that of the kernel's own source. It asks for events in other ways than Debian's. What
# it is to do in the guest is to record.
build_perf()
{
	local without="LIBELF LIBTRACEEVENT JEVENTS LIBPYTHON LIBPERL SLANG LIBBPF CAPSTONE LIBLLVM
		LIBNUMA LIBZSTD LZMA ZLIB OPENSSL AUXTRACE RUST"

	[ "$series_tree/build-perf/perf" -nt "$series_tree/version" ] && return
	mkdir -p "$series_tree/build-perf"
	# shellcheck disable=SC2046,SC2086 # lists of words
	nice make -C "$series_tree/series/tools/perf" O="$series_tree/build-perf" ARCH=arm64 \
		CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" -j"$(nproc)" LDFLAGS=-static \
		BUILD_BPF_SKEL=0 $(printf 'NO_%s=1 ' $without) perf
}

# make_modules_overlay: the module that modules.sh loads
make_modules_overlay()
{
	rm -rf "$results/modules-overlay"
	mkdir -p "$results/modules-overlay/tests"
	cp "$series_tree/build-modules/drivers/hwtracing/coresight/coresight-trbe.ko" \
		"$results/modules-overlay/tests/"
}

# make_kexec_overlay: the kernel that kexec.sh starts, and a root for it whose command is the rest
# of the test. The agent of that root reports to the host as if nothing had happened.
make_kexec_overlay()
{
	local work=$results/kexec-root

	rm -rf "$results/kexec-overlay" "$work"
	mkdir -p "$results/kexec-overlay/tests/kexec" "$work/run/vm"
	cp -r "$results/overlay/tests" "$work/"
	printf '%s\0' /tests/boot.sh interrupts >"$work/run/vm/command"
	get_root
	{
		cat "$REPLY"
		pack_cpio "$work"
	} >"$results/kexec-overlay/tests/kexec/initrd"
	cp "$series_tree/build-base/arch/arm64/boot/Image" "$results/kexec-overlay/tests/kexec/"
}

# The same program traced by exception, by interrupt and where EL3 denies the exception, in three
# boots: what one loses is compared with what the other does.
trace_modes()
{
	ARCH=arm64 CROSS_COMPILE="${series_cross-aarch64-linux-gnu-}" \
		"$top/emulation/tests/trace/run" "$series_tree/build-base"
}
