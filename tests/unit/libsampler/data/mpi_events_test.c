/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collective calls of one thread. If this fails, traces lack messages without saying so, or have some twice. */
#include <pthread.h>
#include <sched.h>

#include "data/mpi_records.h"
#include "../../tap.h"

#define EVENTS 400000 /* of the thread that is followed */

static struct memphis_mpi_events events;
static struct memphis_mpi_event list[MEMPHIS_MPI_EVENTS_RING + 8];

static void put(__u64 number)
{
	memphis_mpi_events_put(&events, &(struct memphis_mpi_event){.begin_ns = number,
								    .end_ns = number + 1,
								    .sent_bytes = 10 * number,
								    .tag = (__s32)number,
								    .kind = MEMPHIS_MPI_SEND});
}

static bool has(const struct memphis_mpi_event *event, __u64 number)
{
	return event->begin_ns == number && event->end_ns == number + 1 && event->sent_bytes == 10 * number &&
	       event->tag == (__s32)number && event->kind == MEMPHIS_MPI_SEND;
}

static void check_order(void)
{
	__u64 number;

	ok(!memphis_mpi_events_are_there(&events) && !events.ring, "a thread without events has no buffer");
	for (number = 100; number < 105; number++)
		put(number);
	ok(memphis_mpi_events_are_there(&events), "events are there");
	is(memphis_mpi_events_take(&events, 103, list, 10), 3,
	   "those that ended up to the given time are taken");
	ok(has(&list[0], 100) && has(&list[2], 102), "in their order");
	is(memphis_mpi_events_take(&events, 1000, list, 1), 1, "as many as there is room for");
	ok(has(&list[0], 103), "each is taken once");
	is(memphis_mpi_events_take(&events, 1000, list, 10), 1, "up to the last one");
	ok(has(&list[0], 104) && !memphis_mpi_events_are_there(&events), "after which there are none");
}

static void check_full(void)
{
	__u64 number;

	for (number = 0; number < MEMPHIS_MPI_EVENTS_RING + 3; number++)
		put(number);
	is(events.lost, 3, "events that find no room are lost, and counted");
	is(memphis_mpi_events_take(&events, 1u << 30, list, MEMPHIS_MPI_EVENTS_RING + 8),
	   MEMPHIS_MPI_EVENTS_RING, "all others are taken");
	ok(has(&list[0], 0) && has(&list[MEMPHIS_MPI_EVENTS_RING - 1], MEMPHIS_MPI_EVENTS_RING - 1),
	   "the last ones are those lost");
	put(7);
	is(memphis_mpi_events_take(&events, 1000, list, 10), 1, "then there is room again");
	ok(has(&list[0], 7) && events.lost == 3, "which is used");
	memphis_mpi_events_close(&events);
	ok(!events.ring && !events.head && !events.lost, "after the close, all is as before the first event");
}

static void *follow(void *unused)
{
	__u64 number;

	for (number = 1; number <= EVENTS; number++) {
		put(number);
		if (number % 1000 == 0)
			sched_yield();
	}
	return unused;
}

static void check_concurrent(void)
{
	__u64 last = 0, taken = 0;
	bool good = true, over = false;
	pthread_t thread;
	__u32 count, i;

	if (pthread_create(&thread, NULL, follow, NULL))
		return;
	while (!over) {
		over = !pthread_tryjoin_np(thread, NULL);
		while ((count = memphis_mpi_events_take(&events, UINT64_MAX, list, 4096)) != 0) {
			for (i = 0; i < count; i++) {
				good &= list[i].begin_ns > last && has(&list[i], list[i].begin_ns);
				last = list[i].begin_ns;
			}
			taken += count;
		}
	}
	ok(good, "events taken while others are put are whole, and in order");
	is(taken + events.lost, EVENTS, "each is taken or counted as lost");
	memphis_mpi_events_close(&events);
}

int main(void)
{
	check_order();
	check_full();
	check_concurrent();
	return finish();
}
