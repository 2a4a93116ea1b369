// SPDX-License-Identifier: GPL-2.0-only
/*
 * A loop with interrupts masked and with a known number of branches, for tests of trace.
 *
 * A task that writes a number to the parameter run executes the loop that often. Each round has two
 * branches, an indirect and a direct one.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>

static noinline void pcs_loop_masked(unsigned long times)
{
	unsigned long target, work = times;

	/* "hint #36" is BTI j: it is a valid target if BTI is enabled */
	asm volatile("1:	.rept	100\n"
		     "		eor	%[work], %[work], %[times], lsl #7\n"
		     "		.endr\n"
		     "		adr	%[target], 2f\n"
		     "		br	%[target]\n"
		     "		nop\n"
		     "2:	hint	#36\n"
		     "		subs	%[times], %[times], #1\n"
		     "		b.ne	1b\n"
		     : [times] "+r" (times), [work] "+r" (work), [target] "=&r" (target) :: "cc");
}

static int pcs_loop_run(const char *value, const struct kernel_param *param)
{
	unsigned long times, flags;
	int err;

	err = kstrtoul(value, 0, &times);
	if (err)
		return err;
	if (!times || times > 100000)
		return -EINVAL;

	local_irq_save(flags);
	pcs_loop_masked(times);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops pcs_loop_run_ops = { .set = pcs_loop_run };
module_param_cb(run, &pcs_loop_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "Go through the loop that often, 1 to 100000");

static int __init pcs_loop_init(void)
{
	return 0;
}

static void __exit pcs_loop_exit(void)
{
}

module_init(pcs_loop_init);
module_exit(pcs_loop_exit);

MODULE_DESCRIPTION("Runs a loop with interrupts masked, for tests of trace");
MODULE_LICENSE("GPL");
