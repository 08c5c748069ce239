/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hides differences between kernel versions. No other file may depend on the version. Kbuild searches the
 * kernel headers for each feature and defines MEMPHIS_HAS_* accordingly. Only one property can't be found in
 * this way: which members of a sample the kernel initialises. The compiler determines it from the kernel's
 * own inline functions (tests/unit/kmod/compat_test.c).
 */
#ifndef MEMPHIS_COMPAT_H
#define MEMPHIS_COMPAT_H

#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

/* cpuid_eax() and similar functions moved to a separate header in Linux 6.16, and were later removed from the old header. */
#ifdef MEMPHIS_HAS_CPUID_API
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

/* Since Linux 6.3, vm_flags is read-only, and the kernel provides these functions to change it. */
#ifndef MEMPHIS_HAS_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/*
 * Inserts a kernel page into a mapping. Before Linux 5.11, a page that is charged to a memory cgroup other
 * than the root has a flag (PG_kmemcg) in place of its map count, and vm_insert_page() rejects it. Such a
 * page can be mapped by its frame number instead. But then the mapping holds no reference to the page, so the
 * caller has to keep the page for as long as the mapping exists. If inserting pages fails half-way, the
 * caller has to remove the pages with memphis_remove_pages(): the kernel would remove the mapping only after
 * the caller has dropped its references to the pages.
 */
#ifdef MEMPHIS_HAS_PG_KMEMCG
static inline int memphis_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
	return remap_pfn_range(vma, address, page_to_pfn(page), PAGE_SIZE, vma->vm_page_prot);
}

static inline void memphis_remove_pages(struct vm_area_struct *vma)
{
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}
#else
static inline int memphis_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
	return vm_insert_page(vma, address, page);
}

static inline void memphis_remove_pages(struct vm_area_struct *vma)
{
}
#endif

/* In Linux 5.12, the weight became a union, and each variant of the union has its own flag. */
#ifdef MEMPHIS_HAS_WEIGHT_TYPE
#define MEMPHIS_WEIGHT weight.full
#else
#define MEMPHIS_WEIGHT          weight
#define PERF_SAMPLE_WEIGHT_TYPE PERF_SAMPLE_WEIGHT
#endif

/*
 * Returns the 64 bits of a member of struct perf_sample_data after perf_sample_data_init(), if they had the
 * value `before` until then.
 */
#define memphis_after_init(member, before)                                                    \
	({                                                                                    \
		struct perf_sample_data memphis_data;                                         \
		u64 memphis_bits = (before);                                                  \
		_Static_assert(sizeof(memphis_data.member) == sizeof(memphis_bits), #member); \
		__builtin_memcpy(&memphis_data.member, &memphis_bits, sizeof(memphis_bits));  \
		perf_sample_data_init(&memphis_data, 0, 0);                                   \
		__builtin_memcpy(&memphis_bits, &memphis_data.member, sizeof(memphis_bits));  \
		memphis_bits;                                                                 \
	})

/* True if perf_sample_data_init() sets all bits of the member. The compiler evaluates this, because that function is inline. */
#define memphis_init_sets(member) (memphis_after_init(member, 0) == memphis_after_init(member, ~0ULL))

/* Does the same as memphis_init_sets(), for the member that belongs to the flag PERF_SAMPLE_* in `what`. */
static __always_inline bool memphis_init_sets_what(u64 what)
{
	switch (what) {
	case PERF_SAMPLE_ADDR:
		return memphis_init_sets(addr);
	case PERF_SAMPLE_DATA_SRC:
		return memphis_init_sets(data_src.val);
	case PERF_SAMPLE_WEIGHT_TYPE:
		return memphis_init_sets(MEMPHIS_WEIGHT);
	case PERF_SAMPLE_RAW:
		return memphis_init_sets(raw);
	default:
		return false;
	}
}

/*
 * Returns true if a member of the sample is valid. `what` selects the member: PERF_SAMPLE_ADDR, _DATA_SRC,
 * _WEIGHT_TYPE or _RAW.
 *
 * Before Linux 6.1, perf_sample_data_init() clears these members, and a driver overwrites those that the
 * hardware reports. They are always valid. Since Linux 6.1, the members are left uninitialised, and a driver
 * sets the flag of each member that it sets.
 *
 * So a member without its flag is valid only if perf_sample_data_init() clears it. This is checked for each
 * member separately, because vendors have backported only some of the flags to older kernels. That a header
 * has sample_flags therefore does not mean that the drivers set them. `what` is a constant, so the compiler
 * reduces this function to the test of the flag.
 */
static __always_inline bool memphis_has(const struct perf_sample_data *data, u64 what)
{
	if (memphis_init_sets_what(what))
		return true;
#ifdef MEMPHIS_HAS_SAMPLE_FLAGS
	return memphis_init_sets(sample_flags) && data->sample_flags & what;
#else
	return false;
#endif
}

static __always_inline const struct perf_raw_record *memphis_raw(const struct perf_sample_data *data)
{
	return memphis_has(data, PERF_SAMPLE_RAW) ? data->raw : NULL;
}

static inline u64 memphis_weight(const struct perf_sample_data *data)
{
	return data->MEMPHIS_WEIGHT;
}

/* Requests that the event is removed when its task calls execve(). Linux supports this since 5.13. */
static inline void memphis_remove_on_exec(struct perf_event_attr *attr)
{
#ifdef MEMPHIS_HAS_REMOVE_ON_EXEC
	attr->remove_on_exec = 1;
#endif
}

/* Linux 5.14 renamed the member state to __state, in order to detect plain accesses. */
static inline bool memphis_task_is_dead(const struct task_struct *task)
{
#ifdef MEMPHIS_HAS_TASK_STATE
	return READ_ONCE(task->__state) == TASK_DEAD;
#else
	return READ_ONCE(task->state) == TASK_DEAD;
#endif
}

#endif
