# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Programs of others that read what the tool exports, for its tests.

# pprof as Go has it: the program of the package, which needs nothing of Go.
build_pprof()
{
	local package

	package=$(find "$1" -name 'golang-*-go_*.deb')
	dpkg-deb --fsys-tarfile "$package" |
		tar -x -C "$out" --wildcards --transform 's#.*/##' './usr/lib/go-*/pkg/tool/*/pprof'
	"$out/pprof" -h 2>&1 | grep -q '^usage:'
}

# Only the package itself, without what it depends on. Go 1.25 and later have no pprof in it.
request_go()
{
	use_world "$host_suite" "$host_arch"
	in_world apt-get download "$(newest_package 'golang-1\.(1[0-9]|2[0-4])-go')"
}

get_pprof()
{
	debs_of pprof request_go
	cache_make pprof "$(key_of build_pprof "$REPLY")" build_pprof "$REPLY"
	REPLY+=/pprof
}

# Packages of npm, with the Node.js that they want: the versions and their checksums are in the
# lock file.
readers=tools/pcsample/tests/readers

build_readers()
{
	local node

	cp "$top/$readers"/package{,-lock}.json "$out"
	npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --cache "$out/.npm"
	rm -rf "$out/.npm"
	node=$(echo "$out"/node_modules/node-linux-*)
	mv "$node/bin/node" "$out/node"
	rm -rf "$node"
	"$out/node" --version
}

get_readers()
{
	local packages

	need_command npm npm
	packages=$(cat "$top/$readers"/package{,-lock}.json)
	cache_make readers "$(key_of build_readers "$host_arch" "$packages")" build_readers
}
