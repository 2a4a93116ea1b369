#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The output of --json matches Documentation/pcsample.schema.json.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

SCHEMA=$here/../Documentation/pcsample.schema.json

recording() {
	{
		printf 'comm 1 1 a"\\b 1\nmmap 1 0x400000 0x1000 0 /x/prog 1\n'
		for i in {1..40}; do
			echo "sample user 0x400100 1 1 $((i * 1000)) $((i % 2)) 1000"
		done
	} | "$MKREC" perf.data
}

# fits NAME FILE: each line of FILE, or all of FILE, matches the schema's document NAME
fits() {
	python3 - "$SCHEMA" "$1" "$2" <<-'END'
		import json, re, sys
		root = json.load(open(sys.argv[1]))

		TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
		         "integer": int, "number": (int, float)}
		KNOWN = {"type", "required", "properties", "items", "enum", "const", "minimum",
		         "maximum", "pattern", "additionalProperties", "$ref"}

		def check(value, schema, where):
		    unknown = set(schema) - KNOWN
		    assert not unknown, f"the schema has {unknown}, which nobody checks"
		    if "$ref" in schema:
		        check(value, root["definitions"][schema["$ref"].split("/")[-1]], where)
		    if "type" in schema:
		        types = schema["type"]
		        types = types if isinstance(types, list) else [types]
		        is_bool = isinstance(value, bool) and "boolean" not in types
		        assert any(isinstance(value, TYPES[t]) for t in types), (where, value)
		        assert not is_bool, (where, value)
		    assert value in schema.get("enum", [value]), (where, value)
		    assert value == schema.get("const", value), (where, value)
		    if "minimum" in schema and not isinstance(value, str):
		        assert value >= schema["minimum"], (where, value)
		    if "maximum" in schema and not isinstance(value, str):
		        assert value <= schema["maximum"], (where, value)
		    if "pattern" in schema and isinstance(value, str):
		        assert re.search(schema["pattern"], value), (where, value)
		    for key in schema.get("required", []):
		        assert key in value, f"{where}: no {key}"
		    if isinstance(value, dict):
		        for key, member in value.items():
		            rule = schema.get("properties", {}).get(key,
		                   schema.get("additionalProperties"))
		            if rule:
		                check(member, rule, f"{where}.{key}")
		    for i, item in enumerate(value if isinstance(value, list) else []):
		        if "items" in schema:
		            check(item, schema["items"], f"{where}[{i}]")

		name, text = sys.argv[2], open(sys.argv[3]).read()
		lines = ("pcsample-script", "pcsample-top", "pcsample-record")
		documents = text.splitlines() if name in lines else [text]
		assert documents
		for d in map(json.loads, documents):
		    common = {k: root[k] for k in ("type", "required", "properties")}
		    check(d, common, name)
		    assert d["schema"] == name, d["schema"]
		    check(d, root["documents"][name], name)
	END
}

commands_that_read_recordings() {
	"$MKREC" perf.data <<-'END'
		type 0x1a7
		comm 1 1 app 1
		chain -512 0x400100 0x400200 0x400100
		sample user 0x400100 1 1 1000 0
	END
	"$PCSAMPLE" script --json > out
	fits pcsample-script out
	json out 'len(d["callchain"]) == 3'
	"$PCSAMPLE" report --children --json > out
	fits pcsample-report out
	says out '"children_samples":1,'
	"$PCSAMPLE" report -g --json > out
	fits pcsample-report out
	says out '"branches":[{"symbol":"[unknown]"'
	python3 "$here/mkcorpus.py" kinds
	"$PCSAMPLE" report -b --json -i kinds/identical-branches.data > out
	fits pcsample-report out
	says out '"samples":40,"branches":150,'
	"$PCSAMPLE" script --json -i kinds/identical-branches.data > out
	fits pcsample-script out
	recording
	for command in report script annotate; do
		"$PCSAMPLE" $command --json > out || [[ $command == annotate ]]
		[[ ! -s out ]] || fits pcsample-$command out
	done
	for command in report script; do
		"$PCSAMPLE" $command --header-only --json > out
		fits pcsample-$command-header out
		json out 'set(d) == {"schema", "schema_version", "header"}'
	done
	"$PCSAMPLE" report --sort comm,pid,tid,dso,sym,cpu,el,state,vmid,method,idle --json > out
	fits pcsample-report out
	printf '%s\n' 'type 0x587' 'comm 1 1 one 1' 'hw 0 -1 -1 1000 0 0xa000000000400100 5 3' \
		'has 0' 'hw 0 -1 -1 1001 0 0xa000000000400100 0 3' | "$MKREC" hw.data
	"$PCSAMPLE" report --sort vmid --json -i hw.data > out
	fits pcsample-report out
	"$PCSAMPLE" script --json -i hw.data > out
	fits pcsample-script out
	"$PCSAMPLE" export -f json -i hw.data > out
	fits pcsample-export out
	json out 'sorted(str(r["vmid"]) for r in d["rows"]) == ["5", "not known"]'
	"$PCSAMPLE" diff --all --json perf.data perf.data > out
	fits pcsample-diff out
	"$PCSAMPLE" diff --all --normalize share --sort cpu,el --json perf.data perf.data > out
	fits pcsample-diff out
	"$PCSAMPLE" diff --all --normalize share --sort state,vmid --json hw.data hw.data > out
	fits pcsample-diff out
	"$PCSAMPLE" archive --json 2> said > out
	fits pcsample-archive out
	"$PCSAMPLE" export -f json > out
	fits pcsample-export out
	"$PCSAMPLE" export -o out.folded --json > out
	fits pcsample-exported out
	says out "\"bytes\":$(stat -c %s out.folded),\"samples\":40,"
	status 129 "$PCSAMPLE" export -f html --json 2> said
	says said 'describes the file of -o'
	mkdir spool
	"$PCSAMPLE" ship --to http://127.0.0.1:9/ --spool spool --once --json > out
	fits pcsample-ship out
}

functions_and_lines() {
	need_whole_cpus
	need_feature libperf
	"$PCSAMPLE" record -e cpu-clock --json -- "$BUSY" 0.2 2> said > out
	json out "d[\"bytes\"] == $(stat -c %s perf.data)"
	[[ ! -s said ]] || die "$(< said)"
	fits pcsample-record out
	says out "\"samples\":$("$PCSAMPLE" script | wc -l),"
	status 129 "$PCSAMPLE" record -e cpu-clock --json -o - -- "$BUSY" 0.1 2> said
	says said '-o -'
	status 2 "$PCSAMPLE" record -e cpu-clock -F 1 --json -o none.data -- true > out 2> said
	fits pcsample-record out
	if "$PCSAMPLE" top --help > /dev/null; then
		"$PCSAMPLE" top -e cpu-clock --json -n 2 -d 300ms -- "$BUSY" 60 > out
		[[ $(wc -l < out) == 2 ]] || die "$(wc -l < out) lines"
		fits pcsample-top out
		says out '"symbol":"seventy"'
	fi
	"$PCSAMPLE" annotate --json > out
	fits pcsample-annotate out
	"$PCSAMPLE" report --json > out
	fits pcsample-report out
	"$PCSAMPLE" report --sort srcline,srcfile --json > out
	fits pcsample-report out
	"$PCSAMPLE" diff --sort srcline --all --json perf.data perf.data > out
	fits pcsample-diff out
	"$PCSAMPLE" stat -e cpu-clock --json -- "$BUSY" 0.1 > out
	fits pcsample-stat out
	"$PCSAMPLE" stuck --json > out
	fits pcsample-stuck out
}

commands_about_the_machine() {
	local command

	for command in version list doctor completion; do
		"$PCSAMPLE" $command --json > out || [[ $command == doctor ]]
		fits pcsample-$command out
	done
	"$PCSAMPLE" explain sampling --json > out
	fits pcsample-explain out
	"$PCSAMPLE" profexc list --json > out || true
	[[ ! -s out ]] || fits pcsample-profexc out
}

# Every command has --json and a document in the schema
every_command_is_described() {
	"$PCSAMPLE" completion --json > commands.json
	python3 - "$SCHEMA" <<-'END'
		import json, sys
		documents = json.load(open(sys.argv[1]))["documents"]
		documents = {d.removeprefix("pcsample-") for d in documents}
		commands = json.load(open("commands.json"))["commands"]
		have = {c["name"] for c in commands
		        if any(o["name"] == "json" for o in c["options"])}
		without = {c["name"] for c in commands} - have
		assert not without, without
		assert have <= documents, have - documents
	END
}

# The checker finds errors
the_checker_checks() {
	recording
	"$PCSAMPLE" report --json > out
	fits pcsample-report out
	sed 's/"schema_version":1/"schema_version":2/' out > bad
	if fits pcsample-report bad 2> said; then die "another version fits"; fi
	sed 's/"share":1/"share":7/' out > bad
	if fits pcsample-report bad 2> said; then die "a share of 7 fits"; fi
	sed 's/"low":/"lower":/' out > bad
	if fits pcsample-report bad 2> said; then die "a missing member fits"; fi
	if fits pcsample-diff out 2> said; then die "a report is a diff"; fi
}

tap commands_that_read_recordings functions_and_lines commands_about_the_machine \
	every_command_is_described the_checker_checks
