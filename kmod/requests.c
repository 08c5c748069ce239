// SPDX-License-Identifier: GPL-2.0-only
/* Sessions: opening and releasing, the sampler that they use, and the requests to configure, attach, detach, start and stop. */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>

#include "audit.h"
#include "budget.h"
#include "controllers/controllers.h"
#include "event.h"
#include "mm_fd.h"
#include "owner.h"
#include "pmu.h"
#include "requests.h"
#include "sampler.h"
#include "session.h"
#include "thread.h"
#include "thread_counters.h"

#define RING_RECORDS_MAX (1U << 20)
#define LATENCY_MAX      0xffff

/* Number of bytes that an open session charges to its user's budget. */
#define SESSION_BYTES (MEMPHIS_PAGE_BYTES + MEMPHIS_SESSION_BYTES)

static unsigned int threads_max = 4096;
module_param(threads_max, uint, 0644);
MODULE_PARM_DESC(threads_max, "Threads that one session may attach (default 4096).");

u32 memphis_threads_max(void)
{
	return READ_ONCE(threads_max);
}

u32 memphis_ring_records_max(void)
{
	return RING_RECORDS_MAX;
}

const struct memphis_sampler *memphis_sampler __ro_after_init;

/*
 * Guards the two variables below. session.h documents the lock order. Sessions of different samplers exclude
 * each other, because the hardware has one counter per CPU: perf would give it to one of them only, or
 * alternate between them.
 */
static DEFINE_MUTEX(memphis_sampler_lock);
static const struct memphis_sampler *memphis_sampler_in_use; /* the sampler of all open sessions */
static unsigned int memphis_sampler_sessions;

/* Returns true if sessions may use the per-CPU sampler. */
static bool memphis_sampler_needs_cpus(void)
{
	return !memphis_pmu.per_task || (memphis_pmu.filters_allowed &&
					 memphis_pmu.hardware_filters != BIT(MEMPHIS_HARDWARE_FILTER_NONE));
}

int __init memphis_sampler_init(void)
{
	memphis_sampler = memphis_pmu.per_task ? &memphis_sampler_task : &memphis_sampler_cpu;
	return memphis_sampler_needs_cpus() ? memphis_cpu_init() : 0;
}

void memphis_sampler_exit(void)
{
	if (memphis_sampler_needs_cpus())
		memphis_cpu_exit();
}

/* Returns the sampler that implements a configuration. */
static const struct memphis_sampler *memphis_sampler_of(const struct memphis_config *config)
{
	return config->hardware_filter ? &memphis_sampler_cpu : memphis_sampler;
}

/*
 * Opens the sampler for a session. Returns 0, -EBUSY if sessions of the other sampler are open, or the error
 * of the sampler's open().
 */
static int memphis_sampler_open(struct memphis_device_session *session)
{
	int error = -EBUSY;

	mutex_lock(&memphis_sampler_lock);
	if (!memphis_sampler_sessions || memphis_sampler_in_use == session->sampler)
		error = session->sampler->open(session);
	if (!error) {
		memphis_sampler_in_use = session->sampler;
		memphis_sampler_sessions++;
	}
	mutex_unlock(&memphis_sampler_lock);
	return error;
}

static void memphis_sampler_close(struct memphis_device_session *session)
{
	mutex_lock(&memphis_sampler_lock);
	session->sampler->close(session);
	memphis_sampler_sessions--;
	mutex_unlock(&memphis_sampler_lock);
}

static s64 memphis_time_offset_ns(void)
{
	struct timespec64 offset = {0};

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

static void memphis_session_wake(struct irq_work *work)
{
	struct memphis_device_session *session = container_of(work, struct memphis_device_session, wake);

	wake_up_interruptible_poll(&session->wait, EPOLLIN | EPOLLRDNORM);
}

bool memphis_session_owned_by_current(const struct memphis_device_session *session)
{
	return session->mm == current->mm;
}

static void memphis_stop_locked(struct memphis_device_session *session)
{
	WRITE_ONCE(session->running, false);
	if (session->thread_count)
		session->sampler->stop(session);
}

/* Detaches a thread. Stops and closes the sampler for this session if the thread was the last one. */
static void memphis_detach_thread(struct memphis_device_session *session,
				  struct memphis_device_thread *thread)
{
	xa_erase(&session->slots, thread->slot);
	memphis_thread_unregister(thread);
	memphis_counters_release(thread);
	session->sampler->detach(thread);
	list_del(&thread->link);
	if (!--session->thread_count) {
		if (session->running)
			session->sampler->stop(session);
		memphis_sampler_close(session);
	}
	memphis_thread_put(thread);
}

/* Stops sampling, and detaches all threads. */
static void memphis_end_locked(struct memphis_device_session *session)
{
	struct memphis_device_thread *thread, *next;

	if (session->running)
		memphis_stop_locked(session);
	list_for_each_entry_safe (thread, next, &session->threads, link)
		memphis_detach_thread(session, thread);
}

/*
 * Stops sampling and detaches all threads if the owner no longer maps any area of the session.
 *
 * If another task holds the lock, the review does not wait: that task ends the session when it unlocks. A
 * review never waits for a request, so no session delays the reviews of other sessions.
 */
static void memphis_session_review(struct memphis_device_session *session)
{
	for (;;) {
		/*
		 * Orders the preceding operation before the following checks. The preceding operation is the
		 * unlocking by a holder, or the decrement in memphis_owner_unmapped(). If a holder unlocks
		 * while a review finds the lock taken, at least one of the two then sees that there are no
		 * mappings and no holder.
		 */
		smp_mb();
		if (memphis_owner_maps(session) || !READ_ONCE(session->thread_count) ||
		    !mutex_trylock(&session->lock))
			return;
		if (!memphis_owner_maps(session))
			memphis_end_locked(session);
		mutex_unlock(&session->lock);
	}
}

/*
 * Unlocks the session. Requests call it instead of mutex_unlock(), because the owner may have unmapped the
 * last area while the session was locked.
 */
static void memphis_session_unlock(struct memphis_device_session *session)
{
	mutex_unlock(&session->lock);
	memphis_session_review(session);
}

static void memphis_session_review_work(struct work_struct *work)
{
	memphis_session_review(container_of(work, struct memphis_device_session, review));
}

struct memphis_device_session *memphis_session_open(void)
{
	struct memphis_device_session *session;
	int error;

	if (!current->mm)
		return ERR_PTR(-EPERM);
	session = kzalloc(sizeof(*session), MEMPHIS_GFP);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->abi = MEMPHIS_ABI_OLDEST;
	session->user = memphis_user_get();
	if (!session->user) {
		error = -ENOMEM;
		goto free;
	}
	error = memphis_user_charge(session->user, SESSION_BYTES);
	if (error)
		goto put_user;
	session->control = memphis_control_alloc();
	if (!session->control) {
		error = -ENOMEM;
		goto uncharge;
	}
	error = memphis_event_begin(session);
	if (error)
		goto free_control;
	error = memphis_controllers_begin(session);
	if (error)
		goto end_events;
	session->mm = current->mm;
	mmgrab(session->mm);
	session->time_offset_ns = memphis_time_offset_ns();
	session->sampler = memphis_sampler;
	mutex_init(&session->lock);
	memphis_owner_begin(session, memphis_session_review_work);
	INIT_LIST_HEAD(&session->threads);
	xa_init_flags(&session->slots, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, memphis_session_wake);
	return session;

end_events:
	memphis_event_end(session);
free_control:
	memphis_control_free(session->control);
uncharge:
	memphis_user_uncharge(session->user, SESSION_BYTES);
put_user:
	memphis_user_put(session->user);
free:
	kfree(session);
	return ERR_PTR(error);
}

void memphis_session_release(struct memphis_device_session *session)
{
	memphis_owner_end(session);
	mutex_lock(&session->lock);
	memphis_end_locked(session);
	mutex_unlock(&session->lock);
	irq_work_sync(&session->wake);
	xa_destroy(&session->slots);
	mmdrop(session->mm);
	memphis_controllers_end(session);
	memphis_event_end(session);
	memphis_control_free(session->control);
	memphis_user_uncharge(session->user, SESSION_BYTES);
	memphis_user_put(session->user);
	kfree(session);
}

static bool memphis_stacks_are_valid(const struct memphis_config *config)
{
	if (!config->stack_bytes)
		return !config->stack_records;
	return config->stack_bytes <= MEMPHIS_STACK_BYTES_MAX && config->stack_bytes % sizeof(u64) == 0 &&
	       is_power_of_2(config->stack_records) && config->stack_records <= config->ring_records;
}

static bool memphis_config_is_valid(const struct memphis_config *config)
{
	const struct memphis_pmu *pmu = &memphis_pmu;

	if (config->period < (config->hardware_filter ? pmu->filter_period_min : pmu->period_min) ||
	    config->period > pmu->period_max || config->period % pmu->period_step)
		return false;
	if (config->hardware_filter >= MEMPHIS_HARDWARE_FILTERS ||
	    !(pmu->hardware_filters & BIT(config->hardware_filter)))
		return false;
	if (config->hardware_filter == MEMPHIS_HARDWARE_FILTER_LATENCY &&
	    config->min_latency_cycles < MEMPHIS_HARDWARE_LATENCY_STEP)
		return false;
	if (config->count >= 32 || !(pmu->counts & BIT(config->count)))
		return false;
	if (config->drop & ~MEMPHIS_DROPS || config->min_latency_cycles > LATENCY_MAX)
		return false;
	if (!is_power_of_2(config->ring_records) || config->ring_records > RING_RECORDS_MAX)
		return false;
	if (!config->wakeup_records || config->wakeup_records > config->ring_records)
		return false;
	if (config->events & ~pmu->events || (!config->events && !(pmu->events & BIT(MEMPHIS_EVENT_ACCESS))))
		return false;
	/*
	 * Samples of the other events have no latency. If they were sampled together with all loads, their
	 * loads would be counted twice.
	 */
	if (config->events & ~BIT(MEMPHIS_EVENT_ACCESS) &&
	    (config->min_latency_cycles || config->events & BIT(MEMPHIS_EVENT_ACCESS)))
		return false;
	if (!memphis_counters_are_valid(config))
		return false;
	return memphis_stacks_are_valid(config);
}

int memphis_session_agree(struct memphis_device_session *session, struct memphis_agreement *agreement)
{
	const u32 oldest = max_t(u32, agreement->oldest, MEMPHIS_ABI_OLDEST);
	const u32 newest = min_t(u32, agreement->newest, MEMPHIS_ABI);
	int error = 0;

	if (agreement->reserved || !agreement->oldest || agreement->oldest > agreement->newest)
		return -EINVAL;
	*agreement = (struct memphis_agreement){
		.oldest = MEMPHIS_ABI_OLDEST,
		.newest = MEMPHIS_ABI,
		.abi = oldest <= newest ? newest : 0,
	};
	mutex_lock(&session->lock);
	if (session->configured)
		error = -EBUSY;
	else if (agreement->abi)
		session->abi = agreement->abi;
	memphis_session_unlock(session);
	return error;
}

u32 memphis_session_abi(struct memphis_device_session *session)
{
	u32 abi;

	mutex_lock(&session->lock);
	abi = session->abi;
	memphis_session_unlock(session);
	return abi;
}

int memphis_session_configure(struct memphis_device_session *session, const struct memphis_config *config)
{
	int error;

	if (!memphis_config_is_valid(config))
		return -EINVAL;
	if (config->hardware_filter && !memphis_pmu.filters_allowed)
		return -EACCES;
	error = memphis_event_ask(session);
	if (error)
		return error;
	/* perf makes the same check for its samples of registers and stacks (perf_event_open(2), kernel_lockdown(7)). */
	if (config->stack_bytes && security_locked_down(LOCKDOWN_PERF))
		return -EPERM;
	mutex_lock(&session->lock);
	error = session->thread_count ? -EBUSY : memphis_counters_try(session, config);
	if (!error) {
		session->config = *config;
		session->sampler = memphis_sampler_of(config);
		session->totals = (struct memphis_pmu_totals){};
		if (!config->events)
			session->config.events = BIT(MEMPHIS_EVENT_ACCESS);
		if (memphis_pmu.hardware == MEMPHIS_HARDWARE_IBS)
			memphis_ibs_filter_init(&session->ibs_filter, &memphis_ibs_machine, config);
		session->configured = true;
	}
	memphis_session_unlock(session);
	return error;
}

/*
 * Looks up a user thread that is not exiting: in the caller's memory if `own` is true, otherwise in the
 * caller's PID namespace. Returns the task with a reference taken, or NULL.
 */
static struct task_struct *memphis_get_task(pid_t tid, bool own)
{
	struct task_struct *task;

	rcu_read_lock();
	task = tid ? pid_task(find_vpid(tid), PIDTYPE_PID) : current;
	if (task && (!own || READ_ONCE(task->mm) == current->mm) &&
	    !(READ_ONCE(task->flags) & (PF_EXITING | PF_KTHREAD)))
		get_task_struct(task);
	else
		task = NULL;
	rcu_read_unlock();
	return task;
}

/* Opens the sampler for the session's first thread. Starts the sampler if the session is running. */
static int memphis_open_sampler(struct memphis_device_session *session)
{
	int error;

	if (session->thread_count)
		return 0;
	error = memphis_sampler_open(session);
	if (error || !session->running)
		return error;
	error = session->sampler->start(session);
	if (error)
		memphis_sampler_close(session);
	return error;
}

static void memphis_close_sampler(struct memphis_device_session *session)
{
	if (session->thread_count)
		return;
	if (session->running)
		session->sampler->stop(session);
	memphis_sampler_close(session);
}

static int memphis_attach_task(struct memphis_device_session *session, struct task_struct *task,
			       struct mm_struct *mm, pid_t tid, struct memphis_attach *attach)
{
	struct memphis_device_thread *thread;
	const struct mm_struct *now;
	int error;

	error = memphis_open_sampler(session);
	if (error)
		return error;
	thread = memphis_thread_create(session, task, mm, tid);
	if (IS_ERR(thread)) {
		error = PTR_ERR(thread);
		goto close;
	}
	error = xa_alloc(&session->slots, &thread->slot, thread, xa_limit_31b, MEMPHIS_GFP);
	if (error)
		goto put;
	error = memphis_thread_register(thread);
	if (error)
		goto erase;
	error = session->sampler->attach(thread);
	if (error)
		goto unregister;
	/* Only a thread itself can read its counters. If perf refuses them, the thread is sampled without counters. */
	if (mm == session->mm)
		memphis_counters_create(thread);
	/*
	 * If the mm differs, the task has executed a program, and the caller has not proved its right to
	 * sample that program. If the task executes a program later, perf removes the event, or the overflow
	 * handler detects the other mm. A task that has exited has no mm. It is attached like a task that
	 * exits later, because samples may have been taken from it.
	 */
	now = READ_ONCE(task->mm);
	if (now && now != mm) {
		error = -ESRCH;
		goto detach;
	}

	list_add_tail(&thread->link, &session->threads);
	session->thread_count++;
	attach->control_offset = memphis_slot_offset(thread->slot);
	attach->ring_offset = attach->control_offset + MEMPHIS_PAGE_BYTES;
	attach->ring_bytes = thread->ring.bytes;
	attach->stacks_at = session->config.stack_records ? memphis_ring_stacks_at(&session->config) : 0;
	return 0;

detach:
	memphis_thread_unregister(thread);
	memphis_counters_release(thread);
	session->sampler->detach(thread);
	goto erase;
unregister:
	memphis_thread_unregister(thread);
erase:
	xa_erase(&session->slots, thread->slot);
put:
	memphis_thread_put(thread);
close:
	memphis_close_sampler(session);
	return error;
}

/*
 * Returns the mm in which the thread may be sampled, with a reference taken. This is the mm to which the
 * descriptor gives access, or the session's mm if the descriptor is 0.
 */
static struct mm_struct *memphis_get_mm(const struct memphis_device_session *session,
					struct task_struct *task, int descriptor)
{
	if (descriptor)
		return memphis_mm_from_fd(task, descriptor, session->config.stack_bytes);
	mmgrab(session->mm);
	return session->mm;
}

static int memphis_attach_locked(struct memphis_device_session *session, struct task_struct *task,
				 struct memphis_attach *attach)
{
	struct mm_struct *mm;
	int error;

	/* The right to sample the thread depends on the configuration, which can't change while the lock is held. */
	mm = memphis_get_mm(session, task, attach->memory);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	if (!session->configured)
		error = -ENODATA;
	else if (!memphis_owner_maps(session))
		error = -ENOTCONN;
	else if (session->thread_count >= memphis_threads_max())
		error = -ENOSPC;
	else
		error = memphis_attach_task(session, task, mm, attach->tid ? attach->tid : task_pid_vnr(task),
					    attach);
	mmdrop(mm);
	return error;
}

int memphis_session_attach(struct memphis_device_session *session, struct memphis_attach *attach)
{
	struct task_struct *task;
	int error;

	if (attach->tid < 0 || attach->memory < 0 || (attach->memory && !attach->tid))
		return -EINVAL;
	/* CONFIGURE has already asked the security modules, but the caller's credentials may have changed since. */
	if (!memphis_event_knows_current(session)) {
		error = memphis_event_ask(session);
		if (error)
			return error;
	}
	task = memphis_get_task(attach->tid, !attach->memory);
	if (!task)
		return -ESRCH;
	mutex_lock(&session->lock);
	error = memphis_attach_locked(session, task, attach);
	memphis_session_unlock(session);
	if (!error && attach->memory)
		memphis_audit_attach(task);
	put_task_struct(task);
	return error;
}

/*
 * Returns the attached thread with this ID, or NULL. If several threads have had the ID, returns one that has
 * ended, because a thread that was attached later may have reused the ID.
 */
static struct memphis_device_thread *memphis_find_thread(struct memphis_device_session *session, pid_t tid)
{
	struct memphis_device_thread *thread, *alive = NULL;

	list_for_each_entry (thread, &session->threads, link) {
		if (thread->tid != tid)
			continue;
		if (memphis_thread_reap(thread))
			return thread;
		alive = thread;
	}
	return alive;
}

static struct memphis_device_thread *memphis_find_current(struct memphis_device_session *session)
{
	struct memphis_device_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		if (thread->task == current)
			return thread;
	return NULL;
}

int memphis_session_detach(struct memphis_device_session *session, pid_t tid)
{
	struct memphis_device_thread *thread;
	int error = -ESRCH;

	mutex_lock(&session->lock);
	thread = tid ? memphis_find_thread(session, tid) : memphis_find_current(session);
	if (thread) {
		memphis_detach_thread(session, thread);
		error = 0;
	}
	memphis_session_unlock(session);
	return error;
}

int memphis_session_start(struct memphis_device_session *session)
{
	int error = 0;

	mutex_lock(&session->lock);
	if (session->running) {
		error = -EALREADY;
	} else if (!session->configured) {
		error = -ENODATA;
	} else {
		/* Set this before the events are enabled, because the first interrupt may come immediately. */
		WRITE_ONCE(session->running, true);
		if (session->thread_count)
			error = session->sampler->start(session);
		if (error)
			WRITE_ONCE(session->running, false);
	}
	memphis_session_unlock(session);
	return error;
}

int memphis_session_stop(struct memphis_device_session *session)
{
	int error = 0;

	mutex_lock(&session->lock);
	if (session->running)
		memphis_stop_locked(session);
	else
		error = -EALREADY;
	memphis_session_unlock(session);
	return error;
}

void memphis_session_stats(struct memphis_device_session *session, struct memphis_stats *stats)
{
	struct memphis_device_thread *thread;

	*stats = (struct memphis_stats){};
	mutex_lock(&session->lock);
	stats->unattached = session->sampler->unattached();
	list_for_each_entry (thread, &session->threads, link) {
		memphis_thread_reap(thread);
		stats->ring_bytes += thread->ring.bytes;
	}
	session->sampler->totals(session, stats);
	stats->threads = session->thread_count;
	stats->running = session->running;
	memphis_session_unlock(session);
}

bool memphis_session_is_due(struct memphis_device_session *session)
{
	struct memphis_device_thread *thread;
	bool due = false;

	mutex_lock(&session->lock);
	list_for_each_entry (thread, &session->threads, link) {
		memphis_thread_reap(thread);
		due = due || memphis_ring_is_due(&thread->ring);
	}
	memphis_session_unlock(session);
	return due;
}

struct memphis_device_thread *memphis_session_get_thread(struct memphis_device_session *session, u32 slot)
{
	struct memphis_device_thread *thread;

	/* The lock keeps the thread alive: the session erases the entry under this lock before it drops its reference. */
	xa_lock(&session->slots);
	thread = xa_load(&session->slots, slot);
	if (thread)
		kref_get(&thread->ref);
	xa_unlock(&session->slots);
	return thread;
}
