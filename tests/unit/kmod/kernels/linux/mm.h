/* SPDX-License-Identifier: GPL-2.0-only */
/* In place of the kernel's header: what compat.h needs of it. */
#ifndef MOCK_MM_H
#define MOCK_MM_H

#include <stdbool.h>
#include <stddef.h>

struct page;

struct vm_area_struct {
	unsigned long vm_flags;
};

static inline int vm_insert_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
	return vma && address && page ? 0 : -1;
}

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

#endif
