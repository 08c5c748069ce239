/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernel versions; no other file may depend on the version. Kbuild sets MEMPHIS_HAS_* by
 * searching the kernel's headers.
 */
#ifndef MEMPHIS_COMPAT_H
#define MEMPHIS_COMPAT_H

#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

/* cpuid_eax() and similar: moved to a separate header in 6.16, and later removed from the old one. */
#ifdef MEMPHIS_HAS_CPUID_API
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

/* Since 6.3 vm_flags is read-only, and changed by these functions. */
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
 * Inserts a kernel page into a mapping. Before 5.11, pages charged to a memory cgroup other than the root
 * carry a flag in place of the map count (PG_kmemcg), and vm_insert_page() refuses them. They can be mapped
 * as bare frame numbers; the mapping then holds no page reference, so the caller has to keep the page as long
 * as the mapping. The kernel tears a mapping that fails half-way down only after the caller has dropped its
 * references, so the caller removes the pages first.
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

/* Has perf set this member (PERF_SAMPLE_*) of the sample? Since 6.1 unset members are uninitialised. */
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

/* Since 5.13 an event can be removed when its task calls execve(). */
static inline void memphis_remove_on_exec(struct perf_event_attr *attr)
{
#ifdef MEMPHIS_HAS_REMOVE_ON_EXEC
	attr->remove_on_exec = 1;
#endif
}

/* 5.14 renamed state to __state, to catch plain accesses. */
static inline bool memphis_task_is_dead(const struct task_struct *task)
{
#ifdef MEMPHIS_HAS_TASK_STATE
	return READ_ONCE(task->__state) == TASK_DEAD;
#else
	return READ_ONCE(task->state) == TASK_DEAD;
#endif
}

#endif
