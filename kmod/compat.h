/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernel versions. The only file that may ask which kernel this is;
 * MEMPHIS_HAS_* come from Kbuild, which looks into the kernel's headers.
 */
#ifndef MEMPHIS_COMPAT_H
#define MEMPHIS_COMPAT_H

#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

/* cpuid_eax() and its like: a header of their own since 6.16, and later in no other. */
#ifdef MEMPHIS_HAS_CPUID_API
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

/* 6.3 made vm_flags read-only but for these two. */
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
 * A page of the kernel's into a map. Before 5.11 pages that are charged to a cgroup below the root carry a mark in the place
 * of the map count (PG_kmemcg), and vm_insert_page() refuses them. As a bare frame such a page can be mapped: then the map
 * holds no reference of its own, and whoever maps it has to keep the page as long as the map. A map that fails half-way is
 * undone after the caller has let go; so its pages are taken out first.
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

/* Since 6.1 perf leaves unset members of the sample as they were on the stack. `what`: PERF_SAMPLE_* */
static inline bool memphis_has(const struct perf_sample_data *data, u64 what)
{
#ifdef MEMPHIS_HAS_SAMPLE_FLAGS
	return data->sample_flags & what;
#else
	return true;
#endif
}

static inline const struct perf_raw_record *memphis_raw(const struct perf_sample_data *data)
{
	return memphis_has(data, PERF_SAMPLE_RAW) ? data->raw : NULL;
}

/* 5.12 made the weight a union. */
#ifdef MEMPHIS_HAS_WEIGHT_TYPE
static inline u64 memphis_weight(const struct perf_sample_data *data)
{
	return data->weight.full;
}
#else
#define PERF_SAMPLE_WEIGHT_TYPE PERF_SAMPLE_WEIGHT

static inline u64 memphis_weight(const struct perf_sample_data *data)
{
	return data->weight;
}
#endif

/* 5.13 lets an event end when its task executes another program. */
static inline void memphis_remove_on_exec(struct perf_event_attr *attr)
{
#ifdef MEMPHIS_HAS_REMOVE_ON_EXEC
	attr->remove_on_exec = 1;
#endif
}

/* 5.14 renamed the state, so that nobody reads it as the plain variable it was. */
static inline bool memphis_task_is_dead(const struct task_struct *task)
{
#ifdef MEMPHIS_HAS_TASK_STATE
	return READ_ONCE(task->__state) == TASK_DEAD;
#else
	return READ_ONCE(task->state) == TASK_DEAD;
#endif
}

#endif
