/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of one pass of the drain. A pass converts the new contents of rings, events, regions and metadata to chunks. */
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

static __u64 mark; /* stamp (base/clock.h) up to which event times can be converted */

void memphis_output_forked(bool past_handlers)
{
	memphis_allocations_forked(past_handlers);
	memphis_thread_file_forked();
	memphis_text_clear(&memphis_lines);
	memphis_session.output.stage.may_block = false;
}

/*
 * Returns true if the thread must get its file now. A thread may have ended although the kernel has not
 * removed its task yet. Such a thread needs no file in the last pass, because memphis_output_close() writes
 * the data that is held in memory.
 */
static bool needs_file(const struct memphis_thread_record *thread, unsigned int what)
{
	return (what & MEMPHIS_DRAIN_FILES) || ((what & MEMPHIS_DRAIN_CLOSE) && !atomic_load(&thread->ended));
}

static void write_thread(struct memphis_thread_record *thread, unsigned int what, bool final)
{
	bool exited = memphis_thread_is_gone(thread);
	__u64 until;

	if (thread->finished)
		goto let_go;
	/* `exited` was read first, so the events and names of an exited thread are complete now. */
	memphis_allocations_write(thread, mark, 1);
	if (exited || final)
		memphis_allocations_write(thread, memphis_clock_take_mark(), 0);
	memphis_thread_file_write_names(thread);
	/* Both calls use one mark, because a later mark would change the times to which stamps are converted. */
	until = exited ? memphis_clock_take_mark() : mark;
	memphis_thread_file_write_spans(thread, until, exited || final);
	memphis_thread_file_write_mpi_events(thread, until);
	memphis_thread_file_write_times(thread, memphis_process_file_last_region(), exited, exited || final);
	if (thread->status) {
		if (exited)
			memphis_ring_take_snapshot(thread);
		memphis_thread_file_ensure_if_used(thread);
		memphis_ring_write_samples(thread, final || exited);
	}
	if (!exited) {
		memphis_thread_file_give_own(thread, needs_file(thread, what));
		return;
	}
	/* Write all withheld records. Only this file contains them, and other threads may still sample the blocks. */
	memphis_allocations_write_withheld(thread, 1);
	/* Finish the file without the session's lock, because starting threads and fork() need that lock. */
	memphis_thread_file_finish(thread, 1);
	thread->finished = true;
let_go:
	/*
	 * The session's lock protects the retirement of records. Do not wait for the lock, because its holder
	 * may be waiting for the drain. A later pass tries again.
	 */
	if (!memphis_lock_try(&memphis_session.lock))
		return;
	memphis_detach(thread);
	memphis_thread_retire(thread);
	memphis_lock_release(&memphis_session.lock);
}

int memphis_output_open(void)
{
	int err;

	memphis_process_file_open();
	memphis_chunk_open();
	err = memphis_thread_file_open();
	if (!err)
		err = memphis_allocations_open();
	if (err)
		return err;
	/*
	 * Write the metadata before the first sample, so that even a process that is killed immediately has a
	 * file that identifies it.
	 */
	memphis_process_file_write_metadata(0);
	return 0;
}

void memphis_output_pass(unsigned int what)
{
	const bool final = (what & ~(unsigned int)MEMPHIS_DRAIN_HOLDERS) != 0;
	struct memphis_thread_record *thread;

	memphis_backend->collect();
	if (what & MEMPHIS_DRAIN_HOLDERS)
		memphis_holders_list();
	mark = memphis_clock_take_mark();
	memphis_short_lived_next_pass();
	memphis_names_touch();
	/*
	 * Take the snapshots first, then write the regions, so that the process file contains the regions of
	 * all samples up to the snapshots.
	 */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && __atomic_load_n(&thread->status, __ATOMIC_ACQUIRE))
			memphis_ring_take_snapshot(thread);
	memphis_process_file_write_metadata(what);
	memphis_thread_file_begin_pass();
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done)
			write_thread(thread, what, final);
	if (what & MEMPHIS_DRAIN_SETTINGS)
		memphis_process_file_write_activity(what);
	memphis_process_file_write_thread_count(final);
	memphis_process_file_write_losses();
}

/*
 * Returns 1 if no task has the thread's tid any more. `exited` is not sufficient: the module sets it only on
 * request, and only after the task has finally left its CPU. So `exited` may not be set yet for a thread that
 * ends just before the process ends.
 */
static int has_task_ended(const struct memphis_thread_record *thread)
{
	return syscall(SYS_tgkill, memphis_session.identity.pid, thread->tid, 0) && errno == ESRCH;
}

void memphis_output_close(void)
{
	struct memphis_thread_record *thread;

	/*
	 * Keep the memory of running threads until the process ends, because these threads may be inside a
	 * caliper or an allocation.
	 */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && !thread->finished) {
			memphis_allocations_write_withheld(thread, 0);
			memphis_thread_file_finish(thread, has_task_ended(thread));
		}
	memphis_thread_file_close();
	memphis_process_file_write_losses();
	memphis_file_finish(&memphis_session.output.process_file);
}
