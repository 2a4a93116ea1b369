# SPDX-License-Identifier: GPL-2.0-only
# After rename.sed, what takes two lines: no empty line at the end of a comment, and no kernel-doc
# for an enum of which nobody describes each value.
/^ \*$/{
	N
	/\n \*\/$/s/^ \*\n//
}
/^\/\*\*$/{
	N
	s/^\/\*\*\n \* enum am_why - r/\/*\n * R/
}
