// SPDX-License-Identifier: BSD-3-Clause
/*
 * A second user, who samples a thread in each round beside the workers, whatever these do: the thread's accounting must balance.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define USER 1001

static bool balances(const struct memphis_status *status)
{
	const struct memphis_accounting *accounting = &status->accounting;
	uint64_t sum = accounting->kept + accounting->lost;
	unsigned int i;

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += accounting->filtered[i];
	return sum == accounting->interrupts && accounting->kept == status->head;
}

/* One session. A request may fail, as the budget is changed and the module is unloaded. */
static void take_turn(struct worker *worker, int fd)
{
	struct memphis_config config = {
		.period = 1 << 16, .count = usable_count(), .ring_records = 64, .wakeup_records = 64};
	struct memphis_attach attach = {0};
	const struct memphis_status *status;
	volatile unsigned int spin;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page != MAP_FAILED && !ioctl(fd, MEMPHIS_IOC_CONFIGURE, &config) &&
	    !ioctl(fd, MEMPHIS_IOC_ATTACH, &attach)) {
		status = mmap(NULL, attach.ring_bytes, PROT_READ, MAP_SHARED, fd, (off_t)attach.ring_offset);
		ioctl(fd, MEMPHIS_IOC_START, NULL);
		for (spin = 0; spin < 200000 + roll(&worker->dice, 2000000); spin++)
			;
		ioctl(fd, MEMPHIS_IOC_STOP, NULL);
		if (status != MAP_FAILED) {
			__atomic_add_fetch(&shared->unbalanced, !balances(status), __ATOMIC_RELAXED);
			__atomic_add_fetch(&shared->turns, 1, __ATOMIC_RELAXED);
			munmap((void *)status, attach.ring_bytes);
		}
	}
	munmap(page, 4096);
	close(fd);
}

void second_user(struct worker *worker)
{
	if (syscall(SYS_setgid, USER) || setuid(USER))
		return;
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	while (!should_stop()) {
		int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);

		if (fd >= 0)
			take_turn(worker, fd);
		usleep(1000 * roll(&worker->dice, 300));
	}
}
