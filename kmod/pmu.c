// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds perf's ibs_op PMU, and by trying whether its events may follow a task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat.h"
#include "ibs_decode.h"
#include "pmu.h"

#define IBS_NAME             "ibs_op"
#define IBS_CPUID            0x8000001b
#define IBS_CONFIG_COUNT_OPS BIT_ULL(19)
#define IBS_STEP             16
#define IBS_PERIOD_MAX       0xffff0
#define IBS_PERIOD_MAX_LONG  0x7fffff0

/* PMU types are small numbers, given out in the order of registration. */
#define TYPES_TRIED 1024

static unsigned int period_min = 1024;
module_param(period_min, uint, 0444);
MODULE_PARM_DESC(period_min, "Shortest sampling period that a user may ask for (default 1024). "
			     "Shorter ones can make a CPU do little but take samples.");

struct memphis_pmu memphis_pmu __ro_after_init;
static struct memphis_ibs_machine ibs __ro_after_init;

void memphis_pmu_attr(struct perf_event_attr *attr, u64 period, u32 count)
{
	*attr = (struct perf_event_attr){
		.type = memphis_pmu.type,
		.size = sizeof(*attr),
		.config = count == MEMPHIS_COUNT_OPS ? IBS_CONFIG_COUNT_OPS : 0,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
	};
}

unsigned int memphis_pmu_decode(const struct perf_sample_data *data, struct memphis_sample *sample,
				u64 *physical)
{
	const struct perf_raw_record *raw = memphis_raw(data);

	if (unlikely(!raw))
		return MEMPHIS_REASON_INVALID;
	return memphis_ibs_decode(&ibs, raw->frag.data, raw->frag.size, sample, physical);
}

static void ignore_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/* Would perf give an event of this type? Returns 0 and whether it is the one called `name`. */
static int __init try_type(u32 type, const char *name, struct task_struct *task, bool *found)
{
	struct perf_event_attr attr;
	struct perf_event *event;
	int cpu = task ? -1 : cpumask_first(cpu_online_mask);

	memphis_pmu_attr(&attr, IBS_PERIOD_MAX, MEMPHIS_COUNT_CYCLES);
	attr.type = type;
	event = perf_event_create_kernel_counter(&attr, cpu, task, ignore_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	*found = event->pmu->name && !strcmp(event->pmu->name, name);
	perf_event_release_kernel(event);
	return 0;
}

/* perf exports no look-up by name; so ask for a disabled event of each type, and see who answers. */
static int __init find_type(const char *name)
{
	bool found = false;
	u32 type;

	for (type = PERF_TYPE_MAX; type < PERF_TYPE_MAX + TYPES_TRIED; type++)
		if (!try_type(type, name, NULL, &found) && found)
			return type;
	return -ENOENT;
}

static u32 __init ibs_capabilities(void)
{
	u32 capabilities = 0;

	if (cpuid_eax(0x80000000) >= IBS_CPUID)
		capabilities = cpuid_eax(IBS_CPUID);
	if (!(capabilities & MEMPHIS_IBS_CAP_AVAILABLE)) /* the first parts had no such leaf */
		capabilities = MEMPHIS_IBS_CAP_AVAILABLE | MEMPHIS_IBS_CAP_OP;
	return capabilities;
}

static void __init describe_ibs(int type)
{
	struct memphis_pmu *pmu = &memphis_pmu;
	u32 capabilities = ibs_capabilities();

	pmu->hardware = MEMPHIS_HARDWARE_IBS;
	pmu->type = type;
	pmu->capabilities = capabilities;
	pmu->counts = BIT(MEMPHIS_COUNT_CYCLES);
	if (capabilities & MEMPHIS_IBS_CAP_COUNT_OPS)
		pmu->counts |= BIT(MEMPHIS_COUNT_OPS);
	pmu->period_step = IBS_STEP;
	pmu->period_min = round_up(max_t(u64, period_min, IBS_STEP), IBS_STEP);
	/*
	 * One step less than the hardware counts: what is left of a stopped period is added to the
	 * next, and perf splits sums that the hardware can't count into more than one interrupt.
	 */
	pmu->period_max =
		(capabilities & MEMPHIS_IBS_CAP_LONG_COUNT ? IBS_PERIOD_MAX_LONG : IBS_PERIOD_MAX) - IBS_STEP;
	pmu->period_min = min(pmu->period_min, pmu->period_max);
	strscpy(pmu->name, IBS_NAME, sizeof(pmu->name));
	memphis_ibs_machine_init(&ibs, boot_cpu_data.x86, boot_cpu_data.x86_model, capabilities,
				 TASK_SIZE_MAX);
}

int __init memphis_pmu_find(void)
{
	bool found = false;
	int type;

	if (!boot_cpu_has(X86_FEATURE_IBS)) {
		pr_err("no sampling hardware: this CPU (%s, family %#x, model %#x) does not offer "
		       "Instruction-Based Sampling; needed is an AMD CPU of family 10h or later, IBS enabled "
		       "in the BIOS set-up, and no hypervisor that hides it\n",
		       boot_cpu_data.x86_vendor_id, boot_cpu_data.x86, boot_cpu_data.x86_model);
		return -ENODEV;
	}
	type = find_type(IBS_NAME);
	if (type < 0) {
		pr_err("the CPU offers Instruction-Based Sampling, but the kernel has no PMU " IBS_NAME
		       ": see the lines with IBS or LVT in dmesg; often the BIOS set-up left IBS without an "
		       "interrupt (enable it there), or the kernel lacks CONFIG_CPU_SUP_AMD\n");
		return -ENODEV;
	}
	describe_ibs(type);
	memphis_pmu.per_task = !try_type(type, IBS_NAME, current, &found);
	return 0;
}
