# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian's arm64 packages, unpacked in the cache: what the tool is cross-built against, and the root
# of the guest. Both are of one suite, so what is built here runs there.

arm64_suite=bookworm

sysroot_packages="libc6-dev libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev
	libncurses-dev libcapstone-dev libprotobuf-c-dev libiberty-dev libdebuginfod-dev
	libtraceevent-dev"

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

# The guest's root: busybox, perf, and real programs to profile. Of the packages only what these
# programs need goes in, as the whole of it is unpacked into memory at each boot.

root_packages="busybox xz-utils sqlite3 python3 openssl lua5.4 binutils libcapstone4
	libprotobuf-c1 libtraceevent1 libncursesw6"

# Debian's programs are stripped, and the archive of their symbols is not on every mirror. These are
# the symbols that the main archive has.
root_symbols="libc6-dbg python3.11-dbg liblua5.4-0-dbg libbinutils-dbg
	binutils-aarch64-linux-gnu-dbg"

# The libraries named here are those that our tool wants besides perf's.
root_files="/usr/bin/busybox /usr/bin/perf /usr/bin/xz /usr/bin/sqlite3 /usr/bin/openssl
	/usr/bin/python3 /usr/bin/lua5.4 /usr/bin/objdump /usr/lib/ld-linux-aarch64.so.1
	/usr/lib/aarch64-linux-gnu/libcapstone.so.4 /usr/lib/aarch64-linux-gnu/libprotobuf-c.so.1
	/usr/lib/aarch64-linux-gnu/libncursesw.so.6
	/usr/lib/aarch64-linux-gnu/libtraceevent.so.1"

# Folders of Python's library that no program here imports
root_python_without="test unittest idlelib tkinter pydoc_data ensurepip lib2to3 distutils asyncio
	email xml xmlrpc http html wsgiref multiprocessing concurrent curses dbm logging venv ctypes
	lib-dynload config-*"

# perf_of VERSION: the newest package of that version of the kernel. In the world in use.
perf_of()
{
	in_world apt-cache madison linux-perf | awk -v of="$1." '
		index($3, of) == 1 { print "linux-perf=" $3 }' | sort -V | tail -n 1
}

# request_root PACKAGES SYMBOLS: the packages with all they depend on, the symbols without. A perf
# of 6.12 knows all that one of 6.1 does, and runs on both kernels.
request_root()
{
	use_world "$arm64_suite" arm64
	# shellcheck disable=SC2046,SC2086 # lists of words
	request_closure "$arm64_suite" arm64 $(perf_of 6.12) $1
	# shellcheck disable=SC2086
	in_world apt-get download $2
}

# A tree in which /bin, /sbin and /lib are links, as on an installed Debian
make_merged_root()
{
	mkdir -p "$1"/usr/{bin,sbin,lib}
	ln -s usr/bin usr/sbin usr/lib "$1"
}

# copy_file FROM TO FILE: a file of the tree FROM, with what it is a link to or linked with.
copy_file()
{
	local from=$1 to=$2 file=$3 library path

	[ ! -e "$to$file" ] && [ ! -L "$to$file" ] || return 0
	mkdir -p "$to${file%/*}"
	cp -a "$from$file" "$to$file"
	if [ -L "$from$file" ]; then
		path=$(realpath "$from$file")
		copy_file "$from" "$to" "${path#"$from"}"
		return
	fi
	while read -r library; do
		for path in /usr/lib/aarch64-linux-gnu /usr/lib; do
			[ ! -e "$from$path/$library" ] || copy_file "$from" "$to" "$path/$library"
		done
	done < <(readelf -d "$from$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
}

# Symbols of the files that come with a package of them, where perf and our tool look by build id.
# The line tables, nine tenths of it, stay behind.
copy_symbols()
{
	local from=$1 to=$2 file id

	find "$to/usr" -type f \( -name '*.so*' -o -path '*/bin/*' \) | while read -r file; do
		id=$(readelf -n "$file" 2>/dev/null |
			sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p')
		file=/usr/lib/debug/.build-id/$id.debug
		if [ -n "$id" ] && [ -e "$from$file" ]; then
			mkdir -p "$to${file%/*}"
			aarch64-linux-gnu-objcopy --strip-debug "$from$file" "$to$file"
		fi
	done
}

# pack_cpio DIR: the folder as an archive the kernel unpacks, one of several in a row if need be.
# Uncompressed is fastest: the kernel takes longer to inflate than the host to copy.
pack_cpio()
{
	(
		cd "$1"
		find . -mindepth 1 -print0 | LC_ALL=C sort -z |
			cpio --quiet -o -0 -H newc -R 0:0 --reproducible
	)
}

build_root()
{
	local debs=$1 work from to file

	shift
	work=$(mktemp -d)
	from=$work/from
	to=$work/to

	make_merged_root "$from"
	for file in "$debs"/*.deb; do
		dpkg-deb --fsys-tarfile "$file" | tar -C "$from" --keep-directory-symlink -xf -
	done

	make_merged_root "$to"
	mkdir -p "$to"/{dev,etc/ssl,out,proc,root,run,sys,tmp,usr/local/bin,var}
	for file; do
		copy_file "$from" "$to" "$file"
	done
	cp -a "$from"/usr/lib/python3.* "$to/usr/lib/"
	for file in $root_python_without; do
		# shellcheck disable=SC2086 # the last one is a pattern
		rm -rf "$to"/usr/lib/python3.*/$file
	done
	mkdir -p "$(echo "$to"/usr/lib/python3.*)/lib-dynload"	# or Python complains at each start
	cp "$from/etc/ssl/openssl.cnf" "$to/etc/ssl/"
	ln -s /etc/ssl "$to/usr/lib/ssl"
	copy_symbols "$from" "$to"

	ln -s busybox "$to/usr/bin/sh"
	install "$top/scripts/guest/init" "$to/init"
	aarch64-linux-gnu-gcc -Wall -Wextra -O2 -static -s -o "$to/usr/bin/agent" \
		"$top/scripts/guest/agent.c"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$to/etc/passwd"
	echo 'root:x:0:' >"$to/etc/group"

	pack_cpio "$to" >"$out/root.cpio"
	rm -rf "$work"
}

get_root()
{
	local inputs

	inputs=$(sha256sum "$top"/scripts/guest/{agent.c,init} | cut -d' ' -f1)
	debs_of root request_root "$root_packages" "$root_symbols"
	# shellcheck disable=SC2086 # a list of words
	cache_make root "$(key_of build_root make_merged_root copy_file copy_symbols pack_cpio \
		"$root_files" "$root_python_without" "$inputs" "$REPLY" "$host")" \
		build_root "$REPLY" $root_files
	REPLY=$REPLY/root.cpio
}

# Programs that test other people's kernels, as a folder that is laid over the guest's root: of
# their many libraries only those that they are linked with

build_strangers()
{
	local debs=$1 work file

	shift
	work=$(mktemp -d)
	make_merged_root "$work"
	for file in "$debs"/*.deb; do
		dpkg-deb --fsys-tarfile "$file" | tar -C "$work" --keep-directory-symlink -xf -
	done
	for file; do
		copy_file "$work" "$out" "$file"
	done
	rm -rf "$work"
}

get_strangers()
{
	debs_of strangers request_closure "$arm64_suite" arm64 stress-ng trinity
	cache_make strangers "$(key_of build_strangers make_merged_root copy_file "$REPLY")" \
		build_strangers "$REPLY" /usr/bin/stress-ng /usr/bin/trinity
}

# Debian's modprobe, which takes its rules as udev does, as a folder that is laid over the guest's
# root in place of busybox's.

build_kmod()
{
	local work deb name

	work=$(mktemp -d)
	make_merged_root "$work"
	for deb in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$work" --keep-directory-symlink -xf -
	done
	copy_file "$work" "$out" /usr/bin/kmod
	mkdir -p "$out/usr/sbin"
	for name in depmod insmod lsmod modinfo modprobe rmmod; do
		ln -s ../bin/kmod "$out/usr/sbin/$name"
	done
	rm -rf "$work"
}

get_kmod()
{
	debs_of kmod request_closure "$arm64_suite" arm64 kmod
	cache_make kmod "$(key_of build_kmod make_merged_root copy_file "$REPLY")" build_kmod \
		"$REPLY"
}

# The perf of Debian 12's own kernel, which asks for events in other ways than later ones do, as a
# folder that is laid over the guest's root. That has its libraries but for one.

request_perf_6_1()
{
	use_world "$arm64_suite" arm64
	# shellcheck disable=SC2046 # a word
	in_world apt-get download $(perf_of 6.1) libcap2
}

build_perf_6_1()
{
	local work deb

	work=$(mktemp -d)
	make_merged_root "$work"
	for deb in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$work" --keep-directory-symlink -xf -
	done
	mkdir -p "$out/tests/perf-6.1"
	cp "$work/usr/bin/perf" "$out/tests/perf-6.1/"
	copy_file "$work" "$out" /usr/lib/aarch64-linux-gnu/libcap.so.2
	rm -rf "$work"
}

get_perf_6_1()
{
	debs_of perf-6.1 request_perf_6_1
	cache_make perf-6.1 "$(key_of build_perf_6_1 make_merged_root copy_file "$REPLY")" \
		build_perf_6_1 "$REPLY"
}
