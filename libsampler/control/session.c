/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the sampling session at the first outermost caliper, and closes it when the process ends. */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "backend/backend.h"
#include "base/companion.h"
#include "base/own_stack.h"
#include "base/pmc.h"
#include "base/proc.h"
#include "base/say.h"
#include "base/text.h"
#include "control/attach.h"
#include "control/session.h"
#include "core/alloc_min.h"
#include "core/attachment.h"
#include "core/sample_epoch.h"
#include "core/sanitizer.h"
#include "core/stamp.h"
#include "counters/reader.h"
#include "record/drain.h"
#include "record/output_paths.h"
#include "settings/env.h"

#define CLOSE_TIMEOUT_MS 20000
#define CLOSE_LOCK_S     5
/* room on a stack for open_session(), which takes 10 KiB, and for signal handlers */
#define OPENING_BYTES (512u << 10)
/* time for which the program waits for a search; the search then continues without it */
#define SEARCH_MS 2000

/* true: the process is ending. Most destructors release blocks, so only new blocks justify another search for holders. */
static MEMPHIS_AT_FORK bool is_leaving;

int memphis_session_open_backend(struct memphis_session *s)
{
	struct memphis_refusal refusal;
	int err;

	if (memphis_backend_open(s->identity.other, &s->query, &s->config, &refusal)) {
		memphis_session_fail(refusal.where, refusal.err, refusal.remedy);
		return -ENODEV;
	}
	s->log = memphis_backend->log(0);
	s->control = memphis_backend->map(MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, 0, &err);
	if (!s->control)
		memphis_session_fail("map of the session's page", -err, memphis_backend_remedy(-err));
	return s->control ? 0 : -ENODEV;
}

void memphis_session_close_backend(struct memphis_session *s)
{
	s->log = NULL;
	sys_unmap(s->control, MEMPHIS_PAGE_BYTES);
	s->control = NULL;
	memphis_backend->close();
}

static int read_counters(__u64 values[MEMPHIS_COUNTERS_MAX])
{
	struct memphis_reading reading = {0};
	const int saved = errno, err = memphis_backend->request(MEMPHIS_IOC_READ, &reading);

	errno = saved;
	memcpy(values, reading.values, sizeof(reading.values));
	return err;
}

int memphis_session_open(struct memphis_session *s)
{
	struct memphis_stats stats;
	int err;

	memphis_env_complain();
	/* Without times, do not count events: counts are recorded together with the times, so nobody would read them. */
	if (!memphis_settings.region_times)
		memphis_settings.region_counters.on = false;
	s->identity.pid = memphis_proc_pid();
	s->identity.run.pid = (__u32)s->identity.pid;
	if (getrandom(s->identity.run.id, sizeof(s->identity.run.id), GRND_NONBLOCK) !=
	    sizeof(s->identity.run.id)) {
		s->identity.run.id[0] = clock_ns(CLOCK_REALTIME);
		s->identity.run.id[1] = (__u64)s->identity.pid << 32 ^ now_ns();
	}
	if (memphis_session_open_backend(s))
		goto no_device;
	err = memphis_output_directory(s);
	if (err)
		goto no_device;
	if (!s->output.stage.data)
		s->output.stage.data = sys_map(MEMPHIS_STAGE_BYTES);
	if (!s->output.stage.data) {
		memphis_session_fail("memory for the file writer", ENOMEM, "free some");
		goto no_device;
	}
	memphis_region_times_on = (int)memphis_settings.region_times;
	memphis_region_counters_on = memphis_settings.region_counters.on;
	memphis_spans_depth = (int)memphis_settings.spans;
	memphis_session_watch(atomic_load(&s->lead.counters));
	atomic_store(&memphis_region_counters_error, 0); /* a child has inherited its parent's value */
	memphis_pmc_request = s->config.counters ? read_counters : NULL;
	s->identity.start_ns = now_ns();
	s->identity.start_realtime_ns = clock_ns(CLOCK_REALTIME);
	s->unattached_before = memphis_backend->request(MEMPHIS_IOC_STATS, &stats) ? 0 : stats.unattached;
	err = memphis_output_process_file(s);
	if (err)
		goto no_device;
	return 0;
no_device:
	memphis_session_close_backend(s);
	return -ENODEV;
}

int memphis_session_switch_on(struct memphis_session *s)
{
	struct memphis_thread_record *leader;
	int err;

	if (s->activity.paused)
		return 0;
	/* From here on, new threads attach themselves. Now attach the threads that already exist. */
	atomic_store(&s->attaching, 1);
	memphis_newcomers_attach(true);
	/* From the first sample on, samples of threads without a caliper must have the leader's region. */
	memphis_lock_take(&s->lead.lock);
	leader = atomic_load(&s->lead.leader);
	if (leader) {
		memphis_stamp_lead(leader, true);
		memphis_stamp_copy(s->control, s->log, leader);
	}
	memphis_lock_release(&s->lead.lock);
	s->activity.since_ns = now_ns();
	err = memphis_backend->request(MEMPHIS_IOC_START, NULL);
	if (err && err != -EALREADY) {
		s->activity.since_ns = 0;
		return err;
	}
	s->activity.count++;
	if (!s->activity.first_ns)
		s->activity.first_ns = s->activity.since_ns;
	atomic_store(&memphis_hot.sampling, 1);
	return 0;
}

static void report_start(struct memphis_session *s)
{
	char text[512];

	if (!memphis_settings.verbose || s->state != MEMPHIS_SESSION_READY)
		return;
	memphis_session_status(text, sizeof(text));
	memphis_say("memphis: %s\n", text);
}

void memphis_session_abandon(struct memphis_session *s)
{
	struct memphis_thread_record *thread;

	memphis_counters_read(true, 0); /* ends the companion; the values that it reads are not used */
	unlink(s->process_path);
	rmdir(s->directory); /* removes the directory only if it is empty */
	memphis_fd_close(&s->output.process_file.fd);
	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		atomic_store(&thread->control, &thread->own_page);
		memphis_stamp_lead(thread, false);
		memphis_detach(thread);
		thread->attachment = MEMPHIS_ATTACH_FAILED;
	}
	memphis_newcomers_forget();
	memphis_session_close_backend(s);
}

/* Stops the backend, and updates the time for which sampling was on. */
static void stop_backend(struct memphis_session *s)
{
	memphis_backend->request(MEMPHIS_IOC_STOP, NULL);
	s->activity.last_ns = now_ns();
	s->activity.ns += s->activity.last_ns - s->activity.since_ns;
	s->activity.since_ns = 0;
}

/*
 * Switches sampling off. Returns MEMPHIS_DRAIN_* for the drain. Returns 0 if sampling was already off or must
 * continue. The caller holds the lock.
 */
static unsigned int switch_off(struct memphis_session *s, int closing)
{
	if (!atomic_load(&memphis_hot.sampling) || s->state != MEMPHIS_SESSION_READY)
		return 0;
	/*
	 * Clear the flag before checking the open calipers. A thread that opens a caliper at the same time is
	 * either already counted in `open`, or reads the cleared flag and takes the lock to switch sampling
	 * on.
	 */
	atomic_store(&memphis_hot.sampling, 0);
	if (!closing && atomic_load(&s->lead.open) > 0) {
		atomic_store(&memphis_hot.sampling, 1);
		return 0;
	}
	stop_backend(s);
	s->control->region = 0;
	return MEMPHIS_DRAIN_SETTINGS;
}

/* Called by the drain when no thread of the program exists any more. Switches sampling off permanently. */
static void on_program_end(void)
{
	struct memphis_session *s = &memphis_session;

	memphis_sample_epoch_forked();
	switch_off(s, 1);
	atomic_store(&s->attaching, 0);
	memphis_counters_read(true, MEMPHIS_COUNTER_LAST_MS);
}

static const struct memphis_drain_ops ops = {
	.begin = memphis_session_start,
	.before_pass = memphis_newcomers_pass,
	.program_ended = on_program_end,
};

int memphis_session_defer(bool was_forked)
{
	return memphis_drain_defer(&ops, was_forked);
}

bool memphis_session_is_usable(void)
{
	const struct memphis_session *s = &memphis_session;

	return atomic_load(&s->state) == MEMPHIS_SESSION_READY && !memphis_busy &&
	       s->identity.pid == getpid() && !memphis_is_copy();
}

bool memphis_session_is_deferred(void)
{
	return atomic_load(&memphis_session.state) == MEMPHIS_SESSION_FRESH && memphis_drain_is_deferred();
}

/*
 * Opens the session. Afterwards, the state is READY, with sampling on, or DEAD. `self` is the calling thread.
 * It is NULL in the drain, which is no thread of the program. The drain attaches all threads later, as if
 * they were new. The caller holds the lock.
 */
static int prepare_session(struct memphis_session *s, struct memphis_thread_record *self)
{
	int fresh = MEMPHIS_SESSION_FRESH;
	int err;

	err = memphis_session_open(s);
	if (err)
		return err;
	err = self ? memphis_attach(self) : 0;
	if (err) {
		memphis_session_fail("attach to the device", -err, memphis_backend_remedy(-err));
		goto fail;
	}
	err = memphis_drain_start(&ops);
	if (err) {
		memphis_session_fail("memory for the file writer", -err, "free some");
		goto fail;
	}
	memphis_counters_start(s);
	err = memphis_session_switch_on(s);
	if (err == -EBADF && s->tries_again)
		goto fail;
	if (err) {
		memphis_session_fail("start of sampling", -err, memphis_backend_remedy(-err));
		memphis_drain_request(MEMPHIS_DRAIN_ABANDON, CLOSE_TIMEOUT_MS);
		goto fail;
	}
	/* The process may have started to end in the meantime, which has changed the state. */
	if (!atomic_compare_exchange_strong(&s->state, &fresh, MEMPHIS_SESSION_READY)) {
		memphis_backend->request(MEMPHIS_IOC_STOP, NULL);
		atomic_store(&memphis_hot.sampling, 0);
		memphis_drain_request(MEMPHIS_DRAIN_ABANDON, CLOSE_TIMEOUT_MS);
		goto fail;
	}
	memphis_drain_request(MEMPHIS_DRAIN_NOW, 0);
	report_start(s);
	return 0;
fail:
	memphis_session_abandon(s);
	return -ENODEV;
}

/*
 * Returns the reason why this process is deliberately not sampled, for which no message is printed. Returns
 * NULL if the process must be sampled.
 */
static const char *reason_not_sampled(void)
{
	if (memphis_settings.disable)
		return "MEMPHIS_DISABLE=1";
	if (getauxval(AT_SECURE))
		return "a program with more rights than its user is never sampled";
	if (!memphis_env_is_chosen())
		return "MEMPHIS_RANKS names other ranks than this one";
	return NULL;
}

/*
 * Switches sampling on in a session that was sampling before. Prints a message only for the first failure,
 * not for each caliper.
 */
static int switch_on_again(struct memphis_session *s)
{
	static bool has_failed;
	int err = memphis_session_switch_on(s);

	if (err && !has_failed)
		memphis_say("memphis: sampling could not be switched on again: %s; %s\n",
			    memphis_error_text(-err), memphis_backend_remedy(-err));
	has_failed |= err != 0;
	return err;
}

/* The argument of open_session(): the thread that opens the session. The function stores its result in `err`. */
struct opening {
	struct memphis_thread_record *self; /* NULL: the drain */
	int err;
};

static void open_session(void *data)
{
	struct memphis_session *s = &memphis_session;
	struct opening *opening = data;
	struct memphis_held held;

	if (memphis_sanitizer()) {
		memphis_session_fail(memphis_sanitizer()->problem, 0, memphis_sanitizer()->remedy);
		return;
	}
	memphis_signals_hold(&held);
	s->output.stage.lock = &s->lock;
	opening->err = prepare_session(s, opening->self);
	memphis_signals_release(&held);
}

/*
 * Returns true if the thread's stack may lack room for open_session(), or if the thread runs on another stack. A
 * change of the stack is avoided where it can be: garbage collectors and sanitizers know the stacks of threads only.
 */
static bool lacks_stack(const struct memphis_thread_record *self)
{
	const __u64 here = (__u64)(uintptr_t)__builtin_frame_address(0);

	return here >= self->stacks.high || here < self->stacks.low + OPENING_BYTES;
}

int memphis_session_start(void)
{
	struct memphis_session *s = &memphis_session;
	const bool is_drain = memphis_companion_is_self();
	struct memphis_thread_record *self = is_drain ? NULL : memphis_thread_self();
	struct opening opening = {self, -ENODEV};
	int err = -ENODEV, cancel, fresh;

	if (!self && !is_drain)
		return -ENODEV;
	cancel = memphis_enter();
	fresh = s->state == MEMPHIS_SESSION_FRESH;
	if (fresh)
		memphis_lock_take(&s->start_lock);
	memphis_lock_take(&s->lock);
	if (s->state == MEMPHIS_SESSION_FRESH) {
		const char *unwanted = reason_not_sampled();

		if (unwanted) {
			snprintf(s->problem, sizeof(s->problem), "%s", unwanted);
			s->state = MEMPHIS_SESSION_DEAD;
			memphis_alloc_stop();
		} else if (!is_drain && lacks_stack(self)) {
			memphis_call_on_own_stack(open_session, &opening);
		} else {
			open_session(&opening);
		}
		err = opening.err;
	} else if (s->state == MEMPHIS_SESSION_READY && !atomic_load(&memphis_hot.sampling)) {
		err = switch_on_again(s);
	} else if (s->state == MEMPHIS_SESSION_READY) {
		err = 0;
	}
	memphis_lock_release(&s->lock);
	if (fresh)
		memphis_lock_release(&s->start_lock);
	memphis_leave(cancel);
	return err ? -ENODEV : 0;
}

/*
 * Searches for pointers to blocks at the end of the last caliper, because the program may release its arrays
 * right after it. memphis_drain_wants_holders() measures the cost of searches and limits their share of the
 * time, so short calipers in a loop are not slowed down.
 */
static void search_holders(unsigned int what)
{
	if (what && memphis_drain_wants_holders())
		memphis_drain_request(what | MEMPHIS_DRAIN_HOLDERS, SEARCH_MS);
}

void memphis_session_stop(int closing)
{
	struct memphis_session *s = &memphis_session;
	unsigned int what = 0;
	int cancel = memphis_enter();

	if (!memphis_lock_for(&s->lock, CLOSE_LOCK_S))
		goto leave;
	what = switch_off(s, closing);
	memphis_lock_release(&s->lock);
	if (!closing)
		search_holders(what);
leave:
	memphis_leave(cancel);
}

/* Returns true if this process can be sampled, as far as the library knows. */
static bool can_be_sampled(const struct memphis_session *s)
{
	return s->state == MEMPHIS_SESSION_FRESH || s->state == MEMPHIS_SESSION_READY;
}

int memphis_session_pause(void)
{
	struct memphis_session *s = &memphis_session;
	unsigned int what = 0;
	int cancel, err = -ENODEV;

	cancel = memphis_enter();
	memphis_lock_take(&s->lock);
	if (can_be_sampled(s)) {
		s->activity.pauses += !s->activity.paused;
		s->activity.paused = 1;
		err = 0;
	}
	if (!err && atomic_exchange(&memphis_hot.sampling, 0)) {
		stop_backend(s);
		what = MEMPHIS_DRAIN_SETTINGS;
	}
	memphis_lock_release(&s->lock);
	search_holders(what);
	memphis_leave(cancel);
	return err;
}

int memphis_session_resume(void)
{
	struct memphis_session *s = &memphis_session;
	int cancel, err = -ENODEV;

	cancel = memphis_enter();
	memphis_lock_take(&s->lock);
	if (can_be_sampled(s)) {
		s->activity.paused = 0;
		err = 0;
	}
	if (s->state == MEMPHIS_SESSION_READY && atomic_load(&s->lead.open) > 0 &&
	    !atomic_load(&memphis_hot.sampling))
		err = switch_on_again(s);
	memphis_lock_release(&s->lock);
	memphis_leave(cancel);
	return err ? -ENODEV : 0;
}

void memphis_session_leave(void)
{
	int cancel;

	if (!memphis_session_is_usable())
		return;
	is_leaving = true;
	cancel = memphis_enter();
	if (memphis_drain_has_news_of_blocks())
		memphis_drain_request(MEMPHIS_DRAIN_NOW | MEMPHIS_DRAIN_HOLDERS, SEARCH_MS);
	memphis_leave(cancel);
}

void memphis_session_close(unsigned int timeout_ms)
{
	struct memphis_session *s = &memphis_session;
	int state = MEMPHIS_SESSION_FRESH, news;

	if (atomic_compare_exchange_strong(&s->state, &state, MEMPHIS_SESSION_CLOSED) ||
	    state != MEMPHIS_SESSION_READY || s->identity.pid != getpid()) {
		atomic_store(&s->state, MEMPHIS_SESSION_CLOSED);
		memphis_alloc_stop();
		memphis_drain_dismiss(MEMPHIS_DRAIN_DISMISS_MS);
		return;
	}
	memphis_session_stop(1);
	memphis_alloc_stop();
	atomic_store(&s->attaching, 0);
	memphis_counters_read(true, MEMPHIS_COUNTER_LAST_MS);
	news = is_leaving ? memphis_drain_has_new_blocks() : memphis_drain_has_news_of_blocks();
	memphis_drain_request(MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_SETTINGS |
				      (news ? MEMPHIS_DRAIN_HOLDERS : 0),
			      timeout_ms);
	atomic_store(&s->state, MEMPHIS_SESSION_CLOSED);
	if (memphis_settings.verbose)
		memphis_say("memphis: %u threads, files in %s\n", (unsigned int)s->threads_attached,
			    s->directory);
}

void memphis_session_finish(void)
{
	/* Do nothing in a child of vfork(2), because its filter does not apply to the parent. */
	if (memphis_session.identity.pid != getpid() || memphis_is_copy())
		return;
	if (memphis_session.state == MEMPHIS_SESSION_READY)
		memphis_session.output.finished_early = 1;
	memphis_session_close(CLOSE_TIMEOUT_MS);
	/* A task that is not confined by the filter must not share the memory of a task that is. */
	memphis_drain_dismiss(CLOSE_TIMEOUT_MS);
}

void memphis_session_forked(__u64 forked_ns)
{
	struct memphis_session *s = &memphis_session;
	int was_ready = s->state == MEMPHIS_SESSION_READY;

	s->identity.pid = memphis_proc_pid();
	memphis_lock_reset(&s->start_lock);
	memphis_lock_reset(&s->lock);
	memphis_lock_reset(&s->lead.lock);
	atomic_store(&memphis_hot.sampling, 0);
	atomic_store(&s->attaching, 0);
	atomic_store(&s->lead.open, 0);
	s->lead.leader = NULL;
	s->tries_again = false;
	is_leaving = false;
	memphis_backend_forked();
	memphis_session_close_backend(s);
	memphis_newcomers_forget();
	memphis_file_forked(&s->output.process_file);
	s->output.stage.used = 0;
	s->output.stage.lock = NULL;
	s->output.stage.is_entered = false;
	/*
	 * If the parent has no session yet, its events are still in memory, and the child writes them to its
	 * own files. The child then keeps the grandparent as its parent.
	 */
	if (was_ready) {
		s->identity.parent_run = s->identity.run;
		s->identity.forked_ns = forked_ns;
	}
	s->activity.since_ns = s->activity.ns = s->activity.first_ns = s->activity.last_ns = 0;
	s->activity.count = s->output.allocations_unsampled = 0;
	s->activity.pauses = (__u64)s->activity.paused;
	s->threads_attached = s->threads_unsampled = 0;
	s->unsampled_reported = 0;
	if (was_ready)
		s->state = MEMPHIS_SESSION_FRESH;
}
