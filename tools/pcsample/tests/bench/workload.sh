#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The workload of the benchmark's recording: SECONDS of many short processes, many shared objects
# with symbols (C and C++), stripped programs, compilers, interpreters and the kernel.
#
# Usage: workload.sh DIR SECONDS        DIR takes what it builds and writes

set -euo pipefail

dir=$1
seconds=$2
objects=128

mkdir -p "$dir"
cd "$dir"

# One shared object of 40 functions, half of them C++; no function calls another one
object_source()
{
	local i

	cat <<-END
		static unsigned x = 1;
		namespace object$1 {
		template <int N> struct Step { static void run(unsigned n); };
		}
	END
	for i in {0..19}; do
		cat <<-END
			extern "C" void part$1_step$i(unsigned n)
			{ while (n--) x = x * 1664525u + $i; }
			template <> void object$1::Step<$i>::run(unsigned n)
			{ while (n--) x ^= x << 5 ^ x >> 3; }
		END
	done
	echo "extern \"C\" void part$1(unsigned n) {"
	for i in {0..19}; do
		echo "part$1_step$i(n); object$1::Step<$i>::run(n);"
	done
	echo '}'
}

build()
{
	local i

	for ((i = 0; i < objects; i++)); do
		object_source "$i" > "part$i.cc"
		g++ -O1 -fPIC -shared -o "libpart$i.so" "part$i.cc"
	done
	cat > burn.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>

		static long milliseconds(void)
		{
			struct timespec t;

			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
			return t.tv_sec * 1000 + t.tv_nsec / 1000000;
		}

		int main(int argc, char **argv)
		{
			int first = atoi(argv[1]), n = atoi(argv[2]), each = atoi(argv[3]), i;
			long end = 0;
			char name[64];
			void *lib;

			for (i = first; i < first + n; i++) {
				snprintf(name, sizeof(name), "./libpart%d.so", i % 128);
				lib = dlopen(name, RTLD_NOW);
				snprintf(name, sizeof(name), "part%d", i % 128);
				end += each;
				do
					((void (*)(unsigned))dlsym(lib, name))(1000);
				while (milliseconds() < end);
			}
			return 0;
		}
	END
	gcc -O1 -o burn burn.c -ldl
	cat > library.cc <<-'END'
		#include <iostream>
		#include <map>
		#include <regex>
		#include <string>
		#include <vector>

		int main(int argc, char **argv)
		{
			std::map<std::string, std::vector<bool>> found;
			std::regex like("([a-z]+)[0-9]*(\\.[a-z]+)?");

			for (int i = 1; i < argc; i++)
				found[argv[i]].push_back(std::regex_match(argv[i], like));
			for (const auto &f : found)
				std::cout << f.first << ' ' << f.second.size() << std::endl;
			return 0;
		}
	END
	touch built
}

# 70 processes a second, as many as in a recording of kernel builds, git and interpreters. burn ends
# after a CPU time, not after so much work: a faster machine would have more processes for the same
# samples, and each figure that is recorded would be another one.
short_processes()
{
	local i=0

	while :; do
		./burn $((i % 128)) 6 8
		/bin/echo "$i" | sed 's/1/2/' | grep -c 2 > out.short || :
		i=$((i + 1))
	done
}

compiles()
{
	while :; do
		for i in 1 5 9; do
			g++ -O2 -fPIC -c -o out.o "part$i.cc"
			gcc -O2 -S -o out.s burn.c
			g++ -O2 -g -c -o out.o library.cc
		done
	done
}

# Stripped programs and interpreters
programs()
{
	while :; do
		find /usr/share -name '*.py' > out.find 2> out.err || :
		cat /usr/share/perl/5*/unicore/Name.pl /usr/bin/perf* /usr/bin/git > out.data \
			2> out.err || :
		gzip -1 < out.data > out.gz
		xz -0 < out.data > out.xz
		sha256sum out.data > out.sum
		sort -R out.find | tail -1 > out.sort
		python3 -c 'import ast, json, re
for i in range(8):
    ast.dump(ast.parse(open(json.__file__).read()))
    re.findall(r"(\w+)\s+\1", open(re.__file__).read())'
		perl -e 'my %h; $h{$_ % 1000} .= $_ for 1 .. 100000;
print length join "", sort values %h' > out.perl
	done
}

[[ -e built ]] || build
[[ $seconds -gt 0 ]] || exit 0
jobs=()
for job in short_processes compiles programs; do
	(mkdir -p "$job" && cd "$job" && ln -sf ../*.so ../*.cc ../burn ../burn.c . && $job) &
	jobs+=($!)
done
trap 'kill "${jobs[@]}" 2> /dev/null' EXIT
sleep "$seconds"
for job in "${jobs[@]}"; do
	kill -0 "$job" || { echo "workload.sh: a job ended early" >&2; exit 1; }
done
