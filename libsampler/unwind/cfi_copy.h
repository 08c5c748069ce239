/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call frame information of the objects of another process, copied from their files: the process's memory can't be read without the
 * rights of a debugger. Used by one thread only, the one that unwinds.
 */
#ifndef MEMPHIS_CFI_COPY_H
#define MEMPHIS_CFI_COPY_H

#include <elf.h>
#include <stdbool.h>

#include "base/sys.h"

/* The bytes from the lower one of .eh_frame_hdr and .eh_frame to the end of their segment. */
struct memphis_cfi_copy {
	__u64 start, end; /* of the object in its process */
	__u64 shift;      /* to be added to an address in the process to get the one in the copy */
	const unsigned char *eh_frame_hdr;
	unsigned char *bytes;
	size_t size; /* of the mapping */
};

/*
 * Copies the information of the object in file `fd` with these program headers, which the process has loaded at `bias`. Returns 0, or
 * -ENOENT if it has none that is usable, -EBADMSG if it is damaged, -ENOMEM or -EIO.
 */
int memphis_cfi_copy_add(int fd, const Elf64_Phdr *segments, size_t count, __u64 bias);

/* From the call on, memphis_cfi_rule() and memphis_cfi_function() look at copies only. */
void memphis_cfi_copies_use(void);
bool memphis_cfi_copies_are_used(void);

/* Frees all copies. */
void memphis_cfi_copies_clear(void);

/* Returns the copy for an address of the process, or NULL. */
const struct memphis_cfi_copy *memphis_cfi_copy_at(__u64 pc);

#endif
