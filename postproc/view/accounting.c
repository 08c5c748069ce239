// SPDX-License-Identifier: BSD-3-Clause
/* Adds up the accounting of threads, and checks it against the contents of the files. */
#include "view/accounting.h"

#include <stdio.h>
#include <string.h>

#include "profile/reasons.h"

/*
 * Adds the times of a process. A little CPU time is always unseen, because sampling of a thread starts only when the
 * library finds the thread.
 */
static void add_times(struct memphis_accounting_total *accounting, const struct memphis_process *process)
{
	uint64_t enabled = memphis_setting_number(&process->settings, "enabled_ns", 0);
	uint64_t cpu = memphis_setting_number(&process->settings, "cpu_ns", 0);

	accounting->enabled_ns += enabled;
	accounting->starved_ns += memphis_setting_number(&process->settings, "starved_ns", 0);
	accounting->cpu_ns += cpu;
	accounting->unseen_ns += cpu > enabled ? cpu - enabled : 0;
}

void memphis_account(const struct memphis_processes *processes, const struct memphis_selection *selection,
		     struct memphis_accounting_total *accounting)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	size_t i, j;

	memset(accounting, 0, sizeof(*accounting));
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!memphis_selection_has(selection, process))
			continue;
		add_times(accounting, process);
		accounting->threads += memphis_threads_without_data(process);
		for (j = 0; j < process->thread_count; j++) {
			thread = &process->threads[j];
			memphis_accounting_add(&accounting->sum, &thread->accounting);
			accounting->written += thread->read;
			accounting->selected += thread->selected;
			accounting->own += thread->own;
			memphis_homes_add(&accounting->homes, &thread->homes);
			accounting->threads += 1 + thread->others;
			accounting->unbalanced += !memphis_thread_balances(thread);
		}
	}
}

uint64_t memphis_homes_contrary(const struct memphis_homes *homes)
{
	return homes->remote_at_home + homes->local_away;
}

/*
 * Pages that migrate between an access and the lookup of their home node cause a few contradictions. If there are more
 * than 1 %, they must have another cause.
 */
bool memphis_homes_doubtful(const struct memphis_homes *homes)
{
	return 100 * memphis_homes_contrary(homes) > homes->known;
}

const char *memphis_reason_label(unsigned int reason, char buffer[24])
{
	const char *name = memphis_filter_reason_name(reason);

	if (name)
		return name;
	snprintf(buffer, 24, "reason-%u", reason);
	return buffer;
}
