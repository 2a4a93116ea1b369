# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian packages of other suites and other architectures than the host's, without touching the
# host: apt is run with lists, state and configuration of its own. The archives' addresses are those
# of the host's own sources, so a mirror, a proxy or a cache that serves the host serves us too.

# Sets archive and security to the addresses the host takes Debian and its security updates from.
# `apt-get indextargets` reads both formats of sources and needs no downloaded list.
apt_archives()
{
	local uri release component origin

	[ -n "${host_suite:-}" ] || need_debian
	archive='' security=''
	# shellcheck disable=SC2016 # apt's variables, not the shell's
	while read -r uri release component origin; do
		[ "$component" = main ] || continue
		case $uri:$origin in
		cdrom:*) continue ;;
		*:Debian | *:*ORIGIN*) ;;
		*) continue ;;		# somebody else's archive with suites named as Debian's
		esac
		case $release in
		"$host_suite" | stable | oldstable) : "${archive:=$uri}" ;;
		"$host_suite-security" | stable-security | oldstable-security)
			: "${security:=$uri}"
			;;
		esac
	done < <(apt-get indextargets --no-release-info \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages')
	[ -n "$archive" ] || die "no source for Debian $host_suite main in /etc/apt"
}

# use_world SUITE ARCH: sets world to the folder of a private apt for that suite with its updates,
# security updates and backports, of which sid has none. ARCH `source` stands for the source
# packages. The folder's files name the archive, the keyring and the cache: its own name depends on
# them.
use_world()
{
	make_world "$1" "$2"
	update_world
}

make_world()
{
	local suite=$1 arch=$2 type=deb keyring options='' pocket pockets

	apt_archives
	for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ ! -e "$keyring" ] || options=signed-by=$keyring
	done
	pockets=("$suite" "$suite-updates" "$suite-backports")
	if [ "$suite" = sid ]; then
		pockets=(sid)
		security=''
		# Its Release file is valid for a week; a mirror that stands still keeps it longer.
		options+=" check-valid-until=no"
	fi
	options=${options:+[${options# }] }
	world=$cache/apt/$suite-$arch-$(key_of make_world "$archive" "$security" "$options" \
		"in $cache")
	[ ! -e "$world/ready" ] || return 0

	if [ "$arch" = source ]; then
		type='deb-src'
		arch=$host_arch
	fi
	mkdir -p "$world/lists/partial" "$world/archives/partial"
	: >"$world/status"
	for pocket in "${pockets[@]}"; do
		echo "$type $options$archive $pocket main"
	done >"$world/sources.list"
	[ -z "$security" ] ||
		echo "$type $options$security $suite-security main" >>"$world/sources.list"
	cat >"$world/apt.conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
		APT::Architecture "$arch";
		APT::Architectures:: "$arch";
		APT::Default-Release "";
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Dir::Etc::SourceList "$world/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$world";
		Dir::State::Lists "$world/lists";
		Dir::State::Status "$world/status";
		Dir::State::Extended_States "$world/extended_states";
		Dir::Cache "$world";
		Dir::Cache::Archives "$world/archives";
		Dir::Cache::PkgCache "$world/pkgcache.bin";
		Dir::Cache::SrcPkgCache "$world/srcpkgcache.bin";
		Dir::Log "$world";
	END
	: >"$world/ready"
}

# The lists of a world are taken anew when they are older than a day, or five minutes if a try with
# them failed. A suite that the archive has dropped is no reason to do without the others.
update_world()
{
	local minutes=1440

	[ -z "${lists:-}" ] || minutes=5
	[ -z "$(find "$world/updated" -mmin "-$minutes" 2>/dev/null)" ] || return 0
	if apt-get -c "$world/apt.conf" -qq update; then
		touch "$world/updated"
	else
		echo "apt-get update of $world: not everything could be had"
	fi
}

in_world()
{
	local command=$1

	shift
	"$command" -q -c "$world/apt.conf" "$@"
}

# newest_package REGEX: the highest version among the names that match.
newest_package()
{
	local name

	name=$(in_world apt-cache pkgnames | grep -Ex -- "$1" | sort -V | tail -n 1) || true
	[ -n "$name" ] || {
		echo "no package $1 in $world"
		return 1
	}
	echo "$name"
}

# debs_of NAME REQUEST [ARG...]: sets REPLY to a folder of packages that were chosen and downloaded
# together. REQUEST is called with ARGs, in the folder to fill. What has been downloaded once is
# used from then on, whatever the archive does; `scripts/get --update` looks for newer packages.
debs_of()
{
	local name=$1 lock link new key log status

	shift
	link=$cache/debs/$name/.$(key_of "$@")
	if [ ! -d "$link" ] || [ -n "${update:-}" ]; then
		mkdir -p "$cache/debs/$name"
		# One download at a time: they share the private lists.
		exec {lock}>"$cache/debs/.lock"
		flock "$lock"
		if [ ! -d "$link" ] || [ -n "${update:-}" ]; then
			rm -rf "$cache/debs/$name"/.new.*
			new=$(mktemp -d "$cache/debs/$name/.new.XXXXXX")
			chmod 755 "$new"
			log=$cache/debs/$name/.log
			: >"$log"
			say "pcsample: downloading the packages of $name"
			attempt "$log" debs_try "$new" "${update:-}" "$@"
			if [ "$status" != 0 ]; then
				# Fresh lists: the version asked for may have been superseded.
				rm -rf "${new:?}"/*
				attempt "$log" debs_try "$new" now "$@"
			fi
			if [ "$status" = 0 ]; then
				key=$(cd "$new" && sha256sum -- * | sha256sum | cut -c1-12)
				[ -d "$cache/debs/$name/$key" ] ||
					mv -T "$new" "$cache/debs/$name/$key"
				ln -sfn "$key" "$link.new"
				mv -T "$link.new" "$link"
			elif [ -d "$link" ]; then
				say "pcsample: $name stays as it is: see $log"
			else
				tail -n 20 "$log" >&2
				die "the packages of $name cannot be had; all of it is in $log"
			fi
			rm -rf "$new"
		fi
		exec {lock}>&-
	fi
	REPLY=$(realpath "$link")
}

debs_try()
{
	local lists=$2

	cd "$1" || return
	shift 2
	"$@"
	[ -n "$(ls)" ]
}

# request_closure SUITE ARCH PACKAGE...: the packages and all they depend on, as for an empty
# system. A PACKAGE may be NAME=VERSION.
request_closure()
{
	local suite=$1 arch=$2

	shift 2
	use_world "$suite" "$arch"
	mkdir -p partial
	in_world apt-get -o "Dir::Cache::Archives=$PWD" --yes --download-only install "$@"
	rm -rf partial lock
}

# build_unpacked DEBS: for cache_make, an entry with the content of the packages in the folder DEBS
build_unpacked()
{
	local deb

	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$out"
	done
}
