// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pauses and resumes sampling at all points where a program may. Prints a line for each point: whether the library says that it
 * is sampling, and whether the device is started. Compiled with -DSTUB, uses the header for builds without the library.
 */
#include <stdio.h>
#include <string.h>

#ifdef STUB
#include <memphis_stub.h>
#else
#include <memphis.h>
#endif

extern int idle_is_started __attribute__((weak));

static void show(const char *point)
{
	printf("%s: %d %d\n", point, memphis_is_sampling(), &idle_is_started ? idle_is_started : -1);
}

static void expect(const char *what, int result)
{
	if (result)
		printf("%s: %s\n", what, strerror(-result));
}

int main(void)
{
	const struct memphis_region_name *step = memphis_region("Step");
	char status[13];

	if (memphis_status(status, sizeof(status)) < 12 || memphis_status(NULL, 0) < 12)
		printf("status: %s\n", status);
	show("at the begin");
	expect("pause", memphis_pause());
	expect("begin", memphis_begin("Run"));
	show("paused before the first caliper");
	expect("resume", memphis_resume());
	show("resumed");
	expect("pause", memphis_pause());
	expect("pause again", memphis_pause());
	show("paused twice");
	expect("begin", memphis_begin_region(step));
	show("a caliper opened in a pause");
	expect("resume", memphis_resume());
	show("resumed once");
	expect("end", memphis_end("Step"));
	expect("begin", memphis_begin("Step"));
	expect("end", memphis_end_region(step));
	expect("end", memphis_end_region(step));
	expect("pause", memphis_pause());
	expect("end", memphis_end("Run"));
	expect("resume", memphis_resume());
	show("resumed without a caliper");
	expect("begin", memphis_begin("Run"));
	show("a second run");
	expect("end", memphis_end("Run"));
	show("at the end");
	expect("register nothing", memphis_region("") ? -1 : 0);
	expect("begin nothing", memphis_begin_region(NULL));
	expect("register again", memphis_region("Step") == step ? 0 : -1);
	return 0;
}
