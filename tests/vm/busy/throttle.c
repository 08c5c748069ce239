// SPDX-License-Identifier: BSD-3-Clause
/*
 * perf throttles an event whose interrupts exceed the administrator's limit.
 * usage: throttle task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <stdio.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define LOADS 300000u

#define RATE  "/proc/sys/kernel/perf_event_max_sample_rate"
#define SHARE "/proc/sys/kernel/perf_cpu_time_max_percent"

static unsigned long rate_now(void)
{
	unsigned long rate = 0;
	FILE *file = fopen(RATE, "r");

	need(file && fscanf(file, "%lu", &rate) == 1, RATE);
	fclose(file);
	return rate;
}

/*
 * Sets the limit on the sample rate, which the kernel accepts only while the handlers' share of CPU time is
 * limited, too. The emulated handlers exceed that share, so an interrupt in between lowers the rate at once.
 */
static void allow(unsigned long rate)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", rate);
	do {
		set(SHARE, "99");
		set(RATE, text);
		set(SHARE, "0");
	} while (rate_now() != rate);
}

int main(void)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(0, BYTES);
	struct memphis_accounting slow, accounting;
	struct thread_map map;
	struct tally before;
	int fd;

	config.period = 1024;
	config.ring_records = 1 << 16;
	fd = open_session(&config);
	map = attach_mapped(fd, 0, &config);
	before = tally(fd);
	allow(1000); /* 4 interrupts per tick of 4 ms */
	start(fd);
	do
		walk(buffer, BYTES, LOADS);
	while (!read_books(&map).throttled);
	slow = read_books(&map);
	allow(10000000);
	walk(buffer, BYTES, LOADS); /* until the tick that ends the last throttling */
	accounting = read_books(&map);
	check("throttled: sampling continues after the last pause", accounting.interrupts > slow.interrupts);
	slow = accounting;
	walk(buffer, BYTES, LOADS);
	stop(fd);
	accounting = read_books(&map);
	printf("# %llu interrupts, throttled %llu\n", accounting.interrupts, accounting.throttled);
	check("throttled: the throttling is reported", accounting.throttled > 0);
	check_equal("throttled: no throttling at an allowed rate", accounting.throttled, slow.throttled);
	check_equal("throttled: the accounting balances", books_sum(&accounting), accounting.interrupts);
	check_equal("throttled: the accounting equals the machine's count", accounting.interrupts,
		    delivered_since(fd, before));
	unmap(&map);
	close_device(fd);
	return 0;
}
