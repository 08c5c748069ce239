// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a sample before it is processed: an event of perf's ibs_op PMU whose overflow handler returns at once. The thread
 * that writes a period to /sys/module/driver_alone/parameters/sample is sampled until it ends or the parameter is written again;
 * 0 only stops the sampling.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#define COUNT_OPS BIT_ULL(19) /* IbsOpCntCtl: AMD64 APM volume 2, section 13.3, MSRC001_1033 */

static unsigned int type;
module_param(type, uint, 0444);
MODULE_PARM_DESC(type, "the PMU's number, as in /sys/bus/event_source/devices/ibs_op/type");

static struct perf_event *event;

static void overflow(struct perf_event *of, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static void stop(void)
{
	if (event)
		perf_event_release_kernel(event);
	event = NULL;
}

static int set_sample(const char *text, const struct kernel_param *param)
{
	/* The same sample type as memphis.ko, so that the driver reads the same registers. */
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = COUNT_OPS,
		.sample_type = PERF_SAMPLE_RAW,
	};
	struct perf_event *made;
	unsigned int period;
	int error;

	error = kstrtouint(text, 0, &period);
	if (error)
		return error;
	stop();
	if (!period)
		return 0;
	attr.sample_period = period;
	made = perf_event_create_kernel_counter(&attr, -1, current, overflow, NULL);
	if (IS_ERR(made))
		return PTR_ERR(made);
	event = made;
	return 0;
}

/* The kernel's parameter lock serialises writers. */
static const struct kernel_param_ops sample_ops = {.set = set_sample};
module_param_cb(sample, &sample_ops, NULL, 0200);
MODULE_PARM_DESC(sample, "write a period: sample the writing thread");

static int __init begin(void)
{
	return 0;
}

static void __exit end(void)
{
	stop();
}

module_init(begin);
module_exit(end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("perf's IBS driver with a handler that does nothing");
