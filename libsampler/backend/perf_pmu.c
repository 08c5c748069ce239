/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling hardware that perf offers to user space. */
#include <asm/perf_regs.h>
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "decode/pmu_events.h"
#include "backend/part.h"
#include "backend/perf_event.h"
#include "backend/perf_pmu.h"
#include "base/range.h"
#include "base/sys.h"
#include "base/text.h"

#define DEVICES "/sys/bus/event_source/devices"
#define SWFILT  DEVICES "/" IBS_NAME "/format/swfilt"
#define NODES   "/sys/devices/system/node"

#define USER_REGISTERS (1u << PERF_REG_X86_BP | 1u << PERF_REG_X86_SP | 1u << PERF_REG_X86_IP)

#define CPUS_MAX  8192
#define NODES_MAX 1024

#define IBS_SWFILT       1 /* config2: drop kernel samples in software, Linux 6.15 */
#define RING_RECORDS_MAX (1u << 20)

/* Sizes of samples in perf's buffer: the header and the fields of sample_type. */
#define IBS_RECORD_BYTES \
	(sizeof(struct perf_event_header) + 16 + sizeof(__u32) + sizeof(struct memphis_ibs_record))
#define PEBS_RECORD_BYTES (sizeof(struct perf_event_header) + 6 * sizeof(__u64))

static __u16 node_of_cpu[CPUS_MAX];

static long read_number(const char *path)
{
	struct memphis_text_buffer text = {0};
	long number = memphis_text_read(&text, path) || !text.used ? -1 : strtol(text.data, NULL, 10);

	memphis_text_free(&text);
	return number;
}

/* Assigns the CPUs in a list such as "0-3,8" to the node. */
static void add_cpus(const char *list, __u16 node)
{
	unsigned long cpu, last;

	while (memphis_range_next(&list, &cpu, &last) > 0)
		for (; cpu <= last && cpu < CPUS_MAX; cpu++)
			node_of_cpu[cpu] = node;
}

static void find_nodes(void)
{
	struct memphis_text_buffer list = {0};
	char path[64];
	unsigned int node;

	for (node = 0; node < NODES_MAX; node++) {
		snprintf(path, sizeof(path), NODES "/node%u/cpulist", node);
		if (memphis_text_read(&list, path) || !list.used)
			continue;
		list.data[strcspn(list.data, "\n")] = '\0';
		add_cpus(list.data, (__u16)node);
	}
	memphis_text_free(&list);
}

/*
 * Returns the offset of CLOCK_MONOTONIC in this time namespace. It is needed because perf uses the host's
 * clock (time_namespaces(7)).
 */
static __s64 read_time_offset(void)
{
	struct memphis_text_buffer text = {0};
	const char *line = NULL;
	long long seconds = 0, ns = 0;

	if (!memphis_text_read(&text, "/proc/self/timens_offsets") && text.used)
		line = strstr(text.data, "monotonic");
	if (line && sscanf(line, "monotonic %lld %lld", &seconds, &ns) != 2)
		seconds = ns = 0;
	memphis_text_free(&text);
	return seconds * 1000000000 + ns;
}

static void describe_pmu(struct memphis_perf_pmu *pmu, const char *name, __u32 hardware, __u32 counts)
{
	struct memphis_query *query = &pmu->query;
	struct utsname kernel;

	uname(&kernel);
	query->abi = MEMPHIS_ABI;
	query->hardware = hardware;
	query->sampler = MEMPHIS_SAMPLER_TASK;
	query->counts = counts;
	query->drops = MEMPHIS_DROPS;
	query->hardware_filters = 1u << MEMPHIS_HARDWARE_FILTER_NONE;
	query->filter_sampler = MEMPHIS_SAMPLER_TASK;
	query->ring_records_max = RING_RECORDS_MAX;
	query->threads_max = 1u << 20;
	snprintf(query->version, sizeof(query->version), "Linux %.25s", kernel.release);
	snprintf(query->pmu, sizeof(query->pmu), "%s", name);
}

static void describe_ibs(struct memphis_perf_pmu *pmu)
{
	struct memphis_query *query = &pmu->query;
	const struct memphis_cpu_part part = memphis_part();
	unsigned int eax = 0, ebx, ecx, edx;

	__get_cpuid(IBS_CPUID, &eax, &ebx, &ecx, &edx);
	if (!(eax & MEMPHIS_IBS_CAP_AVAILABLE))
		eax = MEMPHIS_IBS_CAP_AVAILABLE | MEMPHIS_IBS_CAP_OP;
	describe_pmu(pmu, IBS_NAME, MEMPHIS_HARDWARE_IBS,
		     1u << MEMPHIS_COUNT_CYCLES |
			     (eax & MEMPHIS_IBS_CAP_COUNT_OPS ? 1u << MEMPHIS_COUNT_OPS : 0));
	query->hardware_capabilities = eax;
	query->period_min = IBS_PERIOD_MIN;
	query->period_max =
		(eax & MEMPHIS_IBS_CAP_LONG_COUNT ? IBS_PERIOD_MAX_LONG : IBS_PERIOD_MAX) - IBS_STEP;
	query->period_step = IBS_STEP;
	memphis_ibs_machine_init(&pmu->machine, part.family, part.model, eax, MEMPHIS_PERF_USER_LIMIT);
	pmu->record_bytes_min = IBS_RECORD_BYTES;
	pmu->attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	pmu->can_exclude_kernel = !access(SWFILT, F_OK);
}

static void describe_pebs(struct memphis_perf_pmu *pmu)
{
	struct memphis_query *query = &pmu->query;

	describe_pmu(pmu, PEBS_NAME, MEMPHIS_HARDWARE_PEBS, 1u << MEMPHIS_COUNT_LOADS);
	query->period_min = PEBS_PERIOD_MIN;
	query->period_max = PEBS_PERIOD_MAX;
	query->period_step = 1;
	pmu->record_bytes_min = PEBS_RECORD_BYTES;
	pmu->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
				PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
	pmu->attr.precise_ip = 2;
	pmu->attr.exclude_kernel = 1;
	pmu->attr.exclude_hv = 1;
	pmu->attr.exclude_guest = 1;
}

/* The PMUs that sample the data address and the data source. A machine has at most one of them. */
static const struct {
	const char *type;            /* file in sysfs */
	bool (*samples_loads)(void); /* true if the PMU samples loads; NULL: always */
	void (*describe)(struct memphis_perf_pmu *pmu);
} pmus[] = {
	{DEVICES "/" IBS_NAME "/type", NULL, describe_ibs},
	{DEVICES "/" PEBS_NAME "/type", memphis_part_has_load_latency, describe_pebs},
};

/*
 * Makes perf copy the registers and the top of the program's stack. With IBS, only the call chain contains
 * the instruction that the interrupt hit (Linux 6.2). With PEBS, perf takes the registers from the hardware's
 * record if the attributes ask for the registers of the interrupt.
 */
static void add_stacks(const struct memphis_perf_pmu *pmu, __u32 bytes, struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGISTERS;
	attr->sample_stack_user = bytes;
	if (pmu->query.hardware == MEMPHIS_HARDWARE_IBS) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->sample_max_stack = 1;
		attr->exclude_callchain_kernel = 1;
	} else {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = USER_REGISTERS;
	}
}

struct perf_event_attr memphis_perf_pmu_attr(const struct memphis_perf_pmu *pmu,
					     const struct memphis_config *config, __u32 event)
{
	struct perf_event_attr attr = pmu->attr;
	__u32 latency = config->min_latency_cycles;

	attr.sample_period = config->period;
	if (pmu->query.hardware != MEMPHIS_HARDWARE_PEBS) {
		attr.config = memphis_ibs_config(config);
		attr.config1 = memphis_ibs_config1(config);
	} else if (event == MEMPHIS_EVENT_ACCESS) {
		attr.config = PEBS_CONFIG;
		attr.config1 = latency > PEBS_LATENCY_MIN ? latency : PEBS_LATENCY_MIN;
	} else {
		attr.config = PEBS_CONFIG_BY_SOURCE(event);
	}
	if (config->stack_bytes)
		add_stacks(pmu, config->stack_bytes, &attr);
	return attr;
}

bool memphis_perf_pmu_leader(const struct memphis_perf_pmu *pmu, __u32 event, struct perf_event_attr *attr)
{
	if (!pmu->needs_leader || event != MEMPHIS_EVENT_ACCESS)
		return false;
	*attr = pmu->attr;
	attr->config = PEBS_CONFIG_AUXILIARY;
	attr->sample_type = 0;
	attr->precise_ip = 0;
	attr->watermark = 0;
	return true;
}

bool memphis_perf_pmu_exclude_kernel(struct memphis_perf_pmu *pmu)
{
	if (!pmu->can_exclude_kernel || pmu->attr.exclude_kernel)
		return false;
	pmu->attr.config2 = IBS_SWFILT;
	pmu->attr.exclude_kernel = 1;
	return true;
}

/*
 * Tries to open an event for the calling thread, in the group of `leader`, with a hardware filter
 * (MEMPHIS_HARDWARE_FILTER_*). Closes the event. Returns 0 or -errno.
 */
static int try_filter(const struct memphis_perf_pmu *pmu, __u32 event, int leader, __u32 filter)
{
	const struct memphis_config config = {
		.period = pmu->query.period_max,
		.count = (__u32)__builtin_ctz(pmu->query.counts),
		.hardware_filter = filter,
		.min_latency_cycles = filter ? MEMPHIS_HARDWARE_LATENCY_STEP : 0,
	};
	struct perf_event_attr attr = memphis_perf_pmu_attr(pmu, &config, event);
	int fd = memphis_perf_event_call(&attr, 0, leader);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_event(const struct memphis_perf_pmu *pmu, __u32 event)
{
	struct perf_event_attr attr;
	int leader, err;

	if (!memphis_perf_pmu_leader(pmu, event, &attr))
		return try_filter(pmu, event, -1, MEMPHIS_HARDWARE_FILTER_NONE);
	leader = memphis_perf_event_call(&attr, 0, -1);
	if (leader < 0)
		return leader;
	err = try_filter(pmu, event, leader, MEMPHIS_HARDWARE_FILTER_NONE);
	close(leader);
	return err;
}

/*
 * Finds the hardware's filters. A filter is offered if perf accepts it and lists its format. The format must
 * be checked because older kernels ignore config1.
 */
static void find_filters(struct memphis_perf_pmu *pmu)
{
	static const char *const formats[MEMPHIS_HARDWARE_FILTERS] = {
		[MEMPHIS_HARDWARE_FILTER_L3_MISS] = DEVICES "/" IBS_NAME "/format/l3missonly",
		[MEMPHIS_HARDWARE_FILTER_LATENCY] = DEVICES "/" IBS_NAME "/format/ldlat",
	};
	__u32 filter;

	for (filter = 1; filter < MEMPHIS_HARDWARE_FILTERS; filter++)
		if (!access(formats[filter], F_OK) && !try_filter(pmu, MEMPHIS_EVENT_ACCESS, -1, filter))
			pmu->query.hardware_filters |= 1u << filter;
	pmu->query.filter_period_min = pmu->query.period_min;
}

/* Sets or clears the flag `remove_on_exec` of Linux 5.13. The headers of older kernels do not define it. */
static void set_remove_on_exec(struct perf_event_attr *attr, bool on)
{
	const size_t flags_at = offsetof(struct perf_event_attr, wakeup_events) - sizeof(__u64);
	const __u64 flag = 1ull << 36;
	__u64 flags;

	memcpy(&flags, (char *)attr + flags_at, sizeof(flags));
	flags = on ? flags | flag : flags & ~flag;
	memcpy((char *)attr + flags_at, &flags, sizeof(flags));
}

/*
 * Tries to open an event. Older kernels refuse attributes that they don't support. Therefore drops such
 * attributes one by one, the least important first.
 */
static int try_fewer_attributes(struct memphis_perf_pmu *pmu, __u32 event)
{
	int err = try_event(pmu, event);

	if (err == -EINVAL) {
		pmu->attr.read_format &= ~(__u64)MEMPHIS_PERF_FORMAT_LOST;
		err = try_event(pmu, event);
	}
	if (err == -EINVAL) {
		set_remove_on_exec(&pmu->attr, false);
		err = try_event(pmu, event);
	}
	return err;
}

/*
 * Tries to open an event. IBS also samples the kernel, and the user may not be allowed to sample it. In this
 * case, makes perf drop these samples. This is the second choice, because perf does not count the dropped
 * samples.
 */
static int try_with_and_without_kernel(struct memphis_perf_pmu *pmu, __u32 event)
{
	int err = try_fewer_attributes(pmu, event);

	if (err == -EACCES && memphis_perf_pmu_exclude_kernel(pmu))
		err = try_fewer_attributes(pmu, event);
	return err;
}

/* Tries to open an event, first alone and then in a group. ENODATA is the error for an event that needs a group. */
static int try_alone_and_in_group(struct memphis_perf_pmu *pmu, __u32 event)
{
	int err = try_with_and_without_kernel(pmu, event);

	if (err != -ENODATA || event != MEMPHIS_EVENT_ACCESS)
		return err;
	pmu->needs_leader = true;
	return try_with_and_without_kernel(pmu, event);
}

/* Finds the events that perf accepts. Returns 0, or the error of the last attempt if perf accepts none. */
static int find_events(struct memphis_perf_pmu *pmu)
{
	const struct memphis_cpu_part part = memphis_part();
	const bool by_source = pmu->query.hardware == MEMPHIS_HARDWARE_PEBS &&
			       memphis_model_traits(&part) & MEMPHIS_TRAIT_BY_SOURCE;
	struct perf_event_attr attr;
	__u32 event, found = 0;
	int err = 0;

	for (event = 0; event < MEMPHIS_EVENTS; event++) {
		if (event && !by_source)
			break;
		attr = pmu->attr;
		err = try_alone_and_in_group(pmu, event);
		if (!err)
			found |= 1u << event;
		/* The attempts have changed the attributes, so restore them. */
		else
			pmu->attr = attr;
	}
	pmu->query.events = found;
	return found ? 0 : err;
}

/* Returns the index of the first PMU that sysfs lists, or ARRAY_SIZE(pmus) if there is none. */
static size_t find_pmu(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pmus); i++)
		if (!access(pmus[i].type, F_OK) && (!pmus[i].samples_loads || pmus[i].samples_loads()))
			break;
	return i;
}

bool memphis_perf_pmu_is_there(void)
{
	return find_pmu() < ARRAY_SIZE(pmus);
}

int memphis_perf_pmu_find(struct memphis_perf_pmu *pmu, char *remedy, size_t bytes)
{
	size_t i = find_pmu();
	int err;

	if (i == ARRAY_SIZE(pmus)) {
		memphis_part_refusal(0, remedy, bytes);
		return -ENODEV;
	}
	memset(pmu, 0, sizeof(*pmu));
	pmu->attr = (struct perf_event_attr){
		.type = (__u32)read_number(pmus[i].type),
		.size = sizeof(pmu->attr),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       MEMPHIS_PERF_FORMAT_LOST,
		.disabled = 1,
		.watermark = 1, /* wakeup_watermark is 0: wake up when the buffer is half full */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	set_remove_on_exec(&pmu->attr, true);
	pmus[i].describe(pmu);
	err = find_events(pmu);
	if (err) {
		memphis_perf_pmu_remedy(-err, remedy, bytes);
		return err;
	}
	find_filters(pmu);
	pmu->time_offset_ns = read_time_offset();
	find_nodes();
	return 0;
}

/*
 * Returns the highest value of kernel.perf_event_paranoid at which a user may sample threads. The value is 2
 * if samples of the kernel are excluded.
 */
static long paranoid_max(void)
{
	return access(DEVICES "/" IBS_NAME "/type", F_OK) || !access(SWFILT, F_OK) ? 2 : 1;
}

#define FORBIDDEN                                                                                      \
	"kernel.perf_event_paranoid is %ld: the administrator must set it to 1 (sysctl), or give the " \
	"program CAP_PERFMON"

static void explain_permission(int err, char *text, size_t bytes)
{
	const long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	struct rlimit locked = {0};
	char limits[320];

	getrlimit(RLIMIT_MEMLOCK, &locked);
	snprintf(
		limits, sizeof(limits),
		"a container's seccomp filter forbids perf_event_open, or its buffers exceed the locked memory that is allowed (kernel.perf_event_mlock_kb %ld per CPU, and `ulimit -l` %llu KiB); raise that, or set MEMPHIS_RING_RECORDS lower",
		read_number("/proc/sys/kernel/perf_event_mlock_kb"),
		(unsigned long long)locked.rlim_cur / 1024);
	if (err == EACCES && paranoid > 1)
		snprintf(text, bytes, FORBIDDEN, paranoid);
	else if (paranoid > paranoid_max())
		snprintf(text, bytes, FORBIDDEN "; also, %s", paranoid, limits);
	else
		snprintf(text, bytes, "kernel.perf_event_paranoid is %ld, which is enough: either %s",
			 paranoid, limits);
}

void memphis_perf_pmu_remedy(int err, char *text, size_t bytes)
{
	static const struct memphis_error_answer answers[] = {
		{{EINVAL},
		 "this kernel's perf can't let the event follow a thread (IBS: since Linux 6.2); the module can"},
		{{EBUSY}, "the hardware is in use by another; end that one first"},
		{{EMFILE, ENFILE}, "one file is needed for each event of a thread; raise `ulimit -n`"},
		{{ENOSPC},
		 "threads that have ended still occupy the files or the locked memory that are allowed; raise `ulimit -n`, `ulimit -l` or kernel.perf_event_mlock_kb"},
		{{0}, "see dmesg on this node"},
	};

	if (err == EACCES || err == EPERM)
		explain_permission(err, text, bytes);
	else if (err == ENODATA || err == EOPNOTSUPP)
		memphis_part_refusal(err, text, bytes);
	else
		snprintf(text, bytes, "%s", memphis_answer_for(answers, err));
}

__u16 memphis_perf_pmu_node(__u32 cpu)
{
	return cpu < CPUS_MAX ? node_of_cpu[cpu] : MEMPHIS_NODE_UNKNOWN;
}
