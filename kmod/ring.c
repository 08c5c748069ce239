// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocation and mapping of rings and control pages.
 */
#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "budget.h"
#include "compat.h"
#include "ring.h"

static_assert(sizeof(struct memphis_sample) == 40);
static_assert(sizeof(struct memphis_control) == 128);
static_assert(sizeof(struct memphis_status) == 184);
static_assert(MEMPHIS_PAGE_BYTES == PAGE_SIZE);

u64 memphis_ring_stacks_at(const struct memphis_config *config)
{
	return MEMPHIS_PAGE_BYTES + PAGE_ALIGN((u64)config->ring_records * sizeof(struct memphis_sample));
}

static u32 memphis_stack_slot_bytes(const struct memphis_config *config)
{
	return sizeof(struct memphis_user_stack) + config->stack_bytes;
}

u64 memphis_ring_bytes(const struct memphis_config *config)
{
	return memphis_ring_stacks_at(config) +
	       PAGE_ALIGN((u64)config->stack_records * memphis_stack_slot_bytes(config));
}

struct memphis_control *memphis_control_alloc(void)
{
	return (struct memphis_control *)get_zeroed_page(MEMPHIS_GFP);
}

void memphis_control_free(struct memphis_control *control)
{
	free_page((unsigned long)control);
}

int memphis_ring_init(struct memphis_ring *ring, const struct memphis_config *config)
{
	ring->bytes = memphis_ring_bytes(config);
	ring->capacity = config->ring_records;
	ring->wakeup = config->wakeup_records;
	ring->wake_at = config->wakeup_records;
	ring->stack_capacity = config->stack_records;
	ring->stack_bytes = memphis_stack_slot_bytes(config);
	ring->control = memphis_control_alloc();
	if (!ring->control)
		return -ENOMEM;
	ring->status = __vmalloc(ring->bytes, MEMPHIS_GFP | __GFP_ZERO);
	if (!ring->status) {
		memphis_control_free(ring->control);
		return -ENOMEM;
	}
	ring->records = (void *)ring->status + MEMPHIS_PAGE_BYTES;
	ring->stacks = (void *)ring->status + memphis_ring_stacks_at(config);
	return 0;
}

void memphis_ring_destroy(struct memphis_ring *ring)
{
	vfree(ring->status);
	memphis_control_free(ring->control);
}

int memphis_control_map(struct memphis_control *control, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != MEMPHIS_PAGE_BYTES)
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYEXEC);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return memphis_insert_page(vma, vma->vm_start, virt_to_page(control));
}

int memphis_ring_map(const struct memphis_ring *ring, struct vm_area_struct *vma)
{
	u64 offset;
	int error;

	if (vma->vm_end - vma->vm_start != ring->bytes)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	/* Clear VM_MAYWRITE and VM_MAYEXEC, so that mprotect() cannot add these rights later. */
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (offset = 0; offset < ring->bytes; offset += PAGE_SIZE) {
		error = memphis_insert_page(vma, vma->vm_start + offset,
					    vmalloc_to_page((void *)ring->status + offset));
		if (error) {
			memphis_remove_pages(vma);
			return error;
		}
	}
	return 0;
}
