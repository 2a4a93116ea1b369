#compdef pcsample
# SPDX-License-Identifier: GPL-2.0-only
#
# zsh completion for pcsample: what the installed program offers. It ends with a call of what it
# defines.

eval "$(pcsample completion zsh)"
