/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: opened, asked, configured; and what to do when it refuses. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <memphis.h>

#include "backend/device.h"
#include "settings/env.h"
#include "settings/hardware.h"
#include "backend/perf.h"
#include "backend/perf_pmu.h"
#include "base/say.h"

/* A request to the device; 0 or -errno. */
int memphis_device_request(unsigned long what, void *argument)
{
	int fd;

	if (memphis_session.by_perf)
		return memphis_perf_request(what, argument);
	fd = memphis_fd_get(&memphis_session.fd);
	if (fd < 0)
		return -EBADF; /* the program closed it */
	return ioctl(fd, what, argument) ? -errno : 0;
}

int memphis_device_is_there(void)
{
	const __u64 backend = memphis_settings.backend;
	int saved = errno;
	int found = (backend != MEMPHIS_BACKEND_PERF && !access(memphis_settings.device, F_OK)) ||
		    (backend != MEMPHIS_BACKEND_DEVICE && memphis_perf_pmu_is_there());

	errno = saved;
	return found;
}

void *memphis_device_map(size_t bytes, int protection, __u64 offset, int *error)
{
	if (!memphis_session.by_perf)
		return sys_map_file(memphis_session.fd.fd, bytes, protection, offset, error);
	*error = 0;
	return (void *)(uintptr_t)offset;
}

struct memphis_region_log *memphis_device_log(pid_t tid)
{
	return memphis_session.by_perf ? memphis_perf_log(tid) : NULL;
}

static const char *open_remedy(int err)
{
	switch (err) {
	case ENOENT:
		return "load the module (modprobe memphis) on this node, or run on the node that has it";
	case EACCES:
	case EPERM:
		return "this user may not sample here; ask the site for access to the device "
		       "(its owner, group or ACL decides)";
	case EBUSY:
		return "the device is in use; wait until it is free";
	case ENODEV:
	case ENXIO:
		return "the device node is there, but no module behind it; load the module (modprobe "
		       "memphis)";
	case EMFILE:
		return "this process may open no more files; raise `ulimit -n`";
	default:
		return "see dmesg on this node";
	}
}

const char *memphis_device_remedy(int err)
{
	static char text[320]; /* the session's lock is held */

	if (memphis_session.by_perf) {
		memphis_perf_pmu_remedy(err, text, sizeof(text));
		return text;
	}
	switch (err) {
	case EBUSY:
		return "the sampling hardware is in use by perf or by a session with another period; "
		       "end that one first";
	case EDQUOT:
		return "the sample rings would exceed this user's share of pinned memory; "
		       "set MEMPHIS_RING_RECORDS lower, or ask the site for a higher ring budget of the "
		       "module";
	case ENOSPC:
		return "more threads than one session may have; see the module's parameters";
	case ENODEV:
	case EOPNOTSUPP:
		return "this CPU, or its BIOS set-up, offers no memory sampling to the kernel (dmesg names "
		       "it)";
	case EBADF:
		return "the program has closed the library's descriptor of the device; threads from before "
		       "are "
		       "sampled on";
	case ENOMEM:
		return "no memory for the sample rings; set MEMPHIS_RING_RECORDS lower";
	default:
		return "see dmesg on this node";
	}
}

/* Said when it is not what was asked for, give or take what the hardware needs. */
static __u64 fit_period(const struct memphis_query *query)
{
	const struct memphis_hardware *hardware = memphis_hardware(query->hardware);
	__u64 asked = memphis_settings.period == MEMPHIS_AUTO ? hardware->period : memphis_settings.period;
	__u64 period = memphis_hardware_period(query, asked);

	if ((asked > query->period_max || asked + query->period_step <= query->period_min) &&
	    memphis_env_speaks())
		memphis_say(
			"memphis: MEMPHIS_PERIOD=%llu is ignored, %llu is used: %s takes %llu to %llu here\n",
			asked, period, query->pmu, query->period_min, query->period_max);
	return period;
}

/* Likewise: a ring has a bound. */
static __u32 fit_ring(const struct memphis_query *query)
{
	__u64 asked = memphis_settings.ring_records, records = asked;

	while (records > query->ring_records_max && records > 2)
		records /= 2;
	if (records != asked && memphis_env_speaks())
		memphis_say("memphis: MEMPHIS_RING_RECORDS=%llu is ignored, %llu is used: at most %u here\n",
			    asked, records, query->ring_records_max);
	return (__u32)records;
}

/* Ask the device what it can do, and tell it what is wanted. */
static int configure(struct memphis_session *s)
{
	struct memphis_query *query = &s->query;
	struct memphis_config *config = &s->config;
	const struct memphis_hardware *hardware;
	char text[160];
	__u64 drop = memphis_settings.drop;
	__u32 count;
	int err;

	err = memphis_device_request(MEMPHIS_IOC_QUERY, query);
	if (err) {
		snprintf(text, sizeof(text), "%.128s", memphis_settings.device);
		memphis_session_fail(
			text, errno,
			errno == ENOTTY
				? "this is not the device of a memphis module that this library knows; "
				  "install module and library of one version"
				: memphis_device_remedy(-err));
		return -ENODEV;
	}
	query->version[sizeof(query->version) - 1] = '\0';
	query->pmu[sizeof(query->pmu) - 1] = '\0';
	if (query->abi != MEMPHIS_ABI) {
		snprintf(text, sizeof(text), "module %s speaks ABI %u, library %s speaks %u", query->version,
			 query->abi, MEMPHIS_VERSION, MEMPHIS_ABI);
		memphis_session_fail(text, 0, "install module and library of one version");
		return -ENODEV;
	}
	hardware = memphis_hardware(query->hardware);
	count = memphis_settings.count == MEMPHIS_AUTO ? hardware->count : (__u32)memphis_settings.count;
	if (!(query->counts & 1u << count)) {
		snprintf(text, sizeof(text), "MEMPHIS_COUNT=%s is not offered by %s",
			 memphis_count_names[count], query->pmu);
		memphis_session_fail(text, 0, "leave it out: what the hardware counts best is the default");
		return -ENODEV;
	}
	if (drop & ~(__u64)query->drops) {
		snprintf(text, sizeof(text), "MEMPHIS_FILTER asks for what %s does not offer", query->pmu);
		memphis_session_fail(text, 0, "leave it out");
		return -ENODEV;
	}
	memset(config, 0, sizeof(*config));
	config->period = fit_period(query);
	config->count = count;
	config->drop = (__u32)drop;
	config->min_latency_cycles = memphis_settings.min_latency == MEMPHIS_AUTO
					     ? hardware->min_latency
					     : (__u32)memphis_settings.min_latency;
	config->ring_records = fit_ring(query);
	config->wakeup_records = config->ring_records / 4 ? config->ring_records / 4 : 1;
	err = memphis_device_request(MEMPHIS_IOC_CONFIGURE, config);
	if (err) {
		snprintf(text, sizeof(text), "%.128s: configure", memphis_settings.device);
		memphis_session_fail(text, -err, memphis_device_remedy(-err));
		return -ENODEV;
	}
	return 0;
}

static int open_device(struct memphis_session *s)
{
	int fd = memphis_fd_open(memphis_settings.device, O_RDWR);

	return fd < 0 ? -errno : memphis_fd_take(&s->fd, fd);
}

/* The device first: it costs less, and asks for no more rights than the site has given. */
static int open_any(struct memphis_session *s)
{
	char text[480], why[400];
	int err, perf_err;

	s->by_perf = memphis_settings.backend == MEMPHIS_BACKEND_PERF;
	err = s->by_perf ? memphis_perf_open(s->other, why, sizeof(why)) : open_device(s);
	if (!err)
		return 0;
	if (s->by_perf || memphis_settings.backend == MEMPHIS_BACKEND_DEVICE) {
		memphis_session_fail(s->by_perf ? "perf" : memphis_settings.device, -err,
				     s->by_perf ? why : open_remedy(-err));
		return -ENODEV;
	}
	perf_err = memphis_perf_open(s->other, why, sizeof(why));
	if (perf_err) {
		snprintf(text, sizeof(text), "%s; nor by perf: %s; %.300s", open_remedy(-err),
			 strerror(-perf_err), why);
		memphis_session_fail(memphis_settings.device, -err, text);
		return -ENODEV;
	}
	s->by_perf = 1;
	if (memphis_settings.verbose)
		memphis_say("memphis: by perf: %s: %s; %s\n", memphis_settings.device, strerror(-err),
			    open_remedy(-err));
	return 0;
}

int memphis_device_open(struct memphis_session *s)
{
	int err = open_any(s);

	if (err)
		return err;
	err = configure(s);
	if (err)
		return err;
	s->log = memphis_device_log(0);
	s->control = s->by_perf ? sys_map(MEMPHIS_PAGE_BYTES)
				: memphis_device_map(MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, 0, &err);
	if (!s->control)
		memphis_session_fail("map of the session's page", err ? -err : ENOMEM,
				     memphis_device_remedy(err ? -err : ENOMEM));
	return s->control ? 0 : -ENODEV;
}

void memphis_device_release(struct memphis_session *s)
{
	if (s->by_perf)
		memphis_perf_close();
	s->log = NULL;
	sys_unmap(s->control, MEMPHIS_PAGE_BYTES);
	s->control = NULL;
	memphis_fd_close(&s->fd);
}

void memphis_device_forked(struct memphis_session *s)
{
	if (s->by_perf)
		memphis_perf_forked();
	s->by_perf = 0;
	memphis_device_release(s);
}
