// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks that no firmware describes: a module parameter gives their addresses, and they become
 * devices of the platform driver. Each is then checked like any other block, by its own CPU, and
 * used only if it belongs to that CPU.
 */
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>

#include <arch-model/pmpcsr-regs.h>

#include "arm_pcsample.h"

#define PCS_MAX_BY_HAND	256

static char *pcs_places[PCS_MAX_BY_HAND];
static unsigned int pcs_nr_places;
module_param_array_named(blocks, pcs_places, charp, &pcs_nr_places, 0400);
MODULE_PARM_DESC(blocks, "Blocks that nothing describes: CPU@ADDRESS,... as in 0@0x850000");

static struct platform_device *pcs_devices[PCS_MAX_BY_HAND];

static bool pcs_parse_place(const char *text, int *cpu, u64 *address)
{
	const char *at = strchr(text, '@');
	char digits[12];

	if (!at || at - text >= sizeof(digits))
		return false;
	strscpy(digits, text, at - text + 1);
	if (kstrtoint(digits, 10, cpu) || kstrtou64(at + 1, 16, address))
		return false;
	return *cpu >= 0 && *cpu < nr_cpu_ids && cpu_possible(*cpu) &&
	       IS_ALIGNED(*address, PCSR_BLOCK_SIZE);
}

static struct platform_device *pcs_make_device(const char *text)
{
	struct resource res = { .flags = IORESOURCE_MEM };
	struct platform_device_info info = {
		.name = PCS_NAME,
		.res = &res,
		.num_res = 1,
	};
	u64 address;
	int cpu;

	if (!pcs_parse_place(text, &cpu, &address)) {
		pr_err(PCS_NAME ": blocks=%s: not CPU@ADDRESS, the address in multiples of 0x%x\n",
		       text, PCSR_BLOCK_SIZE);
		return ERR_PTR(-EINVAL);
	}
	res.start = address;
	res.end = address + PCSR_BLOCK_SIZE - 1;
	info.id = PLATFORM_DEVID_AUTO;	/* that a CPU is there twice is no reason for a warning */
	info.data = &cpu;
	info.size_data = sizeof(cpu);
	return platform_device_register_full(&info);
}

/**
 * pcs_by_hand_remove() - undo pcs_by_hand_add()
 */
void pcs_by_hand_remove(void)
{
	unsigned int i;

	for (i = 0; i < pcs_nr_places; i++) {
		platform_device_unregister(pcs_devices[i]);
		pcs_devices[i] = NULL;
	}
}

/**
 * pcs_by_hand_add() - make devices of the blocks of the module's parameter
 *
 * The platform driver is there, and takes each as it comes.
 *
 * Return: 0, or a negative errno: nothing was made then.
 */
int pcs_by_hand_add(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < pcs_nr_places; i++) {
		struct platform_device *device = pcs_make_device(pcs_places[i]);

		if (IS_ERR(device)) {
			ret = PTR_ERR(device);
			pcs_by_hand_remove();
			return ret;
		}
		pcs_devices[i] = device;
	}
	return 0;
}

/**
 * pcs_by_hand_cpu() - is the device one of the parameter's?
 * @dev: the device
 * @cpu: set to its CPU if so
 */
bool pcs_by_hand_cpu(struct device *dev, int *cpu)
{
	const int *given = dev_get_platdata(dev);

	if (given)
		*cpu = *given;
	return given;
}
