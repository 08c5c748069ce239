// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the device's counters of memory controllers around copies between two nodes, while `perf stat -a` of root and the machine count,
 * too. Prints "bytes KIND NODE NUMBER NAME" for the sum of each entry. usage: around ROUNDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traffic.h"

#define MSR_MODEL_CONTROL 0xc0011f01
#define CONTROL_START     1
#define CONTROL_STOP      2
#define CONTROL_RESET     3
#define CONTROL_DUMP      4

/* Passes a command to perf stat, and waits until it has been carried out. */
static void tell_perf(const char *command)
{
	char answer[8];

	need(write(file_of_root("FILE_CONTROL", "", O_WRONLY), command, strlen(command)) > 0 &&
		     read(file_of_root("FILE_ACK", "", O_RDONLY), answer, sizeof(answer)) > 0,
	     "perf stat");
}

static void tell_machine(uint64_t command)
{
	need(pwrite(file_of_root("FILE_MSR", "/dev/cpu/0/msr", O_WRONLY), &command, sizeof(command),
		    MSR_MODEL_CONTROL) == sizeof(command),
	     "the machine's count");
}

/* Both sessions have read the same counters one after the other: what differs is what the reading itself causes. */
static bool are_close(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= b / 1000;
}

int main(int count, char **arguments)
{
	const unsigned long rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 1;
	struct memphis_controllers first, old_before, old_after, before, after;
	uint64_t *a = buffer_on(0, ARRAY_BYTES), *b = buffer_on(2, ARRAY_BYTES);
	int old = open_device(), new;
	struct memphis_query query;

	need(!request(old, MEMPHIS_IOC_QUERY, &query), "query");
	check_equal("query: reads and writes of two nodes", query.controllers, 4);
	run_on(0);
	copy_rounds(b, a, 2);
	new = open_device();
	first = traffic_of(new);
	old_before = traffic_of(old);
	check("a session begins with what comes after it",
	      all_bytes(&old_before) > 5ul * ARRAY_BYTES && all_bytes(&first) < all_bytes(&old_before) / 20);

	tell_machine(CONTROL_RESET);
	tell_perf("enable\n");
	tell_machine(CONTROL_START);
	old_before = traffic_of(old);
	before = traffic_of(new);
	copy_rounds(b, a, rounds);
	after = traffic_of(new);
	old_after = traffic_of(old);
	tell_machine(CONTROL_STOP);
	tell_perf("disable\n");
	tell_machine(CONTROL_DUMP);

	check_equal("the entries are as many as the query says", after.count, query.controllers);
	for (uint32_t i = 0; i < after.count; i++) {
		const struct memphis_controller *entry = &after.entries[i];
		const uint64_t bytes = entry->bytes - before.entries[i].bytes;

		check("each session has all traffic of its time",
		      are_close(old_after.entries[i].bytes - old_before.entries[i].bytes, bytes));
		check_equal("nothing else has the counters", entry->running_ns, entry->enabled_ns);
		printf("bytes %s %d %llu %s\n", entry->kind == MEMPHIS_CONTROLLER_READ ? "read" : "write",
		       entry->node, (unsigned long long)bytes, entry->name);
	}
	return 0;
}
