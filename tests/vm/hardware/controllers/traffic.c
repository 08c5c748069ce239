// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of traffic.h. */
#include "traffic.h"

#define LINE 64

int try_traffic(int fd, struct memphis_controllers *traffic)
{
	return request(fd, MEMPHIS_IOC_CONTROLLERS, traffic);
}

struct memphis_controllers traffic_of(int fd)
{
	struct memphis_controllers traffic;

	errno = try_traffic(fd, &traffic);
	need(!errno, "read of the controllers");
	return traffic;
}

uint64_t all_bytes(const struct memphis_controllers *traffic)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < traffic->count; i++)
		sum += traffic->entries[i].bytes;
	return sum;
}

void copy_rounds(uint64_t *to, uint64_t *from, unsigned long rounds)
{
	volatile uint64_t *swap;

	for (; rounds; rounds--) {
		volatile uint64_t *target = to, *source = from;

		for (size_t i = 0; i < ARRAY_BYTES / sizeof(*to); i += LINE / sizeof(*to))
			target[i] = source[i];
		swap = to;
		to = from;
		from = (uint64_t *)swap;
	}
}
