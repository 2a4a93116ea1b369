# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What making and testing Debian packages share: the Debians that they are built and tried in, and
# building. After common.sh.

. "$top/scripts/lib/cache.sh"
. "$top/scripts/lib/apt.sh"
. "$top/scripts/lib/qemu.sh"
. "$top/scripts/lib/debian.sh"

# Sets version to that of the tool, which is that of the release and of its packages.
package_version()
{
	version=$(sed -n 's/^#define PCSAMPLE_VERSION "\(.*\)"/\1/p' \
		"$top/tools/pcsample/commands/command.h")
	[ -n "$version" ] || die "tools/pcsample/commands/command.h has no version"
}

# The architecture that packages are cross-built for here
other_arch()
{
	case $host_arch in
	amd64) echo arm64 ;;
	arm64) echo amd64 ;;
	esac
}

need_root()
{
	[ "$(id -u)" = 0 ] || die "only root can make a Debian to build and try packages in"
}

# with_packages SUITE BUILDER WORD...: for cache_make
with_packages()
{
	local suite=$1 sources=$out/sources.list

	shift
	debian_sources "$suite" >"$sources"
	archives_into "$out/root" "$suite"
	"$@"
	archives_from "$out/root" "$suite"
	rm -f "$out"/root/var/cache/apt/archives/*.deb
}

# Where packages are built: what debian/control asks for, for both architectures, and what every
# Debian that builds packages has
make_build_root()
{
	local suite=$1 other=$2

	make_debian "$out/root" "$suite" "$sources" --architectures="$host_arch,$other" \
		--skip=cleanup/apt/lists \
		--include="build-essential,crossbuild-essential-$other,e2fsprogs,tzdata,xz-utils"
	mkdir -p "$out/root/build" "$out/root/tmp/debian"
	cp "$top/debian/control" "$top/debian/changelog" "$out/root/tmp/debian"
	# shellcheck disable=SC2016 # for that shell to expand
	in_debian "$out/root" /tmp bash -e -c '
		apt-get -q -y --no-install-recommends build-dep .
		apt-get -q -y --no-install-recommends -a "$1" --arch-only build-dep .
	' bash "$other"
	rm -r "$out/root/tmp/debian"
}

# get_build_root SUITE: sets REPLY. Nothing in it changes after that.
get_build_root()
{
	local depends

	depends=$(sed -n '/^Build-Depends/,/^$/p' "$top/debian/control")
	cache_make "packages-build-$1" "$(key_of with_packages make_build_root make_debian \
		"$depends" "$host" "$1")" with_packages "$1" make_build_root "$1" "$(other_arch)"
	REPLY=$REPLY/root
}

make_plain_root()
{
	make_debian "$out/root" "$1" "$sources" --include="$2"
	mkdir -p "$out/root/build"
}

# get_plain_root NAME SUITE PACKAGES: sets REPLY to a Debian that has these, in a list with commas
get_plain_root()
{
	cache_make "packages-$1-$2" "$(key_of with_packages make_plain_root make_debian "$host" \
		"$3")" with_packages "$2" make_plain_root "$2" "$3"
	REPLY=$REPLY/root
}

# in_release ROOT TARBALL WORK DIR COMMAND...: unpacks the release in WORK/DIR, which the Debian in
# ROOT has as /build/DIR, and runs COMMAND there, in the release's own folder. Nobody in there has a
# network.
in_release()
{
	local root=$1 tarball=$2 work=$3 dir=$4 binds=("$3:/build")

	shift 4
	mkdir -p "$work/$dir"
	tar -C "$work/$dir" --no-same-owner -xf "$tarball"
	# shellcheck disable=SC2016 # for that shell to expand
	unchanged=yes in_debian "$root" "/build/$dir" unshare --net bash -e -c '
		cd pcsample-*
		exec "$@"
	' bash "$@"
}

# build_packages SUITE ARCH TARBALL OUT [DIR [ZONE]]: builds the release in TARBALL for ARCH, in
# the folder /build/DIR and the time zone ZONE, and leaves the packages in OUT. What the build
# prints is in OUT/ARCH.log.
build_packages()
{
	local suite=$1 arch=$2 tarball=$3 out=$4 dir=${5:-pcsample} zone=${6:-UTC} work
	local how=(-F) status

	[ "$arch" = "$host_arch" ] || how=(-B "-a$arch")
	get_build_root "$suite"
	mkdir -p "$out"
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/pcsample-packages.XXXXXX")
	: >"$out/$arch.log"
	attempt "$out/$arch.log" in_release "$REPLY" "$tarball" "$work" "$dir" env TZ="$zone" \
		DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
		dpkg-buildpackage -us -uc "${how[@]}"
	[ "$status" != 0 ] ||
		find "$work/$dir" -maxdepth 1 -type f -exec cp {} "$out" \;
	rm -rf "$work"
	[ "$status" = 0 ] || {
		tail -n 40 "$out/$arch.log" >&2
		die "no packages for $arch in $suite; all of it is in $out/$arch.log"
	}
}
