/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the memory controllers. perf reads them. Where perf refuses them to the user, the device reads
 * them if root has switched this on. Names and units are the same in both cases.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "base/text.h"
#include "counters/source.h"
#include "counters/uncore_find.h"
#include "counters/uncore_device.h"

static struct memphis_uncore_counter *counters;
static unsigned int count;
static bool by_device;
static char why[420];

static struct memphis_text_buffer text;

/* Opens and starts the counter. Returns 0 or -errno. */
static int start_counter(struct memphis_uncore_counter *counter)
{
	struct perf_event_attr attr = {
		.type = counter->type,
		.size = sizeof(attr),
		.config = counter->config[0],
		.config1 = counter->config[1],
		.config2 = counter->config[2],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct rlimit before;
	int fd, err;

	memphis_fd_raise(&before);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, counter->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	memphis_fd_restore(&before);
	return err ? err : memphis_fd_take(&counter->fd, fd);
}

static void close_uncore(void)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		memphis_fd_close(&counters[i].fd);
	count = 0;
	memphis_uncore_device_close();
}

static const char *explain_error(int err)
{
	long paranoid = memphis_text_read(&text, "/proc/sys/kernel/perf_event_paranoid") || !text.used
				? 0
				: strtol(text.data, NULL, 10);

	snprintf(why, sizeof(why), "perf_event_open: %s", memphis_error_text(-err));
	if (err == -EACCES || err == -EPERM)
		snprintf(
			why, sizeof(why),
			"kernel.perf_event_paranoid is %ld: an administrator must set it to 0 (sysctl), grant the program CAP_PERFMON, or let the device offer the counters (memphis node --controllers on; now: %s); Performance Co-Pilot can read them without",
			paranoid, memphis_uncore_device_why());
	return why;
}

static const char *open_uncore(UNUSED struct memphis_counters_sink *sink, UNUSED const char *list)
{
	unsigned int i;
	int err;

	by_device = false;
	if (!counters)
		counters = sys_map(MEMPHIS_UNCORE_MAX * sizeof(*counters));
	if (!counters)
		return "no memory";
	count = memphis_uncore_find(counters, MEMPHIS_UNCORE_MAX);
	if (!count)
		return "the kernel shows no counters of memory controllers here, as in virtual machines";
	for (i = 0; i < count; i++) {
		err = start_counter(&counters[i]);
		if (!err)
			continue;
		close_uncore();
		by_device = (err == -EACCES || err == -EPERM) && !memphis_uncore_device_open();
		return by_device ? NULL : explain_error(err);
	}
	return NULL;
}

/* Reads the counter and adds to its sum. Returns 0 or -errno. */
static int update_counter(struct memphis_uncore_counter *counter)
{
	struct {
		__u64 value, enabled, running;
	} now;
	double counted;
	int fd = memphis_fd_get(&counter->fd);

	if (fd < 0 || read(fd, &now, sizeof(now)) != sizeof(now))
		return -EBADF;
	counted = (double)(now.value - counter->value);
	if (now.running > counter->running)
		counter->sum += counter->bytes * counted * (double)(now.enabled - counter->enabled) /
				(double)(now.running - counter->running);
	counter->gone = now.enabled == counter->enabled;
	counter->stood = now.running == counter->running;
	counter->value = now.value;
	counter->enabled = now.enabled;
	counter->running = now.running;
	return 0;
}

/* Returns true if an earlier counter has the same name and node. The sum of such counters is reported only once. */
static bool is_reported_before(unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (counters[i].node == counters[at].node && !strcmp(counters[i].name, counters[at].name))
			return true;
	return false;
}

static const char *read_uncore(struct memphis_counters_sink *sink)
{
	const char *problem = NULL;
	unsigned int i, other;

	if (by_device)
		return memphis_uncore_device_read(sink);
	for (i = 0; i < count; i++)
		if (update_counter(&counters[i]))
			return "the program has closed its descriptors";
	for (i = 0; i < count; i++) {
		struct memphis_counters_quantity quantity = {
			.name = counters[i].name, .unit = "bytes", .node = counters[i].node};
		bool stood = false, gone = false;
		double sum = 0;

		if (is_reported_before(i))
			continue;
		for (other = i; other < count; other++)
			if (counters[other].node == counters[i].node &&
			    !strcmp(counters[other].name, counters[i].name)) {
				sum += counters[other].sum;
				stood |= counters[other].stood;
				gone |= counters[other].gone;
			}
		if (stood)
			problem = gone ? "a counter has gone away with its CPU" : memphis_uncore_displaced;
		else
			sink->value(sink, &quantity, sum);
	}
	return problem;
}

const struct memphis_counters_source memphis_counters_uncore = {"uncore", open_uncore, read_uncore,
								close_uncore};
