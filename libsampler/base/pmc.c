/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the counters of the CPU for a thread. */
#include <fcntl.h>
#include <string.h>

#include "base/pmc.h"

int (*memphis_pmc_request)(__u64 values[MEMPHIS_COUNTERS_MAX]);

static int open_event(__u64 config, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

bool memphis_pmc_is_allowed(void)
{
	const int saved = errno, fd = open_event(PERF_COUNT_HW_CPU_CYCLES, -1);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return fd >= 0;
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
	static const __u64 configs[MEMPHIS_COUNTERS_MAX] = {PERF_COUNT_HW_CPU_CYCLES,
							    PERF_COUNT_HW_INSTRUCTIONS};
	const int saved = errno;
	int fds[MEMPHIS_COUNTERS_MAX] = {-1, -1}, i, err = 0;

	if (memphis_pmc_request)
		return open_by_request(pmc);
	/* One group, so that both count at the same times. */
	for (i = 0; i < MEMPHIS_COUNTERS_MAX && !err; i++) {
		fds[i] = open_event(configs[i], i ? fds[0] : -1);
		err = fds[i] < 0 ? -errno : 0;
		if (!err)
			pmc->pages[i] = sys_map_file(fds[i], MEMPHIS_PMC_BYTES, PROT_READ, 0, &err);
		if (!err && !pmc->pages[i]->cap_user_rdpmc)
			err = -EOPNOTSUPP;
	}
	/* An event exists as long as its page is mapped. */
	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++)
		if (fds[i] >= 0)
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
