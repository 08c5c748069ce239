/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread control blocks of companions, and the thread-local variables below them. */
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/busy.h"
#include "base/control_block.h"
#include "base/sys.h"

#define PAGE_BYTES 4096u
#define GAP_BYTES  (1u << 20)
#define MODULES    4 /* objects whose thread-local variables companions use: the library and the C library */

/* A block of thread-local variables that companions need, relative to the thread pointer. */
static struct block {
	__u64 below; /* its begin is so many bytes below the thread pointer */
	size_t bytes;
	const void *image; /* initial contents; zeros follow */
	size_t image_bytes;
} blocks[MODULES];
static size_t block_count, bytes_below;

static __u64 thread_pointer(void)
{
	__u64 pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* Notes the block if it has errno or the library's own variables. */
static int note_block(struct dl_phdr_info *info, size_t size, void *unused)
{
	const __u64 begin = (__u64)(uintptr_t)info->dlpi_tls_data, own = (__u64)(uintptr_t)&memphis_busy;
	const __u64 of_libc = (__u64)(uintptr_t)&errno;
	const ElfW(Phdr) * part;

	(void)unused;
	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(info->dlpi_tls_data))
		return 1;
	for (part = info->dlpi_phdr; part < info->dlpi_phdr + info->dlpi_phnum; part++)
		if (part->p_type == PT_TLS && block_count < MODULES &&
		    (own - begin < part->p_memsz || of_libc - begin < part->p_memsz)) {
			blocks[block_count++] =
				(struct block){.below = thread_pointer() - begin,
					       .bytes = part->p_memsz,
					       .image = (void *)(info->dlpi_addr + part->p_vaddr),
					       .image_bytes = part->p_filesz};
			if (thread_pointer() - begin > bytes_below)
				bytes_below = (thread_pointer() - begin + 63) & ~(size_t)63;
		}
	return 0;
}

void memphis_control_block_setup(void)
{
	dl_iterate_phdr(note_block, NULL);
}

size_t memphis_control_block_bytes(void)
{
	return ((bytes_below + PAGE_BYTES - 1) & -(size_t)PAGE_BYTES) + MEMPHIS_CONTROL_BLOCK_BYTES;
}

/*
 * Writes the thread control block of the companion, whose layout is part of the ABI (ELF Handling For Thread-Local Storage, 4.4.6; and the
 * fields that compilers use): its own address, twice, the canary of stacks, and glibc's key for saved registers.
 */
void memphis_control_block_fill(char *pointer)
{
	static __u64 no_vector[4];
	__u64 *const block = (__u64 *)pointer;
	size_t i;

	memset(block, 0, MEMPHIS_CONTROL_BLOCK_BYTES);
	for (i = 0; i < block_count; i++) {
		memset(pointer - blocks[i].below, 0, blocks[i].bytes);
		memcpy(pointer - blocks[i].below, blocks[i].image, blocks[i].image_bytes);
	}
	block[0] = block[2] = (__u64)(uintptr_t)block;
	block[1] = (__u64)(uintptr_t)&no_vector[2];
	block[3] = 1; /* versions of glibc that look here whether there are several threads */
	__asm__("mov %%fs:0x28, %0" : "=r"(block[5]));
	__asm__("mov %%fs:0x30, %0" : "=r"(block[6]));
}

void memphis_control_block_unmap_gaps(char *pointer)
{
	const __u64 page = PAGE_BYTES;
	char *from = pointer - bytes_below;
	size_t i;

	while (from < pointer) {
		char *next = pointer, *end = pointer;

		for (i = 0; i < block_count; i++)
			if (pointer - blocks[i].below >= from && pointer - blocks[i].below < next) {
				next = pointer - blocks[i].below;
				end = next + blocks[i].bytes;
			}
		from = (char *)(((__u64)(uintptr_t)from + page - 1) & -page);
		next = (char *)((__u64)(uintptr_t)next & -page);
		if (from + GAP_BYTES <= next)
			sys_unmap(from, (size_t)(next - from));
		from = end;
	}
}
