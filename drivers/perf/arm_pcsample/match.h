/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What firmware says about a block, before any register is read: whether a node of the device tree
 * is a PC-sample block, which register set its CPU has, and whether the SoC may be touched at all.
 *
 * Pure: compiled into the driver, into unit tests, and into the program that reads the device trees
 * of a distribution (make boards).
 */
#ifndef ARM_PCSAMPLE_MATCH_H
#define ARM_PCSAMPLE_MATCH_H

#include <arch-model/types.h>

/**
 * enum pcs_node - what a node of the device tree describes
 * @PCS_NODE_NONE: no PC-sample block
 * @PCS_NODE_PMU: an external PMU block, or the frame that has PC sampling alone (FEAT_PCSRv8p2)
 * @PCS_NODE_DEBUG: an external debug block (FEAT_PCSRv8)
 * @PCS_NODE_BY_HAND: no node at all: one of these by the module's parameter
 */
enum pcs_node {
	PCS_NODE_NONE,
	PCS_NODE_PMU,
	PCS_NODE_DEBUG,
	PCS_NODE_BY_HAND,
};

/**
 * pcs_match_node() - what a node describes
 * @compatible: its compatible property: strings, each with its NUL
 * @len: length of the property in bytes; 0 if there is none
 */
enum pcs_node pcs_match_node(const char *compatible, int len);

/**
 * struct pcs_core - a CPU whose external debug block has the sample registers
 * @compatible: of its node in /cpus
 * @name: as its vendor calls it
 */
struct pcs_core {
	const char *compatible;
	const char *name;
};

/**
 * pcs_match_core() - the core that a CPU node describes
 * @compatible: its compatible property
 * @len: length of the property
 *
 * Return: the core, or NULL: not one whose debug block is known to sample.
 */
const struct pcs_core *pcs_match_core(const char *compatible, int len);

/* The cores by number, NULL behind the last one */
const struct pcs_core *pcs_core(unsigned int n);

/**
 * struct pcs_soc - a system on which reading debug registers is known to be dangerous
 * @compatible: of the root of the device tree
 * @oem_id: in the header of ACPI's FADT; NULL if it is not known to have one
 * @oem_table: beside it there; NULL as @oem_id
 * @refused: nothing is to be read there, unless the user says so
 * @why: what happens, for a message
 */
struct pcs_soc {
	const char *compatible;
	const char *oem_id, *oem_table;
	bool refused;
	const char *why;
};

/**
 * pcs_match_soc() - is the system one that is known to be dangerous?
 * @compatible: compatible property of the device tree's root
 * @len: length of the property
 *
 * To be asked before any access.
 *
 * Return: what is known, or NULL.
 */
const struct pcs_soc *pcs_match_soc(const char *compatible, int len);

/**
 * pcs_match_qualcomm() - is the system one of Qualcomm's SoCs?
 * @compatible: compatible property of the device tree's root
 * @len: length of the property
 */
bool pcs_match_qualcomm(const char *compatible, int len);

/**
 * pcs_match_oem() - the same where ACPI describes the system
 * @oem_id: OEM ID of the FADT, six characters, the last ones perhaps blank or NUL
 * @oem_table: its OEM Table ID, eight of them
 */
const struct pcs_soc *pcs_match_oem(const char *oem_id, const char *oem_table);

#endif /* ARM_PCSAMPLE_MATCH_H */
