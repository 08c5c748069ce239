/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the stack of open regions of each thread, and the region that is stamped on its samples. */
#include <string.h>

#include <memphis.h>

#include "api/caliper.h"
#include "counters/reader.h"
#include "control/leader.h"
#include "control/session.h"
#include "interpose/next_symbols.h"
#include "interpose/lifecycle.h"
#include "interpose/openmp.h"
#include "core/stamp.h"

/*
 * Returns 1 if `name` is the name of `region`. `length` is the length of `name`, or MEMPHIS_NUL if the name
 * ends with a NUL. In the common case, only one function of libc is called. This is one reason why inner
 * calipers take only nanoseconds.
 */
static inline int has_name(const struct memphis_region_node *region, const char *name, size_t length)
{
	if (length == MEMPHIS_NUL)
		return !strcmp(region->name, name);
	return region->length == length && !memcmp(region->name, name, length);
}

/* Returns 1 if the name is longer than a region name may be, and the name of the region is the truncated name. */
static inline int has_truncated_name(const struct memphis_region_node *region, const char *name,
				     size_t length)
{
	if (length == MEMPHIS_NUL)
		length = strlen(name);
	return length > MEMPHIS_REGION_NAME_MAX && region->length == MEMPHIS_REGION_NAME_MAX &&
	       !memcmp(region->name, name, MEMPHIS_REGION_NAME_MAX);
}

/* Returns the thread's record of left calipers with this name, or NULL if there is none. */
static struct memphis_left *find_left(struct memphis_thread_record *self, const char *name, size_t length)
{
	struct memphis_left *left;

	for (left = self->left; left < self->left + MEMPHIS_CALIPERS_LEFT; left++)
		if (left->count &&
		    (has_name(left->region, name, length) || has_truncated_name(left->region, name, length)))
			return left;
	return NULL;
}

/*
 * Counts the caliper as left, that is, as one whose end call is missing. Stores its region, because the end
 * call may still come. A name that is not stored yet takes the place of the oldest one.
 */
static void count_left(struct memphis_thread_record *self, const struct memphis_region_node *region)
{
	struct memphis_left *left = find_left(self, region->name, region->length);

	atomic_fetch_add(&memphis_calipers_left, 1);
	if (!left) {
		left = &self->left[MEMPHIS_CALIPERS_LEFT - 1];
		memmove(self->left, self->left + 1, sizeof(self->left) - sizeof(*left));
		left->count = 0;
	}
	left->region = region;
	left->count++;
}

/*
 * Handles the end of a caliper that comes late, after the caliper was counted as left. Returns true if this
 * is such an end. It shows that the program opens several calipers in one place on purpose. From now on, no
 * caliper of this thread is therefore counted as left.
 */
static __attribute__((noinline)) bool ends_late(struct memphis_thread_record *self, const char *name,
						size_t length)
{
	struct memphis_left *left = name ? find_left(self, name, length) : NULL;

	if (!left)
		return false;
	left->count--;
	self->leaves_none = true;
	atomic_fetch_sub(&memphis_calipers_left, 1);
	return true;
}

/*
 * The place where a caliper is opened. It consists of the return address of the call, and of the CFA of the
 * called function, which is a multiple of 16.
 */
struct place {
	const void *site;
	__u64 frame;
};

#define HERE ((struct place){__builtin_return_address(0), (__u64)(uintptr_t)__builtin_dwarf_cfa()})
/*
 * The place of calipers that never count as left. Their call site and frame are not those of the program, but
 * those of an interpreter or of a tool interface.
 */
#define NOWHERE ((struct place){NULL, 0})

/* Returns the region of the calling thread's innermost open caliper. */
static inline struct memphis_region_node *innermost_region(const struct memphis_thread_record *self)
{
	__u32 depth = self->depth;

	if (!depth)
		return NULL;
	return self->open[likely(depth <= MEMPHIS_CALIPERS_MAX) ? depth - 1 : MEMPHIS_CALIPERS_MAX - 1];
}

/* Returns 1 if no region was available for the innermost caliper. Such a caliper has the region of its parent. */
static inline int lacks_region(const struct memphis_thread_record *self)
{
	struct memphis_region_node *parent = self->depth > 1 ? self->open[self->depth - 2] : NULL;

	return self->open[self->depth - 1] == parent;
}

static __attribute__((noinline)) struct memphis_region_node *look_up(struct memphis_thread_record *self,
								     struct memphis_known_region *known,
								     struct memphis_region_node *parent,
								     const char *name, size_t length)
{
	struct memphis_region_node *region;

	/* Ask again until the number is known: when the main thread opens its first caliper, there is no team yet. */
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

/*
 * Looks up the region in the cache by the caller's pointer. The text is compared as well, because the caller
 * may use the same buffer for another name.
 */
static inline struct memphis_region_node *find_known_region(struct memphis_thread_record *self,
							    struct memphis_region_node *parent,
							    const char *name, size_t length)
{
	struct memphis_known_region *known;

	known = &self->cache[((uintptr_t)name ^ (uintptr_t)name >> 6 ^ memphis_region_id(parent)) %
			     MEMPHIS_REGION_CACHE];
	if (likely(known->name == name && known->parent == parent && known->region &&
		   has_name(known->region, name, length)))
		return known->region;
	return look_up(self, known, parent, name, length);
}

static inline __u64 site_bit(const void *site)
{
	return site ? 1ull << (((uintptr_t)site ^ (uintptr_t)site >> 6) & 63) : 0;
}

/* Pushes a caliper at `depth`, which makes it the innermost one. Calipers that were at `depth` or deeper are dropped. */
static inline void push_caliper(struct memphis_thread_record *self, __u32 depth, struct place place,
				const char *name, size_t length)
{
	struct memphis_region_node *region =
		find_known_region(self, depth ? self->open[depth - 1] : NULL, name, length);
	const __u64 bit = site_bit(place.site);

	self->opened[depth] = (struct memphis_opened){
		place.site, place.frame | (self->sites & bit ? MEMPHIS_AGAIN : 0), self->sites};
	self->sites |= bit;
	self->open[depth] = region;
	self->depth = depth + 1;
	memphis_stamp(self, region);
}

/* Called after the calling thread has opened its innermost caliper. Counts the call, unless no region was available. */
static inline void count_call(struct memphis_thread_record *self)
{
	const struct memphis_region_node *region = self->open[self->depth - 1];

	memphis_region_times_change(&self->times, memphis_region_id(region), !lacks_region(self));
}

static __attribute__((noinline)) void note_inner(struct memphis_thread_record *self, __u32 depth)
{
	memphis_thread_change_spans(self, depth);
	if ((int)depth <= atomic_load_explicit(&memphis_session.lead.counters, memory_order_relaxed))
		memphis_leader_mark_inner(self);
}

/*
 * Called after the calling thread has opened or closed its caliper at `depth` inside another caliper. The
 * outermost caliper has depth 1.
 */
static inline void mark_inner(struct memphis_thread_record *self, __u32 depth)
{
	if (unlikely((int)depth <= atomic_load_explicit(&memphis_session.lead.watched, memory_order_relaxed)))
		note_inner(self, depth);
}

/*
 * Opens a caliper as the outermost one of the thread, without regard to other threads. Returns the number of
 * calipers that were open in the process before.
 */
static __attribute__((noinline)) int push_first(struct memphis_thread_record *self, struct place place,
						const char *name, size_t length)
{
	struct memphis_session *s = &memphis_session;
	int others;

	memphis_lock_take(&s->lead.lock);
	others = atomic_fetch_add(&s->lead.open, 1);
	memphis_leader_enter(self);
	self->sites = 0;
	push_caliper(self, 0, place, name, length);
	if (atomic_load(&s->lead.leader) == self)
		memphis_counter_mark(s, self);
	memphis_lock_release(&s->lead.lock);
	return others;
}

/*
 * Switches sampling on. If this is not possible, drops the outermost caliper of the thread and returns
 * -ENODEV.
 */
static __attribute__((noinline)) int start_first(struct memphis_thread_record *self)
{
	struct memphis_session *s = &memphis_session;

	if (!memphis_session_start()) {
		memphis_stamp(self, innermost_region(self)); /* the control pages did not exist before */
		return 0;
	}
	self->depth = 0;
	memphis_stamp(self, NULL);
	memphis_lock_take(&s->lead.lock);
	memphis_leader_leave(self, atomic_fetch_sub(&s->lead.open, 1) == 1);
	memphis_lock_release(&s->lead.lock);
	return -ENODEV;
}

/*
 * Counts the call of the thread's outermost caliper. This comes last, so that the time for switching sampling
 * on is not added to the region.
 */
static __attribute__((noinline)) void count_first(struct memphis_thread_record *self)
{
	memphis_region_times_outermost(&self->times, memphis_region_id(self->open[0]));
	count_call(self);
	memphis_thread_change_spans(self, 1);
}

/*
 * Opens the outermost caliper of the thread. Switches sampling on, unless another thread has an open caliper.
 * May change errno.
 */
static inline int open_first(struct place place, const char *name, size_t length)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread_record *self;
	int state = atomic_load(&s->state);

	if (state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED)
		return -ENODEV;
	memphis_next_setup(); /* constructors of other objects may run before those of this library */
	memphis_fork_check();
	self = memphis_thread_self();
	if (!self)
		return -ENODEV;
	memphis_openmp_ask(self);
	memphis_frames_begin(&self->frames, &self->stacks, __builtin_frame_address(0));
	/*
	 * If no caliper was open before, another thread may be switching sampling on or off at this moment.
	 * memphis_session_start() takes the lock and checks this.
	 */
	if ((!push_first(self, place, name, length) || !atomic_load(&memphis_hot.sampling)) &&
	    start_first(self))
		return -ENODEV;
	count_first(self);
	return 0;
}

static __attribute__((noinline)) int begin_first(struct place place, const char *name, size_t length)
{
	const int saved = errno, err = open_first(place, name, length);

	errno = saved;
	return err;
}

/*
 * Returns the region inside `parent` that has the same name as `region`. If there are too many regions,
 * returns `parent` itself.
 */
static struct memphis_region_node *region_inside(struct memphis_region_node *parent,
						 const struct memphis_region_node *region)
{
	struct memphis_region_node *found = memphis_region_get(parent, region->name, region->length);

	if (!found)
		atomic_fetch_add(&memphis_regions_left_out, 1);
	return found ? found : parent;
}

/*
 * Left calipers: if a caliper is left by longjmp(), a return or an exception, its end call never comes. This
 * has to be detected.
 *
 * A caliper may be ended anywhere, so it is not enough that the frame which opened it is gone. The criterion
 * is that the same call site opens a caliper of the same name in the same frame, or in an outer one. Then the
 * previous caliper was left. The calipers inside the previous one were left as well if their frames are gone,
 * unless they had already outlived their frames before.
 *
 * On the stacks of coroutines and signal handlers, no frame is regarded as an outer one.
 */

/*
 * Returns true if the frame that opened the caliper is gone. This is known if `frame` is on the same stack
 * and is an outer frame.
 */
static bool is_frame_gone(const struct memphis_thread_record *self, const struct memphis_opened *opened,
			  __u64 frame)
{
	return opened->frame < frame && opened->frame >= self->stacks.low && frame < self->stacks.high;
}

/*
 * Returns true if the caliper at index `at` was opened by the same call site, either in this frame or in an
 * inner frame that is gone.
 */
static bool was_left(const struct memphis_thread_record *self, __u32 at, struct place place, const char *name,
		     size_t length)
{
	const struct memphis_opened *opened = &self->opened[at];
	const struct memphis_region_node *region = self->open[at];

	return opened->site == place.site && region && region != (at ? self->open[at - 1] : NULL) &&
	       (has_name(region, name, length) || has_truncated_name(region, name, length)) &&
	       ((opened->frame & MEMPHIS_FRAME) == place.frame || is_frame_gone(self, opened, place.frame));
}

/*
 * Returns true if a caliper inside the caliper `ended` was left as well. For this, the thread must have left
 * calipers of this name before. In addition, either the frame must be gone, or both calipers and the end must
 * be in one function.
 */
static bool was_left_inside(struct memphis_thread_record *self, const struct memphis_opened *opened,
			    const struct memphis_opened *ended, __u64 frame,
			    const struct memphis_region_node *region)
{
	const __u64 own = opened->frame & MEMPHIS_FRAME;

	if (self->leaves_none || !opened->site || (opened->frame & MEMPHIS_OUTLIVES) ||
	    !find_left(self, region->name, region->length))
		return false;
	return is_frame_gone(self, opened, frame) ||
	       (own == frame && (ended->frame & MEMPHIS_FRAME) == frame);
}

/*
 * Called when the innermost caliper ends. If the program has coroutines, it may have meant another caliper
 * that was opened by the same call site. If that caliper was opened by the frame that makes the end call, the
 * frames are exchanged: the caliper that stays open gets the frame of the innermost one.
 */
static __attribute__((noinline)) void swap_frames(struct memphis_thread_record *self, __u64 frame)
{
	struct memphis_opened *innermost = &self->opened[self->depth - 1], *other;
	__u64 own = innermost->frame & MEMPHIS_FRAME;

	for (other = innermost; own != frame && other-- > self->opened;)
		if (other->site == innermost->site && (other->frame & MEMPHIS_FRAME) == frame) {
			other->frame = own | (other->frame & ~MEMPHIS_FRAME);
			return;
		}
}

/*
 * Replaces the caliper at index `first`, which was left, and drops the calipers inside it that were left,
 * too. Some of the functions below are not inlined, so that their variables do not occupy the stack while
 * other functions are called.
 */
static __attribute__((noinline)) void replace_left(struct memphis_thread_record *self, __u32 first,
						   struct place place, const char *name, size_t length)
{
	struct memphis_region_node *parent, *before, *region;
	__u32 at, kept;
	bool leaves;

	parent = before = first ? self->open[first - 1] : NULL;
	self->sites = self->opened[first].sites;
	for (at = kept = first; at < self->depth; at++) {
		struct memphis_opened opened = self->opened[at];

		region = self->open[at];
		leaves = at == first ||
			 (is_frame_gone(self, &opened, place.frame) && !(opened.frame & MEMPHIS_OUTLIVES));
		if (leaves && region != before)
			count_left(self, region);
		if (!leaves) {
			if (region != before)
				parent = region_inside(parent, region);
			opened.sites = self->sites;
			self->sites |= site_bit(opened.site);
			self->opened[kept] = opened;
			self->open[kept++] = parent;
		}
		before = region;
	}
	push_caliper(self, kept, place, name, length);
	count_call(self);
	if (!first)
		memphis_leader_mark(self);
	else
		mark_inner(self, first + 1);
}

/*
 * Returns the index of the outermost caliper that the call site has left open, or the number of open calipers
 * if there is none.
 */
static __attribute__((noinline)) __u32 outermost_left(const struct memphis_thread_record *self,
						      struct place place, const char *name, size_t length)
{
	__u32 at;

	if (self->leaves_none)
		return self->depth;
	for (at = 0; at < self->depth && !was_left(self, at, place, name, length); at++)
		;
	return at;
}

/* Opens a caliper inside another one. */
static inline int open_inner(struct memphis_thread_record *self, struct place place, const char *name,
			     size_t length)
{
	struct memphis_opened *around = &self->opened[self->depth - 1];

	if (unlikely(around->frame < place.frame))
		around->frame |= MEMPHIS_OUTLIVES;
	push_caliper(self, self->depth, place, name, length);
	count_call(self);
	mark_inner(self, self->depth);
	return 0;
}

static __attribute__((noinline)) int open_recursion(struct memphis_thread_record *self, struct place place,
						    const char *name, size_t length)
{
	return open_inner(self, place, name, length);
}

/*
 * Called when this call site already has an open caliper. Either this is a recursion, or the end call of that
 * caliper is missing.
 */
static __attribute__((noinline)) int begin_again(struct memphis_thread_record *self, struct place place,
						 const char *name, size_t length)
{
	const __u32 first = outermost_left(self, place, name, length);

	if (first == self->depth)
		return open_recursion(self, place, name, length);
	if (!first)
		memphis_frames_begin(&self->frames, &self->stacks, __builtin_frame_address(0));
	replace_left(self, first, place, name, length);
	return 0;
}

static inline int begin_caliper(struct place place, const char *name, size_t length)
{
	struct memphis_thread_record *self = memphis_self;

	/*
	 * A caliper is open, but sampling is off. Either sampling was switched off in the meantime, or this
	 * process is a child whose fork did not run the fork handlers.
	 */
	if (unlikely(!self || !self->depth ||
		     !atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed))) {
		if (self && self->depth && memphis_session.identity.pid == getpid() && !memphis_is_copy() &&
		    atomic_load(&memphis_session.state) == MEMPHIS_SESSION_READY)
			goto open;
		return begin_first(place, name, length);
	}
open:
	if (unlikely(self->depth >= MEMPHIS_CALIPERS_MAX)) {
		self->depth++;
		atomic_fetch_add(&memphis_calipers_too_deep, 1);
		return 0;
	}
	if (unlikely(self->sites & site_bit(place.site)))
		return begin_again(self, place, name, length);
	return open_inner(self, place, name, length);
}

/*
 * Ends a caliper that is not the innermost one. The calipers inside it stay open. Their regions are moved
 * into the region around the ended caliper, so that the region of a sample always names the open calipers.
 */
static __attribute__((noinline)) int end_overlapped(struct memphis_thread_record *self, __u64 frame,
						    const char *name, size_t length)
{
	struct memphis_region_node *parent, *before, *region;
	struct memphis_opened ended;
	__u32 at, i, kept;

	for (at = self->depth - 1; at > 0; at--) {
		region = self->open[at - 1];
		parent = at > 1 ? self->open[at - 2] : NULL;
		if (region != parent &&
		    (has_name(region, name, length) || has_truncated_name(region, name, length)))
			break;
	}
	if (!at)
		return ends_late(self, name, length) ? 0 : -EINVAL;
	/* The caliper to end is at index `at` - 1. `parent` is the region around it. */
	before = region;
	ended = self->opened[at - 1];
	self->sites = ended.sites;
	for (i = at, kept = at - 1; i < self->depth; i++) {
		struct memphis_opened opened = self->opened[i];

		region = self->open[i];
		if (region != before && was_left_inside(self, &opened, &ended, frame, region)) {
			count_left(self, region);
		} else {
			if (region != before)
				parent = region_inside(parent, region);
			opened.sites = self->sites;
			if (opened.frame < frame)
				opened.frame |= MEMPHIS_OUTLIVES;
			self->sites |= site_bit(opened.site);
			self->opened[kept] = opened;
			self->open[kept++] = parent;
		}
		before = region;
	}
	self->depth = kept;
	if (!kept) {
		memphis_leader_end_last(self);
		return 0;
	}
	memphis_region_times_change(&self->times, memphis_region_id(innermost_region(self)), 0);
	memphis_stamp(self, innermost_region(self));
	if (at == 1)
		memphis_leader_mark(self);
	else
		mark_inner(self, at);
	return 0;
}

/* Ends the caliper with this name. If `name` is NULL, ends the innermost caliper. */
static inline int end_caliper(__u64 frame, const char *name, size_t length)
{
	struct memphis_thread_record *self = memphis_self;
	struct memphis_region_node *region;

	if (unlikely(!self || !self->depth)) {
		int state = atomic_load(&memphis_session.state);

		if (self && ends_late(self, name, length))
			return 0;
		return state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED ? -ENODEV : -EINVAL;
	}
	if (unlikely(!atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed)) &&
	    (memphis_session.identity.pid != getpid() || memphis_is_copy())) {
		memphis_fork_check();
		return -EINVAL;
	}
	if (unlikely(self->depth > MEMPHIS_CALIPERS_MAX)) {
		self->depth--;
		return 0;
	}
	region = self->open[self->depth - 1];
	/* A caliper without its own region matches any name. A long name is stored truncated. */
	if (name && unlikely(!region || !has_name(region, name, length)) && !lacks_region(self) &&
	    !has_truncated_name(region, name, length))
		return end_overlapped(self, frame, name, length);
	if (unlikely(self->opened[self->depth - 1].frame & MEMPHIS_AGAIN))
		swap_frames(self, frame);
	self->sites = self->opened[self->depth - 1].sites;
	if (unlikely(--self->depth == 0)) {
		memphis_leader_end_last(self);
	} else {
		memphis_region_times_change(&self->times, memphis_region_id(innermost_region(self)), 0);
		memphis_stamp(self, innermost_region(self));
		mark_inner(self, self->depth + 1);
	}
	return 0;
}

int memphis_caliper_begin(const char *name, size_t length)
{
	return begin_caliper(HERE, name, length);
}

int memphis_caliper_end(const char *name, size_t length)
{
	return end_caliper(HERE.frame, name, length);
}

void memphis_caliper_push(const char *name)
{
	begin_caliper(NOWHERE, name && *name ? name : "(no name)", MEMPHIS_NUL);
}

void memphis_caliper_pop(void)
{
	end_caliper(0, NULL, 0);
}

/* Registered names, as the public header declares them, are those of a tree. */
PUBLIC const struct memphis_region_name *memphis_region(const char *name)
{
	static struct memphis_region_tree names = {.most = UINT32_MAX, .bytes = MEMPHIS_REGION_NAME_MAX};

	if (!name || !*name)
		return NULL;
	return (const struct memphis_region_name *)memphis_region_find(&names, NULL, name, strlen(name));
}

PUBLIC int memphis_begin_region(const struct memphis_region_name *name)
{
	const struct memphis_region_node *region = (const struct memphis_region_node *)name;

	return likely(region) ? begin_caliper(HERE, region->name, region->length) : -EINVAL;
}

PUBLIC int memphis_end_region(const struct memphis_region_name *name)
{
	const struct memphis_region_node *region = (const struct memphis_region_node *)name;

	return likely(region) ? end_caliper(HERE.frame, region->name, region->length) : -EINVAL;
}

PUBLIC int memphis_begin(const char *name)
{
	return likely(name && *name) ? begin_caliper(HERE, name, MEMPHIS_NUL) : -EINVAL;
}

PUBLIC int memphis_end(const char *name)
{
	return likely(name && *name) ? end_caliper(HERE.frame, name, MEMPHIS_NUL) : -EINVAL;
}

PUBLIC int memphis_script_begin(const char *name)
{
	return likely(name && *name) ? begin_caliper(NOWHERE, name, MEMPHIS_NUL) : -EINVAL;
}

PUBLIC int memphis_script_end(const char *name)
{
	return likely(name && *name) ? end_caliper(NOWHERE.frame, name, MEMPHIS_NUL) : -EINVAL;
}
