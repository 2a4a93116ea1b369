#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion offers the options that --help lists.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

schema=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Documentation/pcsample.schema.json")

commands() {
	"$PCSAMPLE" completion --json |
		python3 -c 'import json, sys
for c in json.load(sys.stdin)["commands"]:
	print(c["name"])'
}

# in_help COMMAND: print its long options
in_help() {
	"$PCSAMPLE" "$1" --help | sed '/^Mandatory or optional/,$d' |
		grep -oE '(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u
}

# Print the formats that the JSON schema of export allows
formats() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["documents"]["pcsample-exported"]
print("\n".join(d["properties"]["format"]["enum"]))' "$schema"
}

# complete_words WORD...: print what bash offers for the last word
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_pcsample
	printf '%s\n' "${COMPREPLY[@]}"
}

bash_offers_the_options_of_help() {
	local command

	"$PCSAMPLE" completion bash > script
	# The script only registers its function with `complete`; the test calls that itself
	# shellcheck disable=SC1091 # made above
	. ./script
	complete_words pcsample '' | sort > offered
	commands | sort > expected
	diff <(grep -v '^-' offered) expected
	while read -r command; do
		complete_words pcsample "$command" -- > /dev/null
		complete_words pcsample --no-pager "$command" -- | grep '^--' | sort -u > offered
		in_help "$command" > expected
		diff offered expected || die "$command"
	done < <(commands)
	[[ $(complete_words pcsample report --sor) == --sort ]] || die "no --sort"
	[[ $(complete_words pcsample rep) == report ]] || die "no report"
	mkdir some-dir
	: > some-file
	[[ $(complete_words pcsample report -i some-f) == some-file ]] || die "no file for -i"
	[[ $(complete_words pcsample report --symfs = some-) == some-dir ]] || die "no directory"
	diff <(complete_words pcsample export -f '' | sort) <(formats | sort) || die "other formats"
	if "$PCSAMPLE" version --feature libperf; then
		PATH=$(dirname "$PCSAMPLE"):$PATH
		[[ $(complete_words pcsample record -e cpu-cl) == cpu-clock ]] || die "no event"
	fi
}

# zsh_offers FILE: type each line of FILE and a tab in a new zsh, and print the line, a tab and the
# words that zsh offers. A wrapper of compadd, which every completion ends with, notes the matches
# of the original.
zsh_offers() {
	cat > .zshrc <<-'END'
		PS1=
		fpath=("$PWD" $fpath)
		autoload -U compinit
		compinit -u -D
		setopt no_beep
		# Never ask whether to list all matches
		LISTMAX=100000
		zstyle ':completion:*' menu no
		compadd() {
			local -a matches
			case ${@[1,(i)(-|--)]} in
			*-[OAD]\ *) ;;
			*)
				builtin compadd -A matches "$@"
				print -rl -- "${matches[@]}" >> matches
				;;
			esac
			builtin compadd "$@"
		}
		# Input that is typed before the line editor begins, or while it completes, gets
		# lost
		zle-line-init() {
			: > begin$N
		}
		zle -N zle-line-init
		tab() {
			zle complete-word
			: > end$N
		}
		zle -N tab
		bindkey '^I' tab
	END
	PATH=$(dirname "$PCSAMPLE"):$PATH ZDOTDIR=$PWD python3 - "$1" <<-'END'
		import os, pty, select, sys, time
		pid, fd = pty.fork()
		if not pid:
		    os.execvp("zsh", ["zsh", "-i"])
		def wait_for(path):
		    end = time.monotonic() + 60
		    while not os.path.exists(path):
		        if select.select([fd], [], [], 0.02)[0]:
		            os.read(fd, 65536)
		        assert time.monotonic() < end, f"zsh never made {path}"
		wait_for("begin")
		for n, line in enumerate(open(sys.argv[1]).read().splitlines()):
		    # Ctrl-U deletes the previous line, so that it is not run
		    os.write(fd, f"\x15rm -f matches; N={n}\n".encode())
		    wait_for(f"begin{n}")
		    os.write(fd, line.encode() + b"\t")
		    wait_for(f"end{n}")
		    words = open("matches").read().split("\n") if os.path.exists("matches") else []
		    for word in sorted(set(filter(None, words))):
		        print(line, word, sep="\t")
		os.close(fd)
		os.waitpid(pid, 0)
	END
}

# has LINE: what was offered for it
has() {
	awk -F '\t' -v l="$1" '$1 == l { print $2 }' offered
}

zsh_offers_the_options_of_help() {
	local command

	need zsh
	"$PCSAMPLE" completion zsh > _pcsample
	[[ $(head -n 1 _pcsample) == '#compdef pcsample' ]] || die "no #compdef"
	mkdir some-dir
	: > some-file
	{
		printf 'pcsample %s\n' '' 'rep' '--' 'report -i some-f' 'report --symfs=some-' \
			'export -f ' 'record -e cpu-cl'
		commands | sed 's/.*/pcsample & --/'
	} > lines
	zsh_offers lines > offered
	has 'pcsample ' > got
	commands | sort | diff got - || die "commands"
	while read -r command; do
		has "pcsample $command --" | sed 's/=$//' > got
		in_help "$command" | diff got - || die "$command"
	done < <(commands)
	[[ $(has 'pcsample rep') == report ]] || die "no report"
	has 'pcsample --' | sed 's/=$//' > got
	printf '%s\n' --color --config --help --no-pager --version | diff got -
	[[ $(has 'pcsample report -i some-f') == some-file ]] || die "no file for -i"
	[[ $(has 'pcsample report --symfs=some-') == some-dir ]] || die "no directory"
	diff <(has 'pcsample export -f ') <(formats | sort) || die "other formats"
	! "$PCSAMPLE" version --feature libperf ||
		[[ $(has 'pcsample record -e cpu-cl') == cpu-clock ]] || die "no event"
}

usage() {
	status 129 "$PCSAMPLE" completion
	status 129 "$PCSAMPLE" completion fish
	if "$PCSAMPLE" completion bash > /dev/full 2> said; then die "a full disk is no error"; fi
	says said 'No space left'
}

tap bash_offers_the_options_of_help zsh_offers_the_options_of_help usage
