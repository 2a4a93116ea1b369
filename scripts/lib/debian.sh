# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debians of our own, as folders: made by mmdebstrap from the host's own sources, and entered as
# machines of their own, with the host's kernel. Only root can do either. Nothing is installed on
# the host: mmdebstrap is unpacked in the cache, unless the variable of that name says where it is,
# and so is the emulator that runs programs of arm64.
mmdebstrap=''

request_mmdebstrap()
{
	use_world "$host_suite" "$host_arch"
	in_world apt-get download mmdebstrap
}

get_mmdebstrap()
{
	debs_of mmdebstrap request_mmdebstrap
	cache_make mmdebstrap "$(key_of build_unpacked "$REPLY")" build_unpacked "$REPLY"
	REPLY=$REPLY/usr/bin/mmdebstrap
}

# debian_sources SUITE: Debian's archives as this host reaches them
debian_sources()
{
	local archive security

	apt_archives
	echo "deb $archive $1 main"
	echo "deb $archive $1-updates main"
	[ -z "$security" ] || echo "deb $security $1-security main"
}

debian_apt_options()
{
	apt-config dump | grep -iE '^Acquire::(https?|ftp)::|^Acquire::ForceIPv' || true
	echo 'Acquire::Retries "3";'
}

# archives_into ROOT SUITE, archives_from ROOT SUITE: the packages that one Debian has downloaded
# are there for the next.
archives_into()
{
	mkdir -p "$cache/archives/$2" "$1/var/cache/apt/archives"
	copy_archives "$cache/archives/$2" "$1/var/cache/apt/archives"
}

archives_from()
{
	copy_archives "$1/var/cache/apt/archives" "$cache/archives/$2"
	find "$cache/archives/$2" -name '*.deb' -mtime "+$cache_days" -delete
}

copy_archives()
{
	find "$1" -maxdepth 1 -name '*.deb' -exec touch -c {} +
	cp -lun "$1"/*.deb "$2" 2>/dev/null || cp -un "$1"/*.deb "$2" 2>/dev/null || true
}

# Whoever is between this host and the archives may have a certificate of his own
certificates=/etc/ssl/certs/ca-certificates.crt

# make_debian ROOT SUITE SOURCES [OPTION...]: a minimal Debian in the new folder ROOT, with what the
# options of mmdebstrap add. SOURCES is a file of apt's. One of arm64 is made by the function that
# under names.
under=''
make_debian()
{
	local root=$1 suite=$2 sources=$3 options program=$mmdebstrap status=0

	shift 3
	if [ -z "$program" ]; then
		get_mmdebstrap
		program=$REPLY
	fi
	mkdir -p "$root"
	options=$(mktemp)
	debian_apt_options >"$options"
	# Nobody needs what is unpacked here after a power failure. mmdebstrap mounts /proc and /sys
	# in the new Debian, which this host does not see, and which end with it if it is killed.
	${under:+"$under"} unshare --mount "$program" --quiet --mode=root --variant=minbase \
		--format=directory --aptopt="$options" --dpkgopt=force-unsafe-io \
		--skip=check/empty,download/empty,essential/unlink,cleanup/apt/cache "$@" \
		"$suite" "$root" "$sources" </dev/null || status=$?
	rm "$options"
	[ "$status" = 0 ] || return "$status"
	cp -L /etc/resolv.conf /etc/hosts "$root/etc"
	[ ! -s "$certificates" ] || install -D -m 644 "$certificates" "$root/$certificates"
}

# The network of this host: proxies, and certificates for what does not ask the system's
network=("NODE_EXTRA_CA_CERTS=$certificates")
for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
	[ -z "${!name:-}" ] || network+=("$name=${!name}")
done

# in_debian ROOT DIR COMMAND...: runs it there, in DIR. The words FROM:TO of the array binds are
# folders of this machine to be seen there, too. A root of its own, not chroot(2): perf enters mount
# namespaces, and would be outside then. With a value in the variable unchanged nothing there can be
# written to but these folders and /tmp, which is empty.
binds=() unchanged=''
in_debian()
{
	local root=$1 dir=$2 home=${home:-/root}

	shift 2
	# shellcheck disable=SC2016 # for that shell to expand
	unshare --mount bash -e -c '
		root=$1 dir=$2 binds=$3 unchanged=$4
		shift 4
		mount --bind "$root" "$root"
		[ -z "$unchanged" ] || {
			mount -o remount,bind,ro "$root"
			mount -t tmpfs -o mode=1777 tmp "$root/tmp"
		}
		for bind in $binds; do
			[ -n "$unchanged" ] || mkdir -p "${bind%%:*}" "$root${bind#*:}"
			mount --bind "${bind%%:*}" "$root${bind#*:}"
		done
		mount -t proc proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		cd "$root"
		pivot_root . mnt
		cd /
		umount -l /mnt
		cd "$dir"
		exec "$@"
	' bash "$root" "$dir" "${binds[*]}" "$unchanged" env -i HOME="$home" TERM=dumb \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin "${network[@]}" "$@" </dev/null
}

# Programs of arm64

request_qemu_user()
{
	use_world "$qemu_suite" "$host_arch"
	in_world apt-get download qemu-user
}

get_qemu_user()
{
	debs_of qemu-user request_qemu_user
	cache_make qemu-user "$(key_of build_unpacked "$REPLY")" build_unpacked "$REPLY"
	REPLY=$REPLY/usr/bin/qemu-aarch64
}

# The header of an ELF file of arm64 and which of its bits count, as binfmt_misc takes them
elf_arm64='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
elf_arm64+=':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# with_arm64 COMMAND...: runs it where programs of arm64 run as the host's own do. Each user
# namespace has registrations of its own, from Linux 6.7 on: those of the host stay as they are. All
# users are the same inside and outside; only somebody outside can say so.
with_arm64()
{
	local emulator go pid status=0

	if [ "$host_arch" = arm64 ]; then
		"$@"
		return
	fi
	get_qemu_user
	emulator=$REPLY
	go=$(mktemp -u)
	mkfifo "$go"
	# shellcheck disable=SC2016 # for that shell to expand
	unshare --user --mount --pid --fork --kill-child bash -e -c '
		read -r <"$1"
		mount -t proc proc /proc
		mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || {
			echo "emulating arm64 programs takes Linux 6.7"
			exit 1
		}
		printf "%s" ":arm64:M::$3:$2:FC" >/proc/sys/fs/binfmt_misc/register
		shift 3
		exec "$@"
	' bash "$go" "$emulator" "$elf_arm64" "$@" &
	pid=$!
	until [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do
		sleep 0.02
	done
	echo '0 0 65536' >"/proc/$pid/uid_map"
	echo '0 0 65536' >"/proc/$pid/gid_map"
	echo >"$go"
	wait "$pid" || status=$?
	rm -f "$go"
	return "$status"
}
