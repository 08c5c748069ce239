/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over MPI calls. If this fails, calls are added to the wrong function or partner, or memory is exhausted by many partners. */
#include "data/mpi_records.h"

#include <signal.h>
#include <sys/time.h>

#include "base/clock.h"

#include "../../tap.h"

#define SENT(region_, partner_, bytes) \
	(&(struct memphis_mpi_sum){    \
		.region = (region_), .partner = (partner_), .calls = 1, .sent_bytes = (bytes), .ns = 10})

/* Stand-ins for the conversion of stamps. */
int memphis_clock_counts;

__u64 memphis_clock_ns(__u64 stamp)
{
	return stamp;
}

__u64 memphis_clock_duration_ns(__u64 stamps)
{
	return 2 * stamps;
}

static void sums_are_by_region_and_partner(void)
{
	struct memphis_mpi_sums sums = {0};
	struct memphis_mpi_sum sum;

	ok(memphis_mpi_sums_count(&sums) == 0, "there are no sums without calls");
	memphis_mpi_sums_add(&sums, SENT(5, 1, 100));
	memphis_mpi_sums_add(&sums, SENT(5, 1, 10));
	memphis_mpi_sums_add(&sums, SENT(5, MEMPHIS_MPI_NONE, 1));
	memphis_mpi_sums_add(&sums, SENT(6, 1, 1));
	memphis_mpi_sums_add(&sums, SENT(5, 1, 1));
	ok(memphis_mpi_sums_count(&sums) == 3, "three sums of two regions and two partners");
	ok(memphis_mpi_sums_take(&sums, 0, &sum) && sum.region == 5 && sum.partner == 1 && sum.calls == 3 &&
		   sum.sent_bytes == 111 && sum.ns == 60,
	   "the first one has the calls of its region and partner, and its time in ns");
	ok(!memphis_mpi_sums_take(&sums, 0, &sum), "a sum that has not changed is not written again");
	memphis_mpi_sums_add(&sums, &(struct memphis_mpi_sum){.region = 5, .partner = 1, .known = 1});
	ok(memphis_mpi_sums_take(&sums, 0, &sum) && sum.known == 1 && sum.calls == 3,
	   "any number that changes is a change");
	memphis_mpi_sums_close(&sums);
	ok(memphis_mpi_sums_count(&sums) == 0, "nothing is left after closing");
}

static void many_partners_share_a_sum(void)
{
	struct memphis_mpi_sums sums = {0};
	struct memphis_mpi_sum sum;
	__u64 calls = 0, others = 0, rest = 0;
	__u32 i;

	for (i = 0; i < 10000; i++)
		memphis_mpi_sums_add(&sums, SENT(1, (__s32)i, 1));
	ok(memphis_mpi_sums_count(&sums) == MEMPHIS_MPI_PARTNERS_MAX + 1, "further partners share one sum");
	for (i = 0; i < 5000; i++)
		memphis_mpi_sums_add(&sums, SENT(2 + i, MEMPHIS_MPI_NONE, 1));
	ok(memphis_mpi_sums_count(&sums) == MEMPHIS_MPI_SUMS_MAX - 1, "the number of sums is limited");
	for (i = 0; i < 10; i++)
		memphis_mpi_sums_add(&sums, SENT(7, (__s32)(MEMPHIS_MPI_FILE + i), 1));
	ok(memphis_mpi_sums_count(&sums) == MEMPHIS_MPI_SUMS_MAX, "and the last one is that of files");
	ok(memphis_mpi_sums_take(&sums, MEMPHIS_MPI_SUMS_MAX - 1, &sum) && !sum.region &&
		   sum.partner == MEMPHIS_MPI_FILE && sum.calls == 10,
	   "for which there is no other room");
	for (i = 0; i < MEMPHIS_MPI_SUMS_MAX - 1; i++) {
		memphis_mpi_sums_take(&sums, i, &sum);
		calls += sum.calls;
		if (sum.partner == MEMPHIS_MPI_OTHERS)
			*(sum.region ? &others : &rest) += sum.calls;
	}
	ok(calls == 15000, "all calls are counted");
	ok(others == 10000 - MEMPHIS_MPI_PARTNERS_MAX && rest > 3900 && rest < 5000,
	   "those beyond the limits in the sums of others");
	memphis_mpi_sums_close(&sums);
}

/* A signal handler adds to the same sums, also to new ones, all the time. */
static struct memphis_mpi_sums shared;
static unsigned int handled;

static void handler(int signal)
{
	(void)signal;
	memphis_mpi_sums_add(&shared, SENT(1, 1, 1));
	memphis_mpi_sums_add(&shared, SENT(10000 + handled++ % 5000, 1, 1));
}

static void handlers_add_to_the_sums_that_they_interrupt(void)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
	struct memphis_mpi_sum sum;
	__u64 calls = 0;
	__u32 i;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 2000000; i++)
		memphis_mpi_sums_add(&shared, SENT(1 + i % 5000, 1, 1));
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < memphis_mpi_sums_count(&shared); i++) {
		memphis_mpi_sums_take(&shared, i, &sum);
		calls += sum.calls;
	}
	ok(handled > 0, "the handler ran");
	ok(memphis_mpi_sums_count(&shared) == MEMPHIS_MPI_SUMS_MAX - 1,
	   "the table is full, up to the sum of the others of I/O");
	is(calls, 2000000 + 2 * handled, "no call is lost, of the handler or of what it interrupts");
	memphis_mpi_sums_close(&shared);
}

int main(void)
{
	handlers_add_to_the_sums_that_they_interrupt();
	sums_are_by_region_and_partner();
	many_partners_share_a_sum();
	return finish();
}
