#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample export --format rows, and pcsample ship to a server that answers as the test wants.
# tests/fleet has real servers.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# record: make known.data from mkrec's input on standard input; it begins at second 1000 of
# 2026-11-22
record() {
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<IIQQ", 1, 1, 1795305600 * 10**9 + 10**12, 10**12))' > clock
	{
		echo "feature 3 a-host"
		echo "blob 29 clock"
		cat
	} | "$MKREC" known.data
}

# rows CODE: run Python with `lines`, a dict for each row, and `ledgers`
rows() {
	python3 - <<-END
		import csv, gzip, json
		text = gzip.open("out").read().decode("utf-8").split("\n")
		assert text.pop() == ""
		head = text.pop(0).split("\t")
		assert head == ["host", "start", "key", "command", "object", "build_id", "function",
		                "samples", "ledger"], head
		all = [dict(zip(head, l.split("\t"), strict=True)) for l in text]
		lines = [l for l in all if l["key"] != "0"]
		ledgers = [json.loads(l["ledger"]) for l in all if l["key"] == "0"]
		def fnv(text):
		    h = 0xcbf29ce484222325
		    for b in text.encode():
		        h = (h ^ b) * 0x100000001b3 % 2**64
		    return h
		$1
	END
}

# A name with the number of a process, a worker or a CPU is replaced by one that all machines share
rows_have_words_that_last() {
	local build=0102030405060708090a0b0c0d0e0f1011121314 kernel=0xffff800080000000

	printf '%016x T start\n%016x T start\n' $((0xffff800080000000)) $((0xffff800080001000)) \
		> kallsyms
	{
		echo meta duration 60013000000
		echo meta machine 00000000000000ff
		echo meta ledger.total.planned 9
		echo meta ledger.total.sample 7
		echo meta ledger.total.late 2
		echo kernel $kernel 0x100000 $kernel '[kernel.kallsyms]_text' 0
		echo comm 1 1 kworker/3:1-events 1
		echo comm 2 2 kworker/12:0-events 1
		echo comm 3 3 'back\sl' 1
		echo comm 3 4 pool-1-thread-7 1
		echo "mmap 3 0x400000 0x1000 0 /opt/a 2 $build"
		echo mmap 3 0x500000 0x1000 0 '//anon' 2
		echo sample kernel 0xffff800080000010 1 1 1000000000000 0 1
		echo sample kernel 0xffff800080001010 2 2 1000000000100 1 1
		echo sample kernel 0xffff800080001010 2 2 1000000000200 1 1
		echo sample user 0x400100 3 3 1000000000300 0 1
		echo sample user 0x400200 3 4 1000000000400 0 1
		echo sample user 0x500000 3 4 1000000000500 0 1
		echo sample user 0x400200 3 4 1060012000000 0 1
	} | record
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -o known.rows.gz
	cp known.rows.gz out
	rows '
got = {(l["command"], l["object"], l["build_id"], l["function"]): int(l["samples"])
       for l in lines}
build = "'$build'"
assert got == {("kworker/*", "[kernel.kallsyms]", "", "start"): 3,
               ("back\\\\sl", "/opt/a", build, ""): 3, ("back\\\\sl", "[JIT]", "", ""): 1}, got
for l in lines:
    about = "\t".join(l[c] for c in ("command", "object", "build_id", "function"))
    assert int(l["key"]) == fnv(about), l
assert {(l["host"], l["start"]) for l in all} == {("255", "1795306600000")}, all
(r,) = ledgers
assert r["hostname"] == "a-host" and r["samples"] == 7 == sum(got.values()), r
assert (r["planned"], r["sample"], r["late"], r["lost"], r["ms"], r["cpus"]) == \
       (9, 7, 2, 0, 60013, 2), r'
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f rows > again
	cmp again known.rows.gz
}

# A row of a longer recording is of one minute; less than half a minute at the end gets no row of
# its own
rows_are_of_minutes() {
	local i

	: > kallsyms
	{
		echo meta duration 145000000000
		echo comm 3 3 app 1
		echo mmap 3 0x400000 0x1000 0 /opt/a 2
		for i in {0..144}; do
			echo sample user 0x400100 3 3 $((1000000000000 + i * 1000000000)) 0 1
		done
	} | record
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f rows > out
	rows '
got = [(int(l["start"]) - 1795306600000, int(l["samples"])) for l in lines]
assert got == [(0, 60), (60000, 85)], got
assert [(r["samples"], r["ms"], "lost" in r) for r in ledgers] == [(60, 60000, True),
                                                                   (85, 85000, False)], ledgers
host = fnv("a-host")
assert {int(l["host"]) for l in all} == {host}, (all[0], host)'
}

# A damaged recording has the release of a kernel that is longer than any
the_ledger_is_whole() {
	: > kallsyms
	python3 -c 'import struct, sys
text = b"h" * 70000 + bytes(1)
sys.stdout.buffer.write(struct.pack("<I", len(text)) + text)' > release
	echo sample user 0x400100 3 3 1000000000000 0 1 > text
	record < text
	# Features are in the order of their numbers
	printf '%s\n' 'blob 4 release' 'blob 29 clock' | cat - text | "$MKREC" known.data
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f rows > out
	rows '
(r,) = ledgers
assert 60 < len(r["kernel"]) < 1000 and r["samples"] == 1, r'
}

rows_that_cannot_be_are_told() {
	: > kallsyms
	{
		echo comm 3 3 app 1
		echo sample user 0x400100 3 3 1000000000000 0 1
	} > text
	"$MKREC" known.data < text
	status 1 "$PCSAMPLE" export -i known.data --kallsyms kallsyms -f rows -o out 2> said
	says said 'does not tell the time of day'
	record < text
	status 1 "$PCSAMPLE" export -i known.data --kallsyms kallsyms --cpu 0 -f rows -o out 2> said
	says said 'rows are of whole recordings'
	(
		echo meta duration 9000000000000000000
		cat text
	) | record
	status 1 "$PCSAMPLE" export -i known.data --kallsyms kallsyms -f rows -o out 2> said
	says said 'up to a month'
	[[ ! -e out ]]
}

# serve: start a server on its own port, $port, which appends what it accepts to the file `taken`.
# It answers as the file `answer` says: a status and a body, or drop. It refuses files whose
# contents begin with "bad".
serve() {
	echo 200 > answer
	: > taken
	cat > server.py <<-'END'
		import gzip, http.server, socketserver, sys, urllib.parse
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        data = self.rfile.read(int(self.headers["Content-Length"]))
		        status, *body = open("answer").read().split()
		        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
		        user = self.headers["Authorization"]
		        open("queries", "a").write("%s %s\n" % (query, user))
		        if self.headers["Content-Encoding"] != "gzip":
		            status, body = "400", ["plain"]
		        data = gzip.decompress(data).decode().strip()
		        if data.startswith("bad") and status == "200":
		            status, body = "400", ["Code:27", "bad", "row"]
		        if status in ("200", "drop"):
		            open("taken", "a").write(data + "\n")
		        if status == "drop":
		            self.connection.close()
		            return
		        self.send_response(int(status))
		        body = " ".join(body).encode()
		        self.send_header("Content-Length", len(body))
		        self.end_headers()
		        self.wfile.write(body)
		    def log_message(self, *a):
		        pass
		with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), Handler) as s:
		    open("port.new", "w").write(str(s.server_address[1]))
		    import os; os.rename("port.new", "port")
		    s.serve_forever()
	END
	python3 server.py "${1:-0}" &
	server=$!
	until_true test -e port
	port=$(< port)
}

# put NAME...: make files in the spool s, which contain their names
put() {
	local name

	mkdir -p s
	for name; do
		echo "$name" | gzip > "s/pcsample-$name.rows.gz"
	done
}

ship() {
	"$PCSAMPLE" ship --to "http://127.0.0.1:$port/?x=1" --spool s "$@"
}

nothing_left() {
	[[ -z $(left) ]]
}

# The same, replacing this shell, to be run in the background
ship_beside() {
	exec "$PCSAMPLE" ship --to "http://127.0.0.1:$port/?x=1" --spool s "$@"
}

left() {
	find s -name 'pcsample-*' -printf '%f\n' | sort | tr '\n' ' '
}

# The oldest file is sent first, each file once; incomplete files and other formats remain
files_are_sent_and_removed() {
	serve
	put 20260102 20260101 20260103
	touch s/.pcsample-20260104.data s/pcsample-20260105.pb.gz
	ship --once
	[[ $(tr '\n' ' ' < taken) == '20260101 20260102 20260103 ' ]] || die "$(< taken)"
	[[ $(left) == 'pcsample-20260105.pb.gz ' && -e s/.pcsample-20260104.data ]] || die "$(left)"
	says queries "'x': ['1'], 'query': ['INSERT INTO pcsample.incoming FORMAT TSVWithNames']"
	ship --once
	[[ $(wc -l < taken) == 3 ]]
	kill $server
}

# Passwords are in a file, not on a command line
curl_has_its_options() {
	serve
	put 20260101
	echo 'user = "a:b"' > curl.conf
	ship --once --curl-config curl.conf --table fleet.in
	says queries 'INSERT INTO fleet.in FORMAT'
	says queries 'Basic YTpi'
	kill $server
}

# Only the complete answer to an INSERT removes a file
no_answer_no_removal() {
	local answer

	serve
	put 20260101 20260102
	for answer in '200 <html>log-in</html>' '204' '500 Code:210' '503 busy' '403 who?' drop; do
		echo "$answer" > answer
		status 1 ship --once 2> said
		[[ $(left | wc -w) == 2 ]] || die "$answer: $(left)"
		[[ -s said ]] || die "$answer: nothing said"
	done
	echo 200 > answer
	ship --once
	[[ -z $(left) ]]
	kill $server
}

# It comes back at the same address
server_may_go_for_a_while() {
	local shipper

	serve
	put 20260101
	kill $server
	wait $server || true
	ship_beside --quiet 2> said &
	shipper=$!
	until_true grep -q 'files wait' said
	put 20260102
	[[ $(left | wc -w) == 2 ]] || die "$(left)"
	rm port
	serve "$port"
	until_true nothing_left
	[[ $(tr '\n' ' ' < taken) == '20260101 20260102 ' ]] || die "$(< taken)"
	[[ $(grep -c 'files wait' said) == 1 ]] || die "$(< said)"
	kill $shipper
	wait $shipper
	kill $server
}

# A file that the server always refuses does not block the others, and is not lost
refused_file_is_set_aside() {
	local i shipper

	serve
	put bad-1
	for i in 1 2 3 4; do
		status 1 ship --once 2> said
	done
	says said 'the server answered 400: Code:27 bad row; 1 files wait'
	[[ $(left) == 'pcsample-bad-1.rows.gz ' ]]
	ship_beside 2> said &
	shipper=$!
	for i in 1 2 3; do
		put "2026010$i"
		until_true grep -q "2026010$i" taken
	done
	until_true grep -q 'that the server refuses are now' said
	[[ $(left) == 'pcsample-0-bad-1.rows.gz.refused ' ]] || die "$(left)"
	kill $shipper
	wait $shipper
	kill $server
}

one_shipper_at_a_time() {
	local shipper

	serve
	put 20260101
	ship_beside --quiet &
	shipper=$!
	until_true nothing_left
	status 1 ship --once 2> said
	says said 'another pcsample ship'
	kill $shipper
	wait $shipper
	kill $server
}

failures_are_told() {
	mkdir s
	status 129 "$PCSAMPLE" ship --spool s
	status 129 "$PCSAMPLE" ship --to ftp://x --spool s
	status 129 "$PCSAMPLE" ship --to http://x --table 'a b' --spool s
	status 129 "$PCSAMPLE" ship --to http://x --timeout 0 --spool s
	status 1 "$PCSAMPLE" ship --to http://x --once --spool no/such 2> said
	says said 'no/such'
	put 20260101
	PATH=/nonexistent status 1 "$PCSAMPLE" ship --to http://127.0.0.1:9/ --once --spool s \
		2> said
	says said 'apt-get install curl'
}

# unit_is_well_formed NAME COMMAND: COMMAND has the options that the unit gives it
unit_is_well_formed() {
	need systemd-analyze
	sed "s#@BINDIR@/pcsample#$PCSAMPLE#" "$here/../$1.service.in" > "$1.service"
	systemd-analyze verify --man=no "$PWD/$1.service" > said 2>&1 || die "$(< said)"
	"$PCSAMPLE" "$2" --help > help
	grep -oE '^ExecStart=.*' "$1.service" | grep -oE ' --[a-z-]+' | tr -d ' ' > options
	[ -s options ]
	while read -r option; do
		says help "$option"
	done < options
}

ship_unit_is_well_formed() {
	unit_is_well_formed pcsample-ship ship
}

spool_unit_is_well_formed() {
	need_feature libperf
	unit_is_well_formed pcsample-spool record
}

tap rows_have_words_that_last rows_are_of_minutes the_ledger_is_whole rows_that_cannot_be_are_told \
	files_are_sent_and_removed curl_has_its_options no_answer_no_removal \
	server_may_go_for_a_while refused_file_is_set_aside one_shipper_at_a_time \
	failures_are_told ship_unit_is_well_formed spool_unit_is_well_formed
