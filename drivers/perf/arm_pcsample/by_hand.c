// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks that no firmware describes: a module parameter gives their addresses, and they become
 * devices of the platform driver. Each is then checked like any other block, by its own CPU, and
 * used only if it belongs to that CPU.
 */
#include <linux/ioport.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>

#include <arch-model/pmpcsr-regs.h>

#include "arm_pcsample.h"

#define PCS_MAX_BY_HAND	256

static char *blocks[PCS_MAX_BY_HAND];
static unsigned int pcs_nr_blocks;
/* Addresses that are read: a kernel that is locked down takes none. */
module_param_hw_array(blocks, charp, iomem, &pcs_nr_blocks, 0400);
MODULE_PARM_DESC(blocks, "Blocks that nothing describes: CPU@ADDRESS,... as in 0@0x850000");

static struct platform_device *pcs_devices[PCS_MAX_BY_HAND];

/* The platform data of a device */
struct pcs_place {
	int cpu;
	struct resource res;
};

static bool pcs_parse_place(const char *text, struct pcs_place *place)
{
	const char *at = strchr(text, '@');
	char digits[12];
	u64 address;

	if (!at || at - text >= sizeof(digits))
		return false;
	strscpy(digits, text, at - text + 1);
	if (kstrtoint(digits, 10, &place->cpu) || kstrtou64(at + 1, 16, &address))
		return false;
	place->res = (struct resource) {
		.start = address,
		.end = address + PCSR_BLOCK_SIZE - 1,
		.flags = IORESOURCE_MEM,
	};
	return place->cpu >= 0 && place->cpu < nr_cpu_ids && cpu_possible(place->cpu) &&
	       IS_ALIGNED(address, PCSR_BLOCK_SIZE);
}

/*
 * The device has no resources. If a driver has the block already, platform_device_add() would
 * insert them around that driver's region, and release_resource() would remove it with them.
 */
static struct platform_device *pcs_make_device(const char *text)
{
	struct platform_device_info info = { .name = PCS_NAME };
	struct pcs_place place;

	if (!pcs_parse_place(text, &place)) {
		pr_err(PCS_NAME ": blocks=%s: not CPU@ADDRESS, the address in multiples of 0x%x\n",
		       text, PCSR_BLOCK_SIZE);
		return ERR_PTR(-EINVAL);
	}
	info.id = PLATFORM_DEVID_AUTO;	/* that a CPU is there twice is no reason for a warning */
	info.data = &place;
	info.size_data = sizeof(place);
	return platform_device_register_full(&info);
}

/**
 * pcs_by_hand_remove() - undo pcs_by_hand_add()
 */
void pcs_by_hand_remove(void)
{
	unsigned int i;

	for (i = 0; i < pcs_nr_blocks; i++) {
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

	for (i = 0; i < pcs_nr_blocks; i++) {
		struct platform_device *device = pcs_make_device(blocks[i]);

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
	const struct pcs_place *place = dev_get_platdata(dev);

	if (place)
		*cpu = place->cpu;
	return place;
}

/**
 * pcs_by_hand_region() - where the block of the device is
 * @dev: the device
 *
 * Return: its region, as long as @dev is there; NULL if it is not one of the parameter's.
 */
const struct resource *pcs_by_hand_region(struct device *dev)
{
	const struct pcs_place *place = dev_get_platdata(dev);

	return place ? &place->res : NULL;
}
