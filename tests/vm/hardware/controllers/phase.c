// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies between two nodes inside a caliper, while the machine counts. Around the copies and before the caliper there are pauses in which
 * nothing is read or written, so that it does not matter when in them counters are read. Begins when the file GO exists. usage: phase ROUNDS GO
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <memphis.h>

#include "traffic.h"

#define MSR_MODEL_CONTROL 0xc0011f01
#define CONTROL_START     1
#define CONTROL_STOP      2
#define CONTROL_RESET     3
#define CONTROL_DUMP      (4 | 1 << 8) /* to file 1 */

#define PAUSE_MS 2000

static void tell_machine(uint64_t command)
{
	need(pwrite(file_of_root("FILE_MSR", "/dev/cpu/0/msr", O_WRONLY), &command, sizeof(command),
		    MSR_MODEL_CONTROL) == sizeof(command),
	     "the machine's count");
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

int main(int count, char **arguments)
{
	uint64_t *a = buffer_on(0, ARRAY_BYTES), *b = buffer_on(2, ARRAY_BYTES);

	need(count == 3, "two arguments");
	while (access(arguments[2], F_OK))
		pause_ms(50);
	run_on(0);
	pause_ms(PAUSE_MS);
	tell_machine(CONTROL_RESET);
	memphis_begin("copies");
	tell_machine(CONTROL_START);
	pause_ms(PAUSE_MS);
	copy_rounds(b, a, strtoul(arguments[1], NULL, 10));
	pause_ms(PAUSE_MS);
	tell_machine(CONTROL_STOP);
	memphis_end("copies");
	tell_machine(CONTROL_DUMP);
	return 0;
}
