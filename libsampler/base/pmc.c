/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the counters of the CPU for a thread. */
#include <fcntl.h>
#include <string.h>

#include "base/pmc.h"

int (*memphis_pmc_request)(__u64 values[MEMPHIS_COUNTERS_MAX]);

struct memphis_counter_event memphis_pmc_events[MEMPHIS_COUNTER_EVENTS_MAX];
unsigned int memphis_pmc_event_count;

static const struct memphis_counter_event always[MEMPHIS_COUNTER_EVENT_FIRST] = {
	[MEMPHIS_COUNTER_CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
	[MEMPHIS_COUNTER_INSTRUCTIONS] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
};

static const struct memphis_counter_event *counter_event(unsigned int counter)
{
	return counter < MEMPHIS_COUNTER_EVENT_FIRST
		       ? &always[counter]
		       : &memphis_pmc_events[counter - MEMPHIS_COUNTER_EVENT_FIRST];
}

static int open_event(const struct memphis_counter_event *event, int group, bool pinned)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.pinned = pinned,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool memphis_pmc_is_allowed(void)
{
	const int saved = errno, fd = open_event(&always[MEMPHIS_COUNTER_CYCLES], -1, false);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return fd >= 0;
}

/* Returns 0 if perf accepts the event alone, otherwise -errno. */
static int try_alone(const struct memphis_counter_event *event)
{
	const int fd = open_event(event, -1, false);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int memphis_pmc_test_events(const struct memphis_counter_event *beside, unsigned int beside_count)
{
	const unsigned int count = MEMPHIS_COUNTER_EVENT_FIRST + memphis_pmc_event_count;
	int fds[MEMPHIS_COUNTERS_MAX + MEMPHIS_EVENTS + 1] = {-1}, err = 0;
	const int saved = errno;
	unsigned int opened;
	__u64 value;

	for (opened = 0; opened < count + beside_count; opened++) {
		const struct memphis_counter_event *event =
			opened < beside_count ? &beside[opened] : counter_event(opened - beside_count);

		/*
		 * perf counts a pinned group either all the time or not at all. If it does not count the
		 * group, read() returns no value.
		 */
		fds[opened] = open_event(event, opened ? fds[0] : -1, !opened);
		if (fds[opened] < 0) {
			/* perf reports the same error for a bad event and for a group that the CPU can't count. */
			err = try_alone(event);
			err = err ? err : -ENOSPC;
			break;
		}
	}
	if (!err && read(fds[0], &value, sizeof(value)) != sizeof(value))
		err = -ENOSPC;
	while (opened)
		close(fds[--opened]);
	errno = saved;
	return err;
}

static int open_by_request(struct memphis_pmc *pmc)
{
	__u64 values[MEMPHIS_COUNTERS_MAX];
	const int err = memphis_pmc_request(values);

	pmc->open = !err;
	return err;
}

int memphis_pmc_open(struct memphis_pmc *pmc)
{
	int fds[MEMPHIS_COUNTERS_MAX], err = 0;
	unsigned int opened = 0, i;
	const int saved = errno;

	pmc->count = MEMPHIS_COUNTER_EVENT_FIRST + memphis_pmc_event_count;
	if (memphis_pmc_request)
		return open_by_request(pmc);
	/* The counters form one group, so that they all count at the same times. */
	while (opened < pmc->count && !err) {
		fds[opened] = open_event(counter_event(opened), opened ? fds[0] : -1, false);
		if (fds[opened] < 0) {
			err = fds[opened];
			break;
		}
		pmc->pages[opened] = sys_map_file(fds[opened], MEMPHIS_PMC_BYTES, PROT_READ, 0, &err);
		if (!err && !pmc->pages[opened]->cap_user_rdpmc)
			err = -EOPNOTSUPP;
		opened++;
	}
	/* An event exists as long as its page is mapped. */
	for (i = 0; i < opened; i++)
		close(fds[i]);
	if (err)
		memphis_pmc_close(pmc);
	else
		pmc->open = true;
	errno = saved;
	return err;
}

bool memphis_pmc_is_shared(const struct memphis_pmc *pmc)
{
	const struct perf_event_mmap_page *page = pmc->pages[0];
	__u64 enabled, running;
	__u32 lock;

	if (!page)
		return false;
	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		enabled = __atomic_load_n(&page->time_enabled, __ATOMIC_ACQUIRE);
		running = __atomic_load_n(&page->time_running, __ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_ACQUIRE) != lock);
	return running < enabled - enabled / 100;
}

void memphis_pmc_close(struct memphis_pmc *pmc)
{
	int i;

	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++)
		if (pmc->pages[i])
			sys_unmap(pmc->pages[i], MEMPHIS_PMC_BYTES);
	memset(pmc, 0, sizeof(*pmc));
}
