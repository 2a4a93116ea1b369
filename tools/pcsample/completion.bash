# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion for pcsample: what the installed program offers

eval "$(pcsample completion bash)"
