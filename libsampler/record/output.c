/* SPDX-License-Identifier: BSD-3-Clause */
/* What one pass of the drain does: rings, events, regions and metadata become chunks. Run by the drain alone. */
#include "backend/backend.h"
#include "base/clock.h"
#include "core/attachment.h"
#include "core/names.h"
#include "data/short_lived.h"
#include "record/allocations.h"
#include "record/chunk.h"
#include "record/output.h"
#include "record/output_paths.h"
#include "record/pointer_scan.h"
#include "record/process_file.h"
#include "record/ring.h"
#include "record/thread_file.h"

static __u64 mark; /* stamp: events up to it can be converted */

void memphis_output_forked(bool past_handlers)
{
	memphis_allocations_forked(past_handlers);
	memphis_text_clear(&memphis_lines);
	memphis_session.stage.aside = false;
}

static void write_thread(struct memphis_thread *thread, int final)
{
	bool exited = memphis_thread_is_gone(thread);

	if (thread->finished)
		goto let_go;
	/* Whatever it still did stands before `exited`. */
	memphis_allocations_write(thread, mark, 1);
	if (exited || final)
		memphis_allocations_write(thread, memphis_clock_mark(), 0);
	memphis_thread_file_names(thread);
	if (thread->status) {
		if (exited)
			memphis_ring_look(thread);
		memphis_ring_write(thread, final || exited);
	}
	if (!exited)
		return;
	/* Nobody else may write into this file: what others may still sample is written. */
	memphis_allocations_write_withheld(thread, 1);
	/* Writes: not under the lock, which threads that begin need, and fork(). */
	memphis_thread_file_finish(thread, 1);
	thread->finished = true;
let_go:
	/* Records change hands under the session's lock; whoever holds it may wait for us. */
	if (pthread_mutex_trylock(&memphis_session.lock))
		return;
	memphis_detach(thread);
	memphis_thread_retire(thread);
	pthread_mutex_unlock(&memphis_session.lock);
}

int memphis_output_open(void)
{
	int err;

	memphis_process_file_open();
	memphis_thread_file_open();
	memphis_chunk_open();
	err = memphis_allocations_open();
	if (err)
		return err;
	/* Before the first sample, so that a process that is killed right then has a file that says who it was. */
	if (!memphis_session.deferred)
		memphis_process_file_metadata(0);
	return 0;
}

int memphis_output_begin(void)
{
	struct memphis_session *s = &memphis_session;
	int deferred = MEMPHIS_DEFERRED;
	int err;

	if (!atomic_load(&s->deferred))
		return 0;
	if (!atomic_compare_exchange_strong(&s->deferred, &deferred, MEMPHIS_DEFERRED_MAKING))
		return -EAGAIN;
	err = memphis_output_directory(s);
	if (!err)
		err = memphis_output_process_file(s);
	if (err)
		return err;
	memphis_process_file_metadata(0);
	atomic_store(&s->deferred, MEMPHIS_DEFERRED_NOT);
	return 0;
}

void memphis_output_pass(unsigned int what)
{
	int final = !!(what & ~(unsigned int)MEMPHIS_DRAIN_HOLDERS);
	struct memphis_thread *thread;

	memphis_backend->collect();
	if (what & MEMPHIS_DRAIN_HOLDERS)
		memphis_holders_list();
	mark = memphis_clock_mark();
	memphis_short_lived_turn();
	memphis_names_touch();
	/*
	 * Snapshots first, then the regions: so no sample up to its thread's snapshot has a region that the
	 * process file does not know.
	 */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && __atomic_load_n(&thread->status, __ATOMIC_ACQUIRE))
			memphis_ring_look(thread);
	memphis_process_file_metadata(what);
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done)
			write_thread(thread, final);
	if (what & MEMPHIS_DRAIN_SETTINGS)
		memphis_process_file_activity(what);
	memphis_process_file_losses();
}

/*
 * No task has the thread's number any more. The device says `exited` later, when the task has left its CPU for good, and
 * only when it is asked: of a thread that ends just before the process does, it may not have said so yet.
 */
static int is_over(const struct memphis_thread *thread)
{
	return syscall(SYS_tgkill, memphis_session.pid, thread->tid, 0) && errno == ESRCH;
}

void memphis_output_close(void)
{
	struct memphis_thread *thread;

	/* Threads that go on may be in a caliper or an allocation: what they use stays until the process is gone. */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && !thread->finished) {
			memphis_allocations_write_withheld(thread, 0);
			memphis_thread_file_finish(thread, is_over(thread));
		}
	memphis_process_file_losses();
	memphis_file_finish(&memphis_session.process_file);
}
