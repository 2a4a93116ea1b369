// SPDX-License-Identifier: GPL-2.0-only
/*
 * What firmware says of a block; see match.h.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <stddef.h>
#include <string.h>
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

#include "match.h"

/*
 * Those whose debug blocks coresight-cpu-debug knows, and Cortex-A35, whose manual describes the
 * registers too. Later Arm cores sample in the PMU block. For each there is a row in amba_ids.c.
 */
static const struct pcs_core pcs_cores[] = {
	{ "arm,cortex-a35", "Cortex-A35" },
	{ "arm,cortex-a53", "Cortex-A53" },
	{ "arm,cortex-a57", "Cortex-A57" },
	{ "arm,cortex-a72", "Cortex-A72" },
	{ "arm,cortex-a73", "Cortex-A73" },
	{ "qcom,kryo", "Kryo" },
};

/* Of the header of a table (ACPI 6.5, 5.2.6) */
#define PCS_OEM_ID_SIZE		6
#define PCS_OEM_TABLE_SIZE	8

/*
 * Hanging systems were reported for Arm's CoreSight access library (issue 7, HiKey 960), by users
 * of the Orion O6, whose logs also have the OEM IDs, and in pull requests 1089 and 1090 of Trusted
 * Firmware (HiKey).
 */
static const struct pcs_soc pcs_socs[] = {
	{ "hisilicon,hi3660", NULL, NULL, true, "reads of debug registers end in an SError" },
	{ "cix,sky1", "CIXTEK", "SKY1EDK2", true, "reads of debug registers hang the bus" },
	{ "hisilicon,hi6220", NULL, NULL, false,
	  "where firmware leaves a core's debug module off, a read locks the system up" },
};

/*
 * Do the first @size characters of a string of a compatible property match those of @name? A string
 * that lacks its NUL is none.
 */
static bool pcs_has_start(const char *list, int len, const char *name, size_t size)
{
	while (len > 0) {
		const char *end = memchr(list, '\0', len);

		if (!end)
			return false;
		if (!strncmp(list, name, size))
			return true;
		len -= end + 1 - list;
		list = end + 1;
	}
	return false;
}

static bool pcs_has_string(const char *list, int len, const char *name)
{
	return pcs_has_start(list, len, name, strlen(name) + 1);
}

enum pcs_node pcs_match_node(const char *compatible, int len)
{
	if (pcs_has_string(compatible, len, "arm,pmu-pc-sample"))
		return PCS_NODE_PMU;
	if (pcs_has_string(compatible, len, "arm,coresight-cpu-debug"))
		return PCS_NODE_DEBUG;
	return PCS_NODE_NONE;
}

const struct pcs_core *pcs_core(unsigned int n)
{
	return n < ARRAY_SIZE(pcs_cores) ? &pcs_cores[n] : NULL;
}

const struct pcs_core *pcs_match_core(const char *compatible, int len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs_cores); i++)
		if (pcs_has_string(compatible, len, pcs_cores[i].compatible))
			return &pcs_cores[i];
	return NULL;
}

const struct pcs_soc *pcs_match_soc(const char *compatible, int len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs_socs); i++)
		if (pcs_has_string(compatible, len, pcs_socs[i].compatible))
			return &pcs_socs[i];
	return NULL;
}

bool pcs_match_qualcomm(const char *compatible, int len)
{
	return pcs_has_start(compatible, len, "qcom,", strlen("qcom,"));
}

const struct pcs_soc *pcs_match_oem(const char *oem_id, const char *oem_table)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs_socs); i++)
		if (pcs_socs[i].oem_id &&
		    !strncmp(oem_id, pcs_socs[i].oem_id, PCS_OEM_ID_SIZE) &&
		    !strncmp(oem_table, pcs_socs[i].oem_table, PCS_OEM_TABLE_SIZE))
			return &pcs_socs[i];
	return NULL;
}
