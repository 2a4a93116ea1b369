# SPDX-License-Identifier: GPL-2.0-only
# From the names of this tree to those that clash with nothing in Linux: pcs_ is Ethernet's and
# pinctrl-single's. No wider, so that what is aligned stays so.
s/\bpcs_hrtimer_setup\b/hrtimer_setup/g
s/\bpcs_\([a-z0-9]\)/aps_\1/g
s/\bPCS_\([A-Z0-9]\)/APS_\1/g
s/\bto_pcs_event\b/to_aps_event/g

# What is one folder there
s|<arch-model/types\.h>|<linux/types.h>|
s|^#include <arch-model/bits\.h>|#include <linux/bitfield.h>\n#include <linux/bits.h>|
s|<arch-model/\([a-z-]*\.h\)>|"\1"|
s/ARCH_MODEL_/ARM_PCSAMPLE_/
s/arch-model's linux-sample\.h/linux-sample.h/
s/rules are arch-model's/rules are in pcs-identify.h/
s/in arch-model$/in pcs-identify.h/
s/what arch-model makes of/what is made of/

# What comments say of the rest of this tree
s/ The model names the reason only; the$//
/^ \* sentence that goes with it is in arch-model/d
/^ \* The text of each reason begins with its rule/d
s/^\( \* \)Documentation\/conformance\.md .*\. \(Reasons of one decision stand\)$/\1\2/
/^ \* The drivers, the tool and the emulated hardware all/,/the manual can disagree in a test\.$/d
