# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every script here starts with: strict mode, the top of the tree, messages and the machine
# the project is built on. Source it, do not run it.

set -Eeuo pipefail
shopt -s inherit_errexit
# What nobody caught is not silent either.
trap '[[ $- != *e* ]] || echo "${0##*/}: line $LINENO of ${BASH_SOURCE[0]} failed" >&2' ERR

# shellcheck disable=SC2034 # for those who source this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pcsample

# One line of progress, to stderr: stdout belongs to the result.
say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	say "${0##*/}: $*"
	exit 1
}

# use_ccache: what is compiled from here on is compiled once for all clones of the tree, unless the
# user has settings of their own. A path below the tree counts as relative to it, and where that is
# does not count: debug information is the only thing it would change.
use_ccache()
{
	[ -d /usr/lib/ccache ] || return 0
	[[ :$PATH: == *:/usr/lib/ccache:* ]] || export PATH=/usr/lib/ccache:$PATH
	export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-2G}
	export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1
}

os_release=/etc/os-release

# Sets host_arch (amd64 or arm64), host_suite (bookworm or trixie) and host, which is both of them,
# or ends with one line.
need_debian()
{
	local id=unknown version=""

	if [ -r "$os_release" ]; then
		# shellcheck source=/dev/null
		id=$(. "$os_release" && echo "${ID:-unknown}")
		# shellcheck source=/dev/null
		version=$(. "$os_release" && echo "${VERSION_ID:-}")
	fi
	case $id:$version in
	debian:12) host_suite=bookworm ;;
	debian:13) host_suite=trixie ;;
	*) die "this needs Debian 12 or 13, and this host is ${id}${version:+ $version}" ;;
	esac

	host_arch=$(dpkg --print-architecture)
	case $host_arch in
	amd64 | arm64) ;;
	*) die "this needs an x86-64 or arm64 host, and this one is $host_arch" ;;
	esac
	host=$host_suite-$host_arch
	# shellcheck disable=SC2034
	readonly host_suite host_arch host
}

# need_command PACKAGE COMMAND...: the packages are those of scripts/host-packages.
need_command()
{
	local package=$1 command

	shift
	for command; do
		command -v "$command" >/dev/null ||
			die "$command is missing: apt-get install $package"
	done
}
