// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power domains as the firmware of a SoC has them; the emulated machine has none. They belong to
 * the node with compatible = "pcsample,pc-sample-power", as many as the device tree names. They do
 * not switch anything; the parameter on says how many are on, which shows whether users hold them.
 */
#include <linux/device.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_domain.h>

#define PCS_DOMAINS	16

static int pcs_domains_on;
module_param_named(on, pcs_domains_on, int, 0444);
MODULE_PARM_DESC(on, "Power domains that are on");

static struct generic_pm_domain pcs_domain[PCS_DOMAINS];
static struct generic_pm_domain *pcs_domains[PCS_DOMAINS];
static struct genpd_onecell_data pcs_domain_data = {
	.domains = pcs_domains,
	.num_domains = PCS_DOMAINS,
};

static DEFINE_SPINLOCK(pcs_domain_lock);

static void pcs_domain_count(int by)
{
	spin_lock(&pcs_domain_lock);
	WRITE_ONCE(pcs_domains_on, pcs_domains_on + by);
	spin_unlock(&pcs_domain_lock);
}

static int pcs_domain_power_on(struct generic_pm_domain *domain)
{
	pcs_domain_count(1);
	return 0;
}

static int pcs_domain_power_off(struct generic_pm_domain *domain)
{
	pcs_domain_count(-1);
	return 0;
}

static int pcs_domain_probe(struct platform_device *pdev)
{
	unsigned int i;
	int ret;

	for (i = 0; i < PCS_DOMAINS; i++) {
		pcs_domain[i].name = devm_kasprintf(&pdev->dev, GFP_KERNEL, "pc-sample%u", i);
		if (!pcs_domain[i].name)
			return -ENOMEM;
		pcs_domain[i].power_on = pcs_domain_power_on;
		pcs_domain[i].power_off = pcs_domain_power_off;
		pcs_domains[i] = &pcs_domain[i];
		ret = pm_genpd_init(&pcs_domain[i], NULL, true);
		if (ret)
			return ret;
	}
	return of_genpd_add_provider_onecell(pdev->dev.of_node, &pcs_domain_data);
}

static const struct of_device_id pcs_domain_match[] = {
	{ .compatible = "pcsample,pc-sample-power" },
	{}
};
MODULE_DEVICE_TABLE(of, pcs_domain_match);

/* Domains have users, so there is no remove() */
static struct platform_driver pcs_domain_driver = {
	.driver = {
		.name = "pcs_domain",
		.of_match_table = pcs_domain_match,
		.suppress_bind_attrs = true,
	},
	.probe = pcs_domain_probe,
};

static int __init pcs_domain_init(void)
{
	return platform_driver_register(&pcs_domain_driver);
}
module_init(pcs_domain_init);

MODULE_DESCRIPTION("Power domains that switch nothing, for tests with nodes of real SoCs");
MODULE_LICENSE("GPL");
