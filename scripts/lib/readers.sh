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

# request_go SUITE: only the package itself, without what it depends on. Go 1.25 and later have no
# pprof in it.
request_go()
{
	use_world "$1" "$host_arch"
	in_world apt-get download "$(newest_package 'golang-1\.(1[0-9]|2[0-4])-go')"
}

get_pprof()
{
	debs_of pprof request_go "$host_suite"
	cache_make pprof "$(key_of build_pprof "$REPLY")" build_pprof "$REPLY"
	REPLY+=/pprof
}

# Packages of npm, with the Node.js that they want: the versions and their checksums are in the
# lock file.
readers=tools/pcsample/tests/readers

build_readers()
{
	local node

	"$top/scripts/host-packages" --npm
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

	packages=$(cat "$top/$readers"/package{,-lock}.json)
	cache_make readers "$(key_of build_readers "$host_arch" "$packages")" build_readers
}

# ClickHouse's own code as a library for Node.js, for tests of a fleet: half a gigabyte
fleet=tools/pcsample/tests/fleet

build_chdb()
{
	"$top/scripts/host-packages" --npm
	cp "$top/$fleet"/package{,-lock}.json "$out"
	# Not `npm ci`, which asks for the engines of all other systems to be in the lock file
	npm install --prefix "$out" --ignore-scripts --no-audit --no-fund --cache "$out/.npm"
	rm -rf "$out/.npm"
	ls "$out"/node_modules/@chdb/lib-linux-*
}

get_chdb()
{
	local packages

	packages=$(cat "$top/$fleet"/package{,-lock}.json)
	cache_make chdb "$(key_of build_chdb "$host_arch" "$packages")" build_chdb
}

# Debian 12's ClickHouse server, which is of 2018, with its libraries: it is run from here and
# installed nowhere. Debian 13 has none.
get_clickhouse()
{
	debs_of clickhouse request_closure bookworm amd64 clickhouse-server tzdata
	cache_make clickhouse "$(key_of build_unpacked "$REPLY")" build_unpacked "$REPLY"
}
