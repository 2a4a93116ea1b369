#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which optional libraries does this compiler find? Prints make variables: FEATURE_CPPFLAGS with
# HAVE_X=1 or HAVE_X=0 for every feature, FEATURE_LIBS, and FEATURE_X=y for those that are there.
# A library that the tool cannot do without and that is missing ends the build with its package.
#
# Environment: CC, FLAGS (to compile and link), LIBPERF (directory, may be empty).

set -euo pipefail

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cppflags=
libs=

# links HEADERS SYMBOL LIBS: does a program that uses SYMBOL build?
links() {
	local header

	for header in $1; do
		echo "#include <$header>"
	done > "$tmp/probe.c"
	echo "int main(void) { return !(void *)$2; }" >> "$tmp/probe.c"
	# shellcheck disable=SC2086 # FLAGS, CC and libraries are lists of words
	$CC $FLAGS -o "$tmp/probe" "$tmp/probe.c" $3 > "$tmp/log" 2>&1
}

# need PACKAGE HEADERS SYMBOL LIBS
need() {
	if ! links "$2" "$3" "$4"; then
		echo "features.sh: $CC finds no $2; on Debian: apt-get install $1" >&2
		exit 1
	fi
}

# want FEATURE PACKAGE HEADERS SYMBOL LIBS
want() {
	if links "$3" "$4" "$5"; then
		cppflags+=" -DHAVE_$1=1"
		libs+=" $5"
		echo "FEATURE_$1 := y"
	else
		without "$1" "$2"
	fi
}

# without FEATURE PACKAGE: build without the feature, and name the package that it needs
without() {
	cppflags+=" -DHAVE_$1=0"
	echo "features.sh: building without $1; on Debian: apt-get install $2" >&2
}

need libelf-dev "gelf.h" elf_memory "-lelf -lz"
need zlib1g-dev "zlib.h" inflate "-lz"

perf_libs=
[[ -z $LIBPERF ]] || perf_libs="$LIBPERF/usr/lib/libperf.a $LIBPERF/usr/lib/libapi.a"
if [[ -n $perf_libs ]]; then
	want LIBPERF linux-source "stdarg.h perf/core.h perf/evlist.h" perf_evlist__new "$perf_libs"
else
	cppflags+=" -DHAVE_LIBPERF=0"
fi
want LIBDW libdw-dev "elfutils/libdw.h elfutils/libdwfl.h" dwfl_begin "-ldw -lelf"
# Loaded when it is asked for
want DEBUGINFOD libdebuginfod-dev "dlfcn.h elfutils/debuginfod.h" \
	"dlopen(DEBUGINFOD_SONAME, 0)" "-ldl"
want ZSTD libzstd-dev "zstd.h" ZSTD_decompressStream "-lzstd"
want LZMA liblzma-dev "lzma.h" lzma_stream_buffer_decode "-llzma"
want IBERTY libiberty-dev "stddef.h libiberty/demangle.h" rust_demangle "-liberty"
want CAPSTONE libcapstone-dev "capstone/capstone.h" cs_disasm "-lcapstone"
want TRACEEVENT libtraceevent-dev "traceevent/event-parse.h" tep_filter_match "-ltraceevent"
want NCURSES libncurses-dev "ncurses.h" newterm "-lncursesw -ltinfo"
# The messages are compiled to C here
if command -v protoc-c > /dev/null; then
	want PROTOBUF_C libprotobuf-c-dev "protobuf-c/protobuf-c.h" protobuf_c_message_pack \
		"-lprotobuf-c"
else
	without PROTOBUF_C protobuf-c-compiler
fi

echo "FEATURE_CPPFLAGS :=$cppflags"
# libperf is linked by name, before what it needs
echo "FEATURE_LIBS :=${libs//"$perf_libs"/}"
