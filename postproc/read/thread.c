// SPDX-License-Identifier: BSD-3-Clause
/* Accounting and number of threads of a process. */
#include "read/thread.h"

#include <stdlib.h>
#include <string.h>

void memphis_accounting_add(struct memphis_accounting *sum, const struct memphis_accounting *more)
{
	unsigned int i;

	sum->interrupts += more->interrupts;
	sum->kept += more->kept;
	sum->lost += more->lost;
	sum->throttled += more->throttled;
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum->filtered[i] += more->filtered[i];
}

bool memphis_accounting_balance(const struct memphis_accounting *accounting)
{
	uint64_t sum = accounting->kept + accounting->lost;
	unsigned int i;

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += accounting->filtered[i];
	return sum == accounting->interrupts;
}

bool memphis_thread_balances(const struct memphis_thread *thread)
{
	if (!memphis_accounting_balance(&thread->accounting))
		return false;
	return thread->closed ? thread->read == thread->accounting.kept
			      : thread->read >= thread->accounting.kept;
}

size_t memphis_threads_without_data(const struct memphis_process *process)
{
	size_t threads = (size_t)memphis_setting_number(&process->settings, "threads_without_data", 0), i;

	/* The setting also counts threads that perf has sampled, although they are in the list. Subtract them. */
	for (i = 0; threads && i < process->thread_count; i++)
		threads -= memphis_setting(&process->threads[i].metadata, "recorded_by") != NULL;
	return threads;
}

size_t memphis_process_threads(const struct memphis_process *process)
{
	size_t threads = process->thread_count + memphis_threads_without_data(process), i;

	for (i = 0; i < process->thread_count; i++)
		threads += process->threads[i].others;
	return threads;
}

void memphis_mpi_sum_add(struct memphis_mpi_sum *sum, const struct memphis_mpi_sum *more)
{
	sum->calls += more->calls;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->sent_bytes += more->sent_bytes;
	sum->received_bytes += more->received_bytes;
	sum->ns += more->ns;
	sum->waits += more->waits;
	sum->known += more->known;
	sum->waited_ns += more->waited_ns;
}

static void close_log(struct memphis_thread_log *log)
{
	if (!log)
		return;
	free(log->parts);
	free(log->places);
	free(log->allocations);
	free(log->stack_ids);
	free(log->callers.ids);
	free(log->callers.places);
	free(log->in_frames.ids);
	free(log->in_frames.places);
	free(log->stack_frames);
	free(log->frames);
	free(log->tls);
	free(log->changes);
	free(log);
}

void memphis_thread_close(struct memphis_thread *thread)
{
	free(thread->path);
	close_log(thread->log);
	memphis_settings_close(&thread->metadata);
	free(thread->times);
	free(thread->mpi);
	memset(thread, 0, sizeof(*thread));
}
