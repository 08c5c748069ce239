/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the thread's stack of open regions, and the number that is stamped on its samples. */
#include <string.h>

#include <memphis.h>

#include "alloc.h"
#include "caliper.h"
#include "context.h"
#include "drain.h"
#include "env.h"
#include "lifecycle.h"
#include "names.h"
#include "openmp.h"
#include "session.h"

#define PUBLIC __attribute__((visibility("default")))

_Atomic __u64 memphis_regions_left_out, memphis_calipers_too_deep;

/*
 * Is it the region's name? `length` NUL: `name` ends with one. The common case is one call of the C library, so that
 * an inner caliper stays a matter of nanoseconds.
 */
static inline int is_name(const struct memphis_region *region, const char *name, size_t length)
{
	if (length == MEMPHIS_NUL)
		return !strcmp(region->name, name);
	return region->length == length && !memcmp(region->name, name, length);
}

static inline __u32 id_of(const struct memphis_region *region)
{
	return region ? region->id : 0;
}

/* The region of the calling thread's innermost open caliper. */
static inline struct memphis_region *innermost(const struct memphis_thread *self)
{
	__u32 depth = self->depth;

	if (!depth)
		return NULL;
	return self->open[likely(depth <= MEMPHIS_CALIPERS_MAX) ? depth - 1 : MEMPHIS_CALIPERS_MAX - 1];
}

/* There was no region left for the innermost caliper: its parent's stands there. */
static inline int is_left_out(const struct memphis_thread *self)
{
	struct memphis_region *parent = self->depth > 1 ? self->open[self->depth - 2] : NULL;

	return self->open[self->depth - 1] == parent;
}

/* A name longer than regions have, of which the region has the start. */
static int is_cut(const struct memphis_region *region, const char *name, size_t length)
{
	if (length == MEMPHIS_NUL)
		length = strlen(name);
	return length > MEMPHIS_REGION_NAME_MAX && region->length == MEMPHIS_REGION_NAME_MAX &&
	       !memcmp(region->name, name, MEMPHIS_REGION_NAME_MAX);
}

static inline void put_region(struct memphis_control *control, struct memphis_region_log *log, __u32 region)
{
	__atomic_store_n(&control->region, region, __ATOMIC_RELAXED);
	if (unlikely(log != NULL))
		memphis_region_log_add(log, region);
}

static inline void stamp(struct memphis_thread *self, struct memphis_region *region)
{
	/* Also aside, from where an attach that happens meanwhile takes it. */
	__atomic_store_n(&self->aside.region, id_of(region), __ATOMIC_RELAXED);
	put_region(atomic_load_explicit(&self->control, memory_order_relaxed),
		   atomic_load_explicit(&self->log, memory_order_relaxed), id_of(region));
	if (atomic_load_explicit(&memphis_session.leader, memory_order_relaxed) == self &&
	    memphis_session.control)
		put_region(memphis_session.control, memphis_session.log, id_of(region));
}

static __attribute__((noinline)) struct memphis_region *look_up(struct memphis_thread *self,
								struct memphis_known_region *known,
								struct memphis_region *parent,
								const char *name, size_t length)
{
	struct memphis_region *region;

	/* Main's first caliper is opened before there is a team. */
	if (!self->openmp)
		memphis_openmp_ask(self);
	region = memphis_region_get(parent, name, length == MEMPHIS_NUL ? strlen(name) : length);

	if (!region) {
		atomic_fetch_add(&memphis_regions_left_out, 1);
		return parent;
	}
	known->name = name;
	known->parent = parent;
	known->region = region;
	return region;
}

/* By the caller's pointer first; its text decides, for it may be a buffer that is used again. */
static inline struct memphis_region *find(struct memphis_thread *self, const char *name, size_t length)
{
	struct memphis_region *parent = innermost(self);
	struct memphis_known_region *known;

	known = &self->cache[((uintptr_t)name ^ (uintptr_t)name >> 6 ^ id_of(parent)) % MEMPHIS_REGION_CACHE];
	if (likely(known->name == name && known->parent == parent && known->region &&
		   is_name(known->region, name, length)))
		return known->region;
	return look_up(self, known, parent, name, length);
}

static inline void push(struct memphis_thread *self, const char *name, size_t length)
{
	struct memphis_region *region;

	if (unlikely(self->depth >= MEMPHIS_CALIPERS_MAX)) {
		self->depth++;
		atomic_fetch_add(&memphis_calipers_too_deep, 1);
		return;
	}
	region = find(self, name, length);
	self->open[self->depth++] = region;
	stamp(self, region);
}

void memphis_caliper_copy(struct memphis_control *to, struct memphis_region_log *log,
			  const struct memphis_thread *thread)
{
	__u32 region;

	do {
		region = __atomic_load_n(&thread->aside.region, __ATOMIC_SEQ_CST);
		__atomic_store_n(&to->region, region, __ATOMIC_SEQ_CST);
		if (log)
			memphis_region_log_add(log, region);
	} while (__atomic_load_n(&thread->aside.region, __ATOMIC_SEQ_CST) != region);
}

/*
 * The leader is the thread whose region is that of threads without a caliper: whoever opened the first of those that
 * are open. `lead_lock` is held, which keeps the leader and the count of open calipers together.
 */
static void enter(struct memphis_session *s, struct memphis_thread *self)
{
	if (!atomic_load(&s->leader))
		atomic_store(&s->leader, self);
}

/* Another thread with an open caliper takes over. Behind the `last` one, the region stays until sampling is off. */
static void leave(struct memphis_session *s, struct memphis_thread *self, int last)
{
	struct memphis_thread *next;

	if (atomic_load(&s->leader) != self)
		return;
	for (next = last ? NULL : memphis_thread_first(); next; next = next->next)
		/* Whoever is about to close it comes here, too; whoever has been here has a depth of 0. */
		if (next != self && !next->done && __atomic_load_n(&next->depth, __ATOMIC_RELAXED))
			break;
	atomic_store(&s->leader, next);
	memphis_context_mark(s, next ? id_of(next->open[0]) : 0);
	if (next && s->control)
		memphis_caliper_copy(s->control, s->log, next);
	else if (!last && s->control)
		put_region(s->control, s->log, 0);
}

/* The thread has closed its last caliper. */
static __attribute__((noinline)) void end_last(struct memphis_thread *self)
{
	struct memphis_session *s = &memphis_session;
	int last;

	memphis_frames_end(self->frames, &self->stacks, __builtin_frame_address(0));
	pthread_mutex_lock(&s->lead_lock);
	last = atomic_fetch_sub(&s->open, 1) == 1;
	leave(s, self, last);
	pthread_mutex_unlock(&s->lead_lock);
	/* The way to the end of sampling belongs to the caliper: it keeps its region until then. */
	if (last)
		memphis_session_stop(0);
	stamp(self, NULL);
}

void memphis_caliper_abandon(struct memphis_thread *self)
{
	if (!self->depth)
		return;
	self->depth = 0;
	end_last(self);
}

/* The thread opens its first caliper: if it is the process's first, too, switch sampling on. */
static __attribute__((noinline)) int begin_first(const char *name, size_t length)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread *self;
	int state = atomic_load(&s->state);
	int others;

	if (state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED)
		return -ENODEV;
	memphis_fork_check();
	self = memphis_thread_self();
	if (!self)
		return -ENODEV;
	memphis_openmp_ask(self);
	memphis_frames_begin(&self->frames, &self->stacks, __builtin_frame_address(0));
	pthread_mutex_lock(&s->lead_lock);
	others = atomic_fetch_add(&s->open, 1);
	enter(s, self);
	push(self, name, length);
	if (atomic_load(&s->leader) == self)
		memphis_context_mark(s, id_of(self->open[0]));
	pthread_mutex_unlock(&s->lead_lock);
	/* Sampling may be about to start, or to end: then it is our turn as well. */
	if (others && atomic_load(&memphis_hot.sampling))
		return 0;
	if (memphis_session_start()) {
		self->depth = 0;
		stamp(self, NULL);
		pthread_mutex_lock(&s->lead_lock);
		leave(s, self, atomic_fetch_sub(&s->open, 1) == 1);
		pthread_mutex_unlock(&s->lead_lock);
		return -ENODEV;
	}
	stamp(self, innermost(self)); /* now that the pages are there */
	return 0;
}

static inline int begin(const char *name, size_t length)
{
	struct memphis_thread *self = memphis_self;

	/* A wiped flag with an open caliper: we are in a child that the fork handlers did not see. */
	if (unlikely(!self || !self->depth ||
		     !atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed))) {
		if (self && self->depth && memphis_session.pid == getpid() &&
		    atomic_load(&memphis_session.state) == MEMPHIS_SESSION_READY)
			goto open;
		return begin_first(name, length);
	}
open:
	push(self, name, length);
	return 0;
}

/* The outermost one was closed, others stay. */
static void tell_outermost(const struct memphis_thread *self)
{
	struct memphis_session *s = &memphis_session;

	pthread_mutex_lock(&s->lead_lock);
	if (atomic_load(&s->leader) == self)
		memphis_context_mark(s, id_of(self->open[0]));
	pthread_mutex_unlock(&s->lead_lock);
}

/*
 * Not the innermost one: those inside it stay open, in what is left around them. So a sample's region always tells the
 * calipers that are open.
 */
static __attribute__((noinline)) int end_overlapped(struct memphis_thread *self, const char *name,
						    size_t length)
{
	struct memphis_region *parent, *before, *region;
	__u32 at, i;

	for (at = self->depth - 1; at > 0; at--) {
		region = self->open[at - 1];
		parent = at > 1 ? self->open[at - 2] : NULL;
		if (region != parent && (is_name(region, name, length) || is_cut(region, name, length)))
			break;
	}
	if (!at)
		return -EINVAL;
	/* Now it is the one at `at` - 1, and `parent` what is around it. */
	before = region;
	for (i = at; i < self->depth; i++) {
		region = self->open[i];
		if (region != before) {
			before = region;
			region = memphis_region_get(parent, region->name, region->length);
			if (!region)
				atomic_fetch_add(&memphis_regions_left_out, 1);
			parent = region ? region : parent;
		}
		self->open[i - 1] = parent;
	}
	self->depth--;
	stamp(self, innermost(self));
	if (at == 1)
		tell_outermost(self);
	return 0;
}

/* Without a name: whichever is the innermost. */
static inline int end(const char *name, size_t length)
{
	struct memphis_thread *self = memphis_self;
	struct memphis_region *region;

	if (unlikely(!self || !self->depth)) {
		int state = atomic_load(&memphis_session.state);

		return state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED ? -ENODEV : -EINVAL;
	}
	if (unlikely(!atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed)) &&
	    memphis_session.pid != getpid()) {
		memphis_fork_check();
		return -EINVAL;
	}
	if (unlikely(self->depth > MEMPHIS_CALIPERS_MAX)) {
		self->depth--;
		return 0;
	}
	region = self->open[self->depth - 1];
	/* One that was left out has no name of its own; a long one was cut. */
	if (name && unlikely(!region || !is_name(region, name, length)) && !is_left_out(self) &&
	    !is_cut(region, name, length))
		return end_overlapped(self, name, length);
	if (unlikely(--self->depth == 0))
		end_last(self);
	else
		stamp(self, innermost(self));
	return 0;
}

int memphis_caliper_begin(const char *name, size_t length)
{
	return begin(name, length);
}

int memphis_caliper_end(const char *name, size_t length)
{
	return end(name, length);
}

void memphis_caliper_push(const char *name)
{
	begin(name && *name ? name : "(no name)", MEMPHIS_NUL);
}

void memphis_caliper_pop(void)
{
	end(NULL, 0);
}

PUBLIC int memphis_begin(const char *name)
{
	return likely(name && *name) ? begin(name, MEMPHIS_NUL) : -EINVAL;
}

PUBLIC int memphis_end(const char *name)
{
	return likely(name && *name) ? end(name, MEMPHIS_NUL) : -EINVAL;
}

PUBLIC int memphis_name(const void *start, size_t bytes, const char *name)
{
	if (!name)
		return memphis_names_add(start, bytes, "", 0);
	return *name ? memphis_names_add(start, bytes, name, strlen(name)) : -EINVAL;
}

PUBLIC int memphis_configure(const char *key, const char *value)
{
	int err;

	if (!key || !value)
		return -EINVAL;
	if (atomic_load(&memphis_session.state) != MEMPHIS_SESSION_FRESH)
		return -EBUSY;
	pthread_mutex_lock(&memphis_session.lock);
	err = memphis_session.state == MEMPHIS_SESSION_FRESH ? memphis_env_set(key, value) : -EBUSY;
	if (!err)
		memphis_alloc_update();
	pthread_mutex_unlock(&memphis_session.lock);
	return err;
}

PUBLIC int memphis_flush(void)
{
	int err, cancel;

	if (atomic_load(&memphis_session.state) != MEMPHIS_SESSION_READY)
		return -ENODEV;
	cancel = memphis_enter();
	err = memphis_drain_request(MEMPHIS_DRAIN_NOW | MEMPHIS_DRAIN_SETTINGS, 20000);
	memphis_leave(cancel);
	return err;
}

PUBLIC int memphis_status(char *text, size_t bytes)
{
	return memphis_session_status(text, bytes);
}

PUBLIC const char *memphis_version(void)
{
	return MEMPHIS_VERSION;
}
