// SPDX-License-Identifier: BSD-3-Clause
/*
 * A thread of node 0 writes all of a buffer again and again, and a thread of node 1 reads it. Who only writes does not wait: the buffer belongs to the node
 * that reads it.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:buffer lies on other nodes than those that use it: RANGE are on node 0 and used by node 1,
 * 100 % in region Work
 * try: let those threads that use a part initialise it (allocated at {allocation}; the first sampled stores are at
 * {produce} (produce_and_consume), which continues to store: other code may have initialised it), or divide the work at
 * {consume} (produce_and_consume) as the initialisation was: the same schedule, threads bound to CPUs
 */
#include "threads.h"

static volatile double *buffer;

static void produce_and_consume(int me, int round)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		buffer[i] = i + round; /* LINE: produce */
	for (int i = 0; me == 2 && i < ELEMENTS; i++)
		(void)buffer[i]; /* LINE: consume */
}

int main(void)
{
	buffer = aligned_alloc(4096, ELEMENTS * sizeof(*buffer)); /* LINE: allocation */
	native_watch((const void *)buffer, ELEMENTS * sizeof(*buffer), "buffer");
	crew_work(nothing, produce_and_consume);
	return 0;
}
