// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has the external debug blocks as coresight-cpu-debug has them when it is built into the kernel:
 * by a driver of that name with no module. It does nothing with them.
 */
#include <linux/amba/bus.h>
#include <linux/module.h>

static int pcs_holder_probe(struct amba_device *adev, const struct amba_id *id)
{
	return 0;
}

static void pcs_holder_remove(struct amba_device *adev)
{
}

static const struct amba_id pcs_holder_ids[] = {
	{ .id = 0x000bb000, .mask = 0x000ff000 },	/* CoreSight components of Arm's cores */
	{}
};

static struct amba_driver pcs_holder_driver = {
	.drv = {
		.name = "coresight-cpu-debug",
		.suppress_bind_attrs = true,
	},
	.probe = pcs_holder_probe,
	.remove = pcs_holder_remove,
	.id_table = pcs_holder_ids,
};

/* From Linux 6.10 on the function has the module from its caller, by a macro. */
static int __init pcs_holder_init(void)
{
#ifdef amba_driver_register
	return __amba_driver_register(&pcs_holder_driver, NULL);
#else
	return amba_driver_register(&pcs_holder_driver);
#endif
}

static void __exit pcs_holder_exit(void)
{
	amba_driver_unregister(&pcs_holder_driver);
}

module_init(pcs_holder_init);
module_exit(pcs_holder_exit);

MODULE_DESCRIPTION("Has the debug blocks as a built-in driver has them, for tests of the log");
MODULE_LICENSE("GPL");
