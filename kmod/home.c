// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up pages and their home nodes. Uses the physical address if the hardware reports one. If not, or if
 * perf withholds it from the user, walks the page tables of the task.
 */
#include <linux/irqflags.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

#include <memphis/sample.h>

#include "home.h"

#define NO_PFN (~0UL)

static u16 memphis_node_of_pfn(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page ? page_to_nid(page) : MEMPHIS_NODE_UNKNOWN;
}

/* Returns the home node. The mask clears the memory encryption bit. */
u16 memphis_home_of_physical(u64 physical)
{
	return memphis_node_of_pfn(PHYS_PFN(physical & __PHYSICAL_MASK));
}

/*
 * Returns the page frame number that the page tables contain for the address, or NO_PFN. Another CPU may
 * change an entry at any time, so each entry is read once, and only the copy is examined. A page that is
 * swapped out or being migrated is not present; a page that is merely marked for a NUMA hinting fault is
 * present.
 *
 * No reference to the page is needed, because only the frame number is used, and the node of a frame does not
 * change. Taking a reference would not be safe either: TLBs may be flushed without an interrupt (INVLPGB,
 * hypercalls), so the page may be freed without waiting for this CPU.
 */
static unsigned long memphis_pfn_of(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgdp, pgd;
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t pte;

	pgdp = pgd_offset(mm, address);
	pgd = READ_ONCE(*pgdp);
	if (pgd_none(pgd) || pgd_bad(pgd))
		return NO_PFN;
	p4dp = p4d_offset_lockless(pgdp, pgd, address);
	p4d = READ_ONCE(*p4dp);
	/* On x86, entries at this level are never leaves. */
	if (!p4d_present(p4d) || p4d_bad(p4d))
		return NO_PFN;
	pudp = pud_offset_lockless(p4dp, p4d, address);
	pud = READ_ONCE(*pudp);
	if (!pud_present(pud))
		return NO_PFN;
	if (pud_leaf(pud))
		return pud_pfn(pud) + ((address & ~PUD_MASK) >> PAGE_SHIFT);
	pmdp = pmd_offset_lockless(pudp, pud, address);
	pmd = READ_ONCE(*pmdp);
	if (!pmd_present(pmd))
		return NO_PFN;
	if (pmd_leaf(pmd))
		return pmd_pfn(pmd) + ((address & ~PMD_MASK) >> PAGE_SHIFT);
	pte = READ_ONCE(*pte_offset_kernel(&pmd, address));
	return pte_present(pte) ? pte_pfn(pte) : NO_PFN;
}

/*
 * Returns the home node of a mapped page. Interrupts are disabled to keep the page tables allocated: the
 * kernel frees page tables after an IPI to each CPU that uses them, or after an RCU grace period. Both wait
 * until this CPU enables interrupts again. perf_get_page_size() relies on the same guarantee.
 */
u16 memphis_home_of_address(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	unsigned long flags, pfn;

	if (unlikely(!mm || address >= TASK_SIZE_MAX)) /* no mm: the task is exiting */
		return MEMPHIS_NODE_UNKNOWN;
	local_irq_save(flags);
	pfn = memphis_pfn_of(mm, address);
	local_irq_restore(flags);
	return pfn == NO_PFN ? MEMPHIS_NODE_UNKNOWN : memphis_node_of_pfn(pfn);
}

bool memphis_is_memory(unsigned long address)
{
	unsigned long pfn;

	if (!current->mm || address >= TASK_SIZE_MAX)
		return false;
	pfn = memphis_pfn_of(current->mm, address);
	return pfn != NO_PFN && pfn_to_online_page(pfn);
}
