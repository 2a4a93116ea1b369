# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The series that adds arm_pcsample to Linux: where it is made, and how. Source after lib.sh.
# shellcheck disable=SC2154,SC2034 # what it and the files of scripts/lib set

posting=$top/patches/linux-7.3-pcsample
posting_out=$top/build/posting

# Two more work trees of the repository that check-series keeps the source in, for the same reason
# as it has two: `linux` goes from patch to patch, and `series` stays at the end. Sets posting_tree.
make_posting_tree()
{
	local lock

	if [ ! -e "$series_tree/version" ]; then
		lock_series
		make_series_tree
		exec {lock}>&-
	fi
	source_version=$(<"$series_tree/version")
	posting_tree=$cache/posting/$source_version
	if ! git -C "$posting_tree/linux" rev-parse -q --verify debian-source >/dev/null 2>&1; then
		rm -rf "$posting_tree"
		mkdir -p "$posting_tree"
		tree_git worktree prune
		tree_git worktree add -q --detach "$posting_tree/linux" debian-source
	fi
	[ -e "$posting_tree/series" ] ||
		tree_git worktree add -q --detach "$posting_tree/series" debian-source
	unifdef=$posting_tree/unifdef
	[ -x "$unifdef" ] || gcc -O1 -o "$unifdef" "$posting_tree/linux/scripts/unifdef.c"
}

posting_git()
{
	git -C "$posting_tree/linux" -c user.name=posting -c user.email=posting@localhost "$@"
}

# The kernel that the series is for has all that the driver asks of one.
posting_defines='-DPCS_IN_TREE -D__KERNEL__ -DPCS_HAVE_CONFIG3=1 -DPCS_HAVE_CONFIG4=1'
posting_defines+=' -DPCS_HAVE_DYN_SIZE=1 -DPCS_HAVE_INT_REMOVE=0'

# in_tree FILE: what a source of ours is in the kernel's tree
in_tree()
{
	local status=0

	# shellcheck disable=SC2086 # a list of words
	"$unifdef" $posting_defines "$1" >"$posting_tree/unifdef.out" || status=$?
	[ "$status" -le 1 ] || die "$1: unifdef cannot tell what is for the kernel's tree"
	sed -f "$posting/rename.sed" "$posting_tree/unifdef.out" | sed -f "$posting/lines.sed" |
		cat -s
}

# The objects of the Kbuild file here, which are all in one folder there
in_tree_makefile()
{
	echo '# SPDX-License-Identifier: GPL-2.0-only'
	# shellcheck disable=SC2016 # make's
	echo 'obj-$(CONFIG_ARM_PCSAMPLE) += arm_pcsample.o'
	echo
	# shellcheck disable=SC2016 # make's
	sed -n '/^arm_pcsample-y/s|\$(model)/||gp' "$top/drivers/perf/arm_pcsample/Kbuild" |
		cat <(sed -n '/^arm_pcsample-y/{/(model)/!p}' \
			"$top/drivers/perf/arm_pcsample/Kbuild") -
}

# posting_file PATH: the file of that name in the kernel's tree
posting_file()
{
	local name=${1##*/} from

	case $1 in
	drivers/perf/arm_pcsample/Makefile) in_tree_makefile ;;
	drivers/perf/arm_pcsample/*)
		for from in "$top/$1" "$top/arch-model/src/$name" \
			"$top/arch-model/include/arch-model/$name"; do
			[ ! -e "$from" ] || break
		done
		in_tree "$from"
		;;
	Documentation/*) sed -f "$posting/doc.sed" "$top/$1" ;;
	include/*) cat "$top/$1" ;;
	# perf takes the second line for the title of a test.
	*) sed '2{h;d};3G' "$posting/files/$1" ;;
	esac
}

# posting_commit MESSAGE PATH...: a patch of what is kept here, as the last commit of the tree
posting_commit()
{
	local message=$1 path

	shift
	for path; do
		case $path in
		*.patch) posting_git apply --index "$posting/$path" || return ;;
		*)
			mkdir -p "$posting_tree/linux/${path%/*}"
			posting_file "$path" >"$posting_tree/linux/$path"
			[ ! -x "$posting/files/$path" ] || chmod +x "$posting_tree/linux/$path"
			posting_git add -f "$path"
			;;
		esac
	done
	posting_git commit -q --author "$(git -C "$top" log -1 --format='%an <%ae>')" \
		--cleanup=strip -F "$posting/$message"
}

# make_posting [ASSISTANT]: the series as commits on debian-source, and as files in build/posting.
# Each says that ASSISTANT has assisted.
make_posting()
{
	local assistant=${1:-} name words

	posting_git am -q --abort 2>/dev/null || true
	posting_git reset -q --hard
	posting_git clean -q -f -d
	posting_git checkout -q --detach debian-source
	# shellcheck disable=SC2162 # a backslash at the end of a line is for read
	while read -a words; do
		name=${words[0]:-#}
		case $name in
		'#'*) ;;
		*.msg) posting_commit "${words[@]}" ;;
		*) posting_git am -q "$posting/$name" ;;
		esac || die "$name: does not apply to linux $source_version"
		case $name in
		'#'*) ;;
		*)
			[ -z "$assistant" ] || posting_git commit -q --amend --no-edit \
				--trailer "Assisted-by: $assistant"
			;;
		esac
	done <"$posting/series"

	rm -rf "$posting_out"
	mkdir -p "$posting_out"
	posting_git format-patch -q --rfc --cover-letter --zero-commit --no-signature \
		--base=debian-source -o "$posting_out" debian-source..HEAD
	{
		sed -n '1,/^Subject:/{/^Subject:/!p}' "$posting_out"/0000-*
		echo "Subject: [RFC PATCH 0/$(posting_count)] $(sed -n 2p "$posting/cover-letter")"
		sed 1,2d "$posting/cover-letter"
		echo
		posting_git diff --stat --summary debian-source..HEAD
		echo
		sed -n '/^base-commit/,$p' "$posting_out"/0000-*
	} >"$posting_out/cover"
	mv "$posting_out/cover" "$posting_out"/0000-*
}

posting_count()
{
	posting_git rev-list --count debian-source..HEAD
}
