/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the memory controllers, read by the device. The module adds up the counters by name and node.
 * If other events used the hardware for a part of the time, the counts are scaled up here, as perf's counts
 * are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <memphis/device.h>

#include "base/text.h"
#include "base/fd.h"
#include "counters/uncore_device.h"
#include "settings/env.h"

static struct memphis_fd device = {.fd = -1};
static struct memphis_controllers now;
static struct {
	__u64 bytes, enabled, running; /* values at the last reading */
	double sum;
} entries[MEMPHIS_CONTROLLERS_MAX];
static char why[128];

const char memphis_uncore_displaced[] =
	"events of other perf users had the hardware of a counter all the time";

const char *memphis_uncore_device_why(void)
{
	return why;
}

static const char *explain_error(int err)
{
	static const struct memphis_error_answer answers[] = {
		{{EACCES}, "root has switched them off"},
		{{ESTALE}, "root has switched them on anew"},
		{{EBADF}, "there was no session of the device"},
		{{ENXIO}, "a counter has gone away with its CPU; root must switch them on anew"},
		{{0}, NULL},
	};
	const char *answer = memphis_answer_for(answers, err);

	return answer ? answer : memphis_error_text(err);
}

/* Reads the counts of the session. Returns 0 or a positive errno. */
static int read_counts(void)
{
	int fd = memphis_fd_get(&device);

	if (fd < 0)
		return EBADF;
	return ioctl(fd, MEMPHIS_IOC_CONTROLLERS, &now) ? errno : 0;
}

int memphis_uncore_device_open(void)
{
	int fd = memphis_fd_open(memphis_settings.device, O_RDONLY);
	int err = fd < 0 ? errno : -memphis_fd_take(&device, fd);

	memset(entries, 0, sizeof(entries));
	snprintf(why, sizeof(why), "%.64s: %s", memphis_settings.device, memphis_error_text(err));
	if (err)
		return -err;
	err = read_counts();
	if (!err)
		return 0;
	snprintf(why, sizeof(why), "%s", explain_error(err));
	memphis_uncore_device_close();
	return -err;
}

void memphis_uncore_device_close(void)
{
	memphis_fd_close(&device);
}

/*
 * Adds the reading of an entry. Returns false if other events have used the hardware all the time since the
 * last reading, so that nothing is known about this time.
 */
static bool add_reading(unsigned int at)
{
	const struct memphis_controller *entry = &now.entries[at];
	const bool stood =
		entry->enabled_ns > entries[at].enabled && entry->running_ns == entries[at].running;

	if (entry->running_ns > entries[at].running)
		entries[at].sum += (double)(entry->bytes - entries[at].bytes) *
				   (double)(entry->enabled_ns - entries[at].enabled) /
				   (double)(entry->running_ns - entries[at].running);
	entries[at].bytes = entry->bytes;
	entries[at].enabled = entry->enabled_ns;
	entries[at].running = entry->running_ns;
	return !stood;
}

/*
 * Starts a new session. The counts of the time without a session are unknown. This reading therefore has no
 * values, and the values of the next reading are marked as following a gap.
 */
static const char *restart_session(int err)
{
	if (err != ESTALE && err != EBADF)
		return explain_error(err);
	memphis_uncore_device_close();
	return memphis_uncore_device_open() ? why : explain_error(err);
}

const char *memphis_uncore_device_read(struct memphis_counters_sink *sink)
{
	const char *problem = NULL;
	int err = read_counts();
	unsigned int i;

	if (err)
		return restart_session(err);
	for (i = 0; i < now.count; i++) {
		const struct memphis_counters_quantity quantity = {
			.name = now.entries[i].name, .unit = "bytes", .node = now.entries[i].node};

		if (add_reading(i))
			sink->value(sink, &quantity, entries[i].sum);
		else
			problem = memphis_uncore_displaced;
	}
	return problem;
}
