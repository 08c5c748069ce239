/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of each thread, the list of all records, and what happens to a record when its thread ends. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/proc.h"
#include "core/session.h"
#include "core/thread.h"

#define LOCK_TRIES 1000
#define INLINE_KEYS \
	32 /* glibc (NPTL) stores the values of the first keys in the thread, and allocates memory for
	    * others */
#define BUCKETS 4096 /* the tids of a process are mostly consecutive, so few of them collide */

__thread struct memphis_thread_record *memphis_self __attribute__((tls_model("initial-exec")));
__thread size_t memphis_stack_bytes __attribute__((tls_model("initial-exec")));
/* Number of rounds of thread-specific destructors that have run in this thread. */
static __thread int exit_rounds __attribute__((tls_model("initial-exec")));

static MEMPHIS_AT_FORK _Atomic(struct memphis_thread_record *) list;
/*
 * Protects three things: additions to the list, the hash table (by tid) of records that are not `done`, and
 * the free list of records that are `done`.
 */
static MEMPHIS_AT_FORK struct memphis_lock list_lock;
static struct memphis_thread_record *by_tid[BUCKETS];
static MEMPHIS_AT_FORK struct memphis_thread_record *spare;
static pthread_key_t key;
static int key_made;
static const struct memphis_thread_end *at_end;

extern void *__libc_stack_end;

/* Finds the bounds of the main thread's stack. Does not call pthread_getattr_np(), because that function would open files. */
static void find_first_stack(struct memphis_thread_record *thread)
{
	__u64 high = (__u64)(uintptr_t)__libc_stack_end;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > 1ull << 40)
		limit.rlim_cur = 1ull << 40;
	memphis_stack_set_bounds(&thread->stacks, high - limit.rlim_cur, high);
}

/*
 * Finds the bounds of the stack of a thread other than the main thread. Does not call pthread_getattr_np(),
 * because that function would allocate memory. The upper end is the thread control block, which the C library
 * places there. The size comes from the attributes with which the thread was created. They are unknown if the
 * library was loaded later. The lower end is then the page of the current frame.
 */
static void find_stack(struct memphis_thread_record *thread)
{
	const __u64 page = MEMPHIS_PAGE_BYTES, frame = (__u64)(uintptr_t)__builtin_frame_address(0);
	const __u64 high = (memphis_tls_pointer() + page) & -page;
	const __u64 bytes = (memphis_stack_bytes + page - 1) & -page;

	if (frame < high && (!bytes || frame >= high - bytes))
		memphis_stack_set_bounds(&thread->stacks, bytes ? high - bytes : frame & -page, high);
}

/*
 * Completes the record: finds the bounds of the stack and registers the destructor. Registering allocates
 * memory if the program created many keys earlier. If find_stack() finds no plausible bounds, they stay
 * unknown.
 */
static void complete_record(struct memphis_thread_record *thread)
{
	thread->complete = true;
	if (thread->tid != memphis_proc_pid())
		find_stack(thread);
	if (key_made)
		pthread_setspecific(key, thread);
}

static struct memphis_thread_record **find_bucket(pid_t tid)
{
	return &by_tid[(__u32)tid % BUCKETS];
}

static void push_record(struct memphis_thread_record **chain, struct memphis_thread_record *thread)
{
	thread->link = *chain;
	*chain = thread;
}

static void remove_record(struct memphis_thread_record **chain, const struct memphis_thread_record *thread)
{
	while (*chain != thread)
		chain = &(*chain)->link;
	*chain = thread->link;
}

/* Creates a record for the tid, or reuses a free one, and adds it to the list. The caller holds the lock. */
static struct memphis_thread_record *make_record(pid_t tid)
{
	struct memphis_thread_record *thread = spare;

	if (thread) {
		spare = thread->link;
		/*
		 * Clear the members before `done`. The other members remain valid, because threads that walk
		 * the list read only those of a `done` record.
		 */
		memset(thread, 0, offsetof(struct memphis_thread_record, done));
	} else {
		thread = sys_map(sizeof(*thread));
		if (!thread)
			return NULL;
		atomic_store(&thread->done, 1);
		thread->next = memphis_thread_first();
		atomic_store_explicit(&list, thread, memory_order_release);
	}
	thread->tid = tid;
	thread->start_ns = now_ns();
	atomic_init(&thread->control, &thread->own_page);
	atomic_init(&thread->lead, &thread->own_page);
	memphis_events_init(&thread->events);
	push_record(find_bucket(tid), thread);
	atomic_store(&thread->done, 0);
	return thread;
}

struct memphis_thread_record *memphis_thread_first(void)
{
	return atomic_load_explicit(&list, memory_order_acquire);
}

/*
 * Finds the record of a running thread by its tid. With `leaving`, also finds the record of a thread that has
 * announced its end. The caller holds the lock.
 */
static struct memphis_thread_record *search_record(pid_t tid, bool leaving)
{
	struct memphis_thread_record *thread;

	for (thread = *find_bucket(tid); thread; thread = thread->link)
		if (thread->tid == tid && !(thread->status && thread->status->exited) &&
		    (!atomic_load(&thread->ended) || (leaving && atomic_load(&thread->owned))))
			return thread;
	return NULL;
}

struct memphis_thread_record *memphis_thread_find(pid_t tid)
{
	struct memphis_thread_record *thread;

	memphis_lock_take(&list_lock);
	thread = search_record(tid, false);
	if (!thread)
		thread = search_record(tid, true);
	if (!thread)
		thread = make_record(tid);
	memphis_lock_release(&list_lock);
	return thread;
}

bool memphis_thread_is_gone(const struct memphis_thread_record *thread)
{
	bool replaced;

	if (thread->status)
		return __atomic_load_n(&thread->status->exited, __ATOMIC_ACQUIRE);
	if (!atomic_load(&thread->ended) || !atomic_load(&thread->owned))
		return atomic_load(&thread->ended);
	memphis_lock_take(&list_lock);
	replaced = search_record(thread->tid, false) != NULL;
	memphis_lock_release(&list_lock);
	return replaced || memphis_proc_lacks_thread(thread->tid);
}

void memphis_thread_pause(void)
{
	memphis_lock_take(&list_lock);
}

void memphis_thread_resume(void)
{
	memphis_lock_release(&list_lock);
}

struct memphis_losses memphis_retired;

void memphis_thread_add_losses(struct memphis_losses *sum, const struct memphis_thread_record *thread)
{
	atomic_fetch_add(&sum->left_out.allocations, thread->left_out.allocations);
	atomic_fetch_add(&sum->left_out.releases, thread->left_out.releases);
	atomic_fetch_add(&sum->left_out.small, thread->left_out.small);
	atomic_fetch_add(&sum->stacks_left_out, thread->stacks.left_out);
	atomic_fetch_add(&sum->write_errors, thread->file.error != 0);
	atomic_fetch_add(&sum->bytes_left_out, thread->file.bytes_left_out);
	atomic_fetch_add(&sum->spans_lost, thread->spans.lost);
	atomic_fetch_add(&sum->spans_left_out, thread->spans.left_out);
	atomic_fetch_add(&sum->mpi_events_lost, thread->mpi_events.lost);
}

void memphis_thread_retire(struct memphis_thread_record *thread)
{
	memphis_thread_add_losses(&memphis_retired, thread);
	memphis_stack_free(&thread->stacks);
	memphis_stack_free(&thread->chains);
	memphis_stack_free(&thread->in_frames);
	sys_unmap(thread->frames, sizeof(*thread->frames));
	thread->frames = NULL;
	memphis_events_free(&thread->events);
	memphis_region_times_close(&thread->times);
	memphis_spans_close(&thread->spans);
	memphis_mpi_sums_close(&thread->mpi);
	memphis_mpi_events_close(&thread->mpi_events);
	memphis_lock_take(&list_lock);
	remove_record(find_bucket(thread->tid), thread);
	push_record(&spare, thread);
	atomic_store(&thread->done, 1);
	memphis_lock_release(&list_lock);
}

/*
 * Runs in each round of thread-specific destructors when a thread ends. Destructors of other keys may still
 * allocate and release memory. The thread therefore counts as ended only in the last round.
 */
static void on_thread_exit(void *value)
{
	struct memphis_thread_record *thread = value;
	/*
	 * If the thread's function has returned, a signal handler that calls a cancellation point could
	 * cancel the destructors.
	 */
	const int cancel = memphis_enter();

	if (++exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		if (thread->complete)
			pthread_setspecific(key, thread);
		else
			complete_record(thread);
		memphis_leave(cancel);
		return;
	}
	memphis_busy++; /* never decremented, because the thread ends */
	at_end->close_calipers(thread);
	memphis_tls_leave(&thread->tls);
	memphis_self = NULL;
	/* Store the thread's last name, because programs often name threads only after they have started. */
	sys_call(SYS_prctl, PR_GET_NAME, (long)(uintptr_t)thread->last_name, 0, 0, 0, 0);
	memphis_stack_end(&thread->stacks);
	if (!memphis_events_end(&thread->events) || at_end->retire(thread)) {
		atomic_store(&thread->ended, 1);
		at_end->ended();
	}
	memphis_leave(cancel);
}

/* Assigns a record to the calling thread. The caller holds the lock. */
static struct memphis_thread_record *assign_record(void)
{
	pid_t tid = sys_gettid();
	struct memphis_thread_record *thread;

	/*
	 * A child of vfork(2) gets no record. It shares thread-local variables with its parent, so its record
	 * would replace the parent's record.
	 */
	if (getpid() != memphis_proc_pid() && !memphis_is_copy())
		return NULL;
	thread = search_record(tid, false);
	/*
	 * If the record is already owned, it belongs to an earlier thread with this tid, and the drain has
	 * not noticed the end of that thread yet.
	 */
	if (!thread || atomic_load(&thread->owned))
		thread = make_record(tid);
	if (!thread)
		return NULL;
	atomic_store(&thread->owned, 1);
	__atomic_store_n(&thread->tls.pointer, memphis_tls_pointer(), __ATOMIC_RELEASE);
	if (tid == memphis_proc_pid())
		find_first_stack(thread);
	memphis_self = thread;
	return thread;
}

/*
 * Takes the lock, or returns -EBUSY after many attempts. Threads hold the lock only briefly, except a thread
 * that forks. That thread waits for the allocator's lock, which the caller of this function may hold.
 */
static int try_lock_for_long(void)
{
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (memphis_lock_try(&list_lock))
			return 0;
		sched_yield();
	}
	return -EBUSY;
}

/*
 * Takes the lock of the list. In a child created without the fork handlers, a thread that does not exist may
 * hold the lock, so this does not wait for an unlimited time.
 */
static int lock_list(void)
{
	if (memphis_is_copy())
		return try_lock_for_long();
	memphis_lock_take(&list_lock);
	return 0;
}

struct memphis_thread_record *memphis_thread_self(void)
{
	struct memphis_thread_record *thread = memphis_self;
	__u64 signals;
	int cancel;

	if (likely(thread && thread->complete))
		return thread;
	if (!thread && exit_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS)
		return NULL;
	cancel = memphis_enter();
	signals = sys_no_signals(); /* handlers may leave by longjmp(3) */
	if (!thread && !lock_list()) {
		thread = assign_record();
		memphis_lock_release(&list_lock);
	}
	if (thread)
		complete_record(thread);
	sys_signals(signals);
	memphis_leave(cancel);
	return thread;
}

struct memphis_thread_record *memphis_thread_self_below_malloc(void)
{
	struct memphis_thread_record *thread = memphis_self;
	__u64 signals;
	int cancel;

	/* Create no record if the library would not notice the end of the thread, because the record would never be reused. */
	if (thread || exit_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS || (key_made && key >= INLINE_KEYS))
		return thread;
	cancel = memphis_enter();
	signals = sys_no_signals();
	if (!try_lock_for_long()) {
		thread = assign_record();
		memphis_lock_release(&list_lock);
	}
	if (thread && key_made)
		pthread_setspecific(key, thread);
	sys_signals(signals);
	memphis_leave(cancel);
	return thread;
}

int memphis_thread_setup(const struct memphis_thread_end *end)
{
	int err;

	at_end = end;
	err = pthread_key_create(&key, on_thread_exit);
	key_made = !err;
	if (key_made && memphis_self)
		pthread_setspecific(key, memphis_self);
	return -err;
}

void memphis_thread_forked(bool past_handlers)
{
	struct memphis_thread_record *thread;
	size_t i;

	/* Another thread of the parent may have held the lock while it changed the list, the table or the free list. */
	memphis_lock_reset(&list_lock);
	for (i = 0; i < BUCKETS; i++)
		if (by_tid[i])
			by_tid[i] = NULL;
	spare = NULL;
	for (thread = memphis_thread_first(); thread && thread != memphis_self; thread = thread->next)
		;
	if (memphis_self && !thread)
		atomic_store(&list, memphis_self);
	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		int own = thread == memphis_self;

		sys_unmap(thread->page, MEMPHIS_PAGE_BYTES);
		sys_unmap(thread->status, thread->ring_bytes);
		thread->page = NULL;
		thread->status = NULL;
		atomic_store(&thread->control, &thread->own_page);
		atomic_store(&thread->lead, &thread->own_page);
		atomic_store(&thread->log, NULL);
		thread->own_page.region = 0;
		/*
		 * The parent writes the times and spans so far to its own files. Forget the counters before
		 * closing the times: the kernel does not map the pages of perf events in a child.
		 */
		memset(&thread->times.pmc, 0, sizeof(thread->times.pmc));
		memphis_spans_close(&thread->spans);
		memphis_region_times_close(&thread->times);
		memphis_mpi_sums_close(&thread->mpi);
		memphis_mpi_events_close(&thread->mpi_events);
		thread->depth = 0;
		memset(thread->left, 0, sizeof(thread->left));
		thread->attachment = MEMPHIS_UNATTACHED;
		thread->attach_error = 0;
		thread->tail = thread->touched = thread->head = 0;
		thread->stack_tail = thread->stack_head = 0;
		memset(&thread->accounting, 0, sizeof(thread->accounting));
		memset(&thread->accounting_written, 0, sizeof(thread->accounting_written));
		thread->written_ns = 0;
		memphis_file_forked(&thread->file);
		memphis_fd_close(&thread->comm);
		thread->has_file = 0;
		thread->facts_written = thread->stack_written = thread->openmp_written = 0;
		memset(thread->tls.written, 0, sizeof(thread->tls.written));
		thread->name_written[0] = '\0';
		thread->named_ns = 0;
		memphis_lock_reset(&thread->events.compact_lock);
		/* The ids of stacks are defined in the parent's file only, so the child must write the stacks again. */
		thread->stacks.written_block = NULL;
		thread->stacks.written = 0;
		thread->chains.written_block = thread->in_frames.written_block = NULL;
		thread->chains.written = thread->in_frames.written = 0;
		/* The parent's drain may have been changing these, so their memory is not used again. */
		if (past_handlers) {
			memset(&thread->chains, 0, sizeof(thread->chains));
			memset(&thread->in_frames, 0, sizeof(thread->in_frames));
		}
		if (thread->frames)
			memphis_frames_forget(thread->frames);
		if (own)
			thread->tid = sys_gettid();
		else
			atomic_store(&thread->ended, 1);
		push_record(thread->done ? &spare : find_bucket(thread->tid), thread);
	}
}
