// SPDX-License-Identifier: BSD-3-Clause
/* Writes names of processes for reports that cover several processes. */
#include "read/process_name.h"

#include <inttypes.h>
#include <string.h>

void memphis_process_name(struct memphis_text *text, const struct memphis_process *process)
{
	const char *rank = memphis_setting(&process->settings, "rank");
	const char *host = memphis_setting(&process->settings, "host");

	if (rank) {
		memphis_text_put(text, "rank ");
		memphis_text_put_plain(text, rank);
	} else {
		memphis_text_print(text, "process %" PRIu32, process->pid);
	}
	if (host) {
		memphis_text_put(text, " on host ");
		memphis_text_put_plain(text, host);
	}
}

bool memphis_process_same_host(const struct memphis_process *a, const struct memphis_process *b)
{
	const char *one = memphis_setting(&a->settings, "host"),
		   *other = memphis_setting(&b->settings, "host");

	return one && other ? !strcmp(one, other) : one == other;
}

bool memphis_processes_of_hosts(const struct memphis_processes *processes)
{
	size_t i;

	for (i = 1; i < processes->count; i++)
		if (!memphis_process_same_host(&processes->list[0], &processes->list[i]))
			return true;
	return false;
}
