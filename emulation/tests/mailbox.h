/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the guest of the tests looks for work: see guest.S */
#ifndef EMULATION_TESTS_MAILBOX_H
#define EMULATION_TESTS_MAILBOX_H

#define GUEST_BASE	0x40200000
#define MAILBOX_BASE	0x40100000
#define MAILBOX_SHIFT	12	/* one page a PE, with the PE's stack at its end */

#define MAILBOX(cpu)	(MAILBOX_BASE + ((uint64_t)(cpu) << MAILBOX_SHIFT))

#define MAILBOX_FN	0x00
#define MAILBOX_ARGS	0x08
#define MAILBOX_RESULT	0x30
#define MAILBOX_ESR	0x38
#define MAILBOX_STOP	0x40
#define MAILBOX_COUNT	0x48
#define MAILBOX_ENTERED	0x50
#define MAILBOX_BELL	0x58
#define MAILBOX_DONE	0x60

/* Identities of the two processes of storm(): VMID, and Context ID */
#define ID_A		0x000A000000000A0A
#define ID_B		0x000B000000000B0B

#endif
