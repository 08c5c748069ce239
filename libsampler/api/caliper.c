/* SPDX-License-Identifier: BSD-3-Clause */
/* Calipers: the stack of open regions of each thread, and the region that is stamped on its samples. */
#include <string.h>

#include <memphis.h>

#include "api/caliper.h"
#include "base/loaded.h"
#include "counters/reader.h"
#include "control/leader.h"
#include "control/session.h"
#include "interpose/next_symbols.h"
#include "interpose/lifecycle.h"
#include "interpose/openmp.h"
#include "core/stamp.h"

/* Passed in place of the length of a name (see has_name()). */
#define REGISTERED ((size_t)-2) /* the pointer is that of a registered name, not of its text */
#define CONSTANT   ((size_t)-3) /* the text may be a constant */
#define ANY        ((size_t)-4) /* there is no name */

/*
 * Returns 1 if `name` is the name of `region`. `length` is the length of `name`, or MEMPHIS_NUL if the name
 * ends with a NUL. The text is compared, because the program may use the same buffer for another name. With
 * REGISTERED and CONSTANT, only the pointer is compared, because the text never changes. The result 0 then
 * means that the text has to be compared.
 */
static inline int has_name(const struct memphis_region_node *region, const char *name, size_t length)
{
	if (length == ANY)
		return 1;
	if (length == REGISTERED)
		return region->label == (const void *)name;
	if (length == CONSTANT)
		return __atomic_load_n(&region->constant, __ATOMIC_RELAXED) == name;
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

/*
 * Returns the entry of the cache for a name inside `parent`. The pointer to the name only selects the entry,
 * so the caller must compare the region in the entry with the parent and the name.
 */
static inline struct memphis_region_node **
known_region(struct memphis_thread_record *self, const struct memphis_region_node *parent, const char *name)
{
	const __u32 hash = ((__u32)(uintptr_t)name ^ (__u32)(uintptr_t)parent) * 0x9e3779b1u;

	_Static_assert(MEMPHIS_REGION_CACHE == 1 << 6, "the hash has 6 bits");
	return &self->known[hash >> 26];
}

static __attribute__((noinline)) struct memphis_region_node *look_up(struct memphis_thread_record *self,
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
	__atomic_store_n(known_region(self, parent, name), region, __ATOMIC_RELAXED);
	if (length == MEMPHIS_NUL && region->constant == region->name && memphis_loaded_is_constant(name) &&
	    has_name(region, name, length))
		__atomic_store_n(&region->constant, name, __ATOMIC_RELAXED);
	return region;
}

/* Returns the region inside `parent`, which may be a new one. Returns `parent` itself if there is no room for another region. */
static inline struct memphis_region_node *find_region(struct memphis_thread_record *self,
						      struct memphis_region_node *parent, const char *name,
						      size_t length)
{
	struct memphis_region_node *region =
		__atomic_load_n(known_region(self, parent, name), __ATOMIC_RELAXED);

	if (likely(region && region->parent == parent && has_name(region, name, length)))
		return region;
	return look_up(self, parent, name, length);
}

static inline void fill_entry(struct memphis_thread_record *self, size_t at, struct place place,
			      struct memphis_region_node *region)
{
	self->opened[at] = (struct memphis_opened){place.site, place.frame};
	self->open[at] = region;
}

/*
 * Stores a caliper at `depth`, which makes it the innermost one. Calipers that were at `depth` or deeper are
 * dropped. The entry is filled twice. A signal handler that opens a caliper before the depth is stored uses the
 * same entry. A handler that comes after it needs the entry.
 */
static inline void store_caliper(struct memphis_thread_record *self, size_t depth, struct place place,
				 struct memphis_region_node *region)
{
	fill_entry(self, depth, place, region);
	atomic_signal_fence(memory_order_seq_cst);
	self->depth = (__u32)depth + 1;
	atomic_signal_fence(memory_order_seq_cst);
	fill_entry(self, depth, place, region);
}

/* Looks up the region of a caliper, stores the caliper at `depth`, and sets the thread's region. */
static void push_caliper(struct memphis_thread_record *self, __u32 depth, struct place place,
			 const char *name, size_t length)
{
	struct memphis_region_node *region =
		find_region(self, depth ? self->open[depth - 1] : NULL, name, length);

	store_caliper(self, depth, place, region);
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
	if ((int)depth <= memphis_spans_depth)
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

/* Does what change_inner() leaves to it. Returns 0. */
static __attribute__((noinline)) int change_watched(struct memphis_thread_record *self, __u32 depth,
						    __u64 calls)
{
	const __u32 region = memphis_region_id(innermost_region(self));

	memphis_stamp_logs(self, region);
	memphis_region_times_change(&self->times, region, calls);
	mark_inner(self, depth);
	return 0;
}

/*
 * Sets the region and the times of the thread after it has opened or closed its caliper at `depth` inside
 * another caliper. `calls`: 1 if it has opened the caliper. Returns 0. This comes last in the functions that
 * open and close calipers, and its function call is the only one, so that they save few registers.
 */
static inline int change_inner(struct memphis_thread_record *self, __u32 depth,
			       const struct memphis_region_node *region, __u64 calls)
{
	const __u32 id = region->id;

	memphis_stamp_pages(self, id);
	if (unlikely((int)depth <= atomic_load_explicit(&memphis_session.lead.watched, memory_order_relaxed)))
		return change_watched(self, depth, calls);
	if (!memphis_region_times_on || likely(memphis_region_times_change_quickly(&self->times, id, calls)))
		return 0;
	return change_watched(self, depth, calls);
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
	memphis_region_times_change_outermost(&self->times, memphis_region_id(self->open[0]));
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

	/* The names come last: in a recursion, all calipers have this name, but no frame is gone. */
	return opened->site == place.site &&
	       ((opened->frame & MEMPHIS_FRAME) == place.frame || is_frame_gone(self, opened, place.frame)) &&
	       region && region != (at ? self->open[at - 1] : NULL) &&
	       (has_name(region, name, length) || has_truncated_name(region, name, length));
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

	if (self->leaves_none || !place.site)
		return self->depth;
	for (at = 0; at < self->depth && !was_left(self, at, place, name, length); at++)
		;
	return at;
}

/* Called when a caliper is opened at `depth` inside another one. */
static inline void check_around(struct memphis_thread_record *self, size_t depth, struct place place)
{
	struct memphis_opened *around = &self->opened[depth - 1];

	if (unlikely(around->frame < place.frame))
		around->frame |= MEMPHIS_OUTLIVES;
}

static __attribute__((noinline)) int open_inner(struct memphis_thread_record *self, struct place place,
						const char *name, size_t length)
{
	check_around(self, self->depth, place);
	push_caliper(self, self->depth, place, name, length);
	count_call(self);
	mark_inner(self, self->depth);
	return 0;
}

static __attribute__((noinline)) int begin_again(struct memphis_thread_record *self, __u32 first,
						 struct place place, const char *name, size_t length)
{
	if (!first)
		memphis_frames_begin(&self->frames, &self->stacks, __builtin_frame_address(0));
	replace_left(self, first, place, name, length);
	return 0;
}

/*
 * Returns the region of a new caliper inside another one in the common case: the thread has opened a caliper of
 * this name here before, and no caliper of this name is open. Then no open caliper can have been left by this
 * call. Returns NULL in all other cases, and if a condition of begin_caliper() may not hold.
 */
static inline struct memphis_region_node *region_to_begin(const char *name, size_t length)
{
	const char *text = length == REGISTERED ? name + offsetof(struct memphis_region_node, name) : name;
	struct memphis_thread_record *self = memphis_self;
	struct memphis_region_node *parent, *region;

	if (unlikely(!self || self->depth - 1 >= MEMPHIS_CALIPERS_MAX - 1 ||
		     !atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed)))
		return NULL;
	parent = self->open[self->depth - 1];
	region = __atomic_load_n(known_region(self, parent, text), __ATOMIC_RELAXED);
	if (unlikely(!region || region->parent != parent || region->recurs ||
		     !has_name(region, name, length)))
		return NULL;
	return region;
}

/* Opens a caliper with the result of region_to_begin(). Returns 0. */
static inline int begin_known(struct place place, struct memphis_region_node *region)
{
	struct memphis_thread_record *self = memphis_self;
	const size_t depth = self->depth;

	check_around(self, depth, place);
	store_caliper(self, depth, place, region);
	return change_inner(self, (__u32)depth + 1, region, 1);
}

static __attribute__((noinline)) int begin_caliper(struct place place, const char *name, size_t length)
{
	struct memphis_thread_record *self = memphis_self;
	__u32 first;

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
	first = outermost_left(self, place, name, length);
	return first < self->depth ? begin_again(self, first, place, name, length)
				   : open_inner(self, place, name, length);
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
	for (i = at, kept = at - 1; i < self->depth; i++) {
		struct memphis_opened opened = self->opened[i];

		region = self->open[i];
		if (region != before && was_left_inside(self, &opened, &ended, frame, region)) {
			count_left(self, region);
		} else {
			if (region != before)
				parent = region_inside(parent, region);
			if (opened.frame < frame)
				opened.frame |= MEMPHIS_OUTLIVES;
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

/*
 * Returns the region around the innermost caliper in the common case: the caliper is inside another one, has
 * this name, and no other open caliper has this name. Returns NULL in all other cases, and if a condition of
 * end_caliper() may not hold. With the length ANY, any name fits.
 */
static inline const struct memphis_region_node *region_to_return_to(const char *name, size_t length)
{
	struct memphis_thread_record *self = memphis_self;
	const struct memphis_region_node *region;

	if (unlikely(!self || self->depth - 2 > MEMPHIS_CALIPERS_MAX - 2 ||
		     !atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed)))
		return NULL;
	region = self->open[self->depth - 1];
	if (unlikely(!region || region->recurs || !has_name(region, name, length)))
		return NULL;
	return self->open[self->depth - 2];
}

/* Ends the innermost caliper with the result of region_to_return_to(). Returns 0. */
static inline int end_known(const struct memphis_region_node *around)
{
	struct memphis_thread_record *self = memphis_self;
	const __u32 depth = self->depth;

	self->depth = depth - 1;
	return change_inner(self, depth, around, 0);
}

/* Ends the caliper with this name. If `name` is NULL, ends the innermost caliper. */
static __attribute__((noinline)) int end_caliper(__u64 frame, const char *name, size_t length)
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
	if (region && region->recurs)
		swap_frames(self, frame);
	if (unlikely(--self->depth == 0)) {
		memphis_leader_end_last(self);
	} else {
		memphis_region_times_change(&self->times, memphis_region_id(innermost_region(self)), 0);
		memphis_stamp(self, innermost_region(self));
		mark_inner(self, self->depth + 1);
	}
	return 0;
}

static __attribute__((noinline)) int begin_string(struct place place, const char *name)
{
	struct memphis_region_node *region = name ? region_to_begin(name, MEMPHIS_NUL) : NULL;

	if (likely(region))
		return begin_known(place, region);
	return name && *name ? begin_caliper(place, name, MEMPHIS_NUL) : -EINVAL;
}

static __attribute__((noinline)) int end_string(__u64 frame, const char *name)
{
	const struct memphis_region_node *around = name ? region_to_return_to(name, MEMPHIS_NUL) : NULL;

	if (likely(around))
		return end_known(around);
	return name && *name ? end_caliper(frame, name, MEMPHIS_NUL) : -EINVAL;
}

int memphis_caliper_begin(const char *name, size_t length)
{
	struct memphis_region_node *region = region_to_begin(name, length);

	return likely(region) ? begin_known(HERE, region) : begin_caliper(HERE, name, length);
}

int memphis_caliper_end(const char *name, size_t length)
{
	const struct memphis_region_node *around = region_to_return_to(name, length);

	return likely(around) ? end_known(around) : end_caliper(HERE.frame, name, length);
}

void memphis_caliper_push(const char *name)
{
	begin_string(NOWHERE, name && *name ? name : "(no name)");
}

void memphis_caliper_pop(void)
{
	const struct memphis_region_node *around = region_to_return_to(NULL, ANY);

	if (likely(around))
		end_known(around);
	else
		end_caliper(0, NULL, 0);
}

/* Registered names, as the public header declares them, are the labels of regions. */
PUBLIC const struct memphis_region_name *memphis_region(const char *name)
{
	return name && *name ? (const struct memphis_region_name *)memphis_region_label(name, strlen(name))
			     : NULL;
}

static __attribute__((noinline)) int begin_label(struct place place, const struct memphis_region_name *name)
{
	const struct memphis_region_node *label = (const struct memphis_region_node *)name;

	return label ? begin_caliper(place, label->name, label->length) : -EINVAL;
}

static __attribute__((noinline)) int end_label(__u64 frame, const struct memphis_region_name *name)
{
	const struct memphis_region_node *label = (const struct memphis_region_node *)name;

	return label ? end_caliper(frame, label->name, label->length) : -EINVAL;
}

/* No region has the label or the constant NULL, so the functions below need no check. */
PUBLIC int memphis_begin_region(const struct memphis_region_name *name)
{
	struct memphis_region_node *region = region_to_begin((const char *)name, REGISTERED);

	return likely(region) ? begin_known(HERE, region) : begin_label(HERE, name);
}

PUBLIC int memphis_end_region(const struct memphis_region_name *name)
{
	const struct memphis_region_node *around = region_to_return_to((const char *)name, REGISTERED);

	return likely(around) ? end_known(around) : end_label(HERE.frame, name);
}

PUBLIC int memphis_begin(const char *name)
{
	struct memphis_region_node *region = region_to_begin(name, CONSTANT);

	return likely(region) ? begin_known(HERE, region) : begin_string(HERE, name);
}

PUBLIC int memphis_end(const char *name)
{
	const struct memphis_region_node *around = region_to_return_to(name, CONSTANT);

	return likely(around) ? end_known(around) : end_string(HERE.frame, name);
}

PUBLIC int memphis_script_begin(const char *name)
{
	return begin_string(NOWHERE, name);
}

PUBLIC int memphis_script_end(const char *name)
{
	return end_string(NOWHERE.frame, name);
}
