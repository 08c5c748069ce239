/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of each thread's TLS blocks. dl_iterate_phdr() returns only the addresses of the calling thread.
 * For other threads, the library reads the dynamic thread vector. glibc stores a pointer to this vector in
 * the second word of the thread control block (ELF Handling For Thread-Local Storage, section 3). Each entry
 * of the vector has two words. The library verifies this layout first: it compares the results of both
 * methods for the thread that lists the objects.
 */
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "base/loaded.h"
#include "base/lock.h"
#include "base/proc.h"
#include "base/text.h"
#include "core/tls.h"
#include "data/sampled.h"

/* number of entries read at a time; small, because a thread's stack may be small when the thread ends */
#define AT_A_TIME  8
#define MADE_BYTES (64u << 10) /* number of bytes checked for samples below the thread pointer */
/* entry of a block that is not allocated, because the thread has not accessed it yet */
#define NOT_MADE UINT64_MAX

struct entry {
	__u64 block, to_free;
};

static struct {
	struct module {
		__u64 object; /* lowest address of the object; 0: no such module */
		__u64 bytes;
		__u64 own; /* address of the listing thread's own block, or 0 */
		__u32 serial;
	} modules[MEMPHIS_TLS_MODULES]; /* indexed by module number */
	__u32 serial;
	__u64 changes; /* number of objects that the loader had added and removed, plus 1; 0: not listed
		        * yet */
} known;
static MEMPHIS_AT_FORK struct memphis_lock known_lock;

/* 0: the layout of the vectors is not verified yet; 1: it is as expected; -1: it is not. */
static _Atomic int vectors;

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
	__u64 object = UINT64_MAX, bytes = 0, start;
	struct module *found = data;
	size_t number;
	int i;

	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(info->dlpi_tls_data))
		return 1;
	number = info->dlpi_tls_modid;
	if (!number || number >= MEMPHIS_TLS_MODULES)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			bytes = info->dlpi_phdr[i].p_memsz;
		else if (info->dlpi_phdr[i].p_type == PT_LOAD && start < object)
			object = start;
	}
	found[number].object = bytes ? object : 0;
	found[number].bytes = bytes;
	found[number].own = (__u64)(uintptr_t)info->dlpi_tls_data;
	return 0;
}

/*
 * Copies memory of a thread. If it is `safe` (the memory of the calling thread), reads it directly. Otherwise
 * the thread may end and its memory may be unmapped at any time, so the kernel copies it. Returns 0 or
 * -EFAULT.
 */
static int copy_memory(__u64 from, void *to, size_t bytes, bool safe)
{
	if (safe) {
		memcpy(to, (const void *)(uintptr_t)from, bytes);
		return 0;
	}
	return sys_copy(to, from, bytes) == (ssize_t)bytes ? 0 : -EFAULT;
}

/*
 * Reads where the thread-local variables of each loaded object are in this thread. Sets blocks[n] to the address of the
 * thread's block for TLS module n, or to 0 if the thread has none. Returns -EFAULT if the thread has ended.
 */
static int read_blocks(__u64 pointer, __u64 blocks[MEMPHIS_TLS_MODULES])
{
	const bool safe = pointer == memphis_tls_pointer() && atomic_load(&vectors) == 1;
	struct entry vector[AT_A_TIME];
	__u64 block[2], length;
	size_t count = MEMPHIS_TLS_MODULES, i, j, part;

	memset(blocks, 0, MEMPHIS_TLS_MODULES * sizeof(*blocks));
	if (copy_memory(pointer, block, sizeof(block), safe) || block[0] != pointer)
		return -EFAULT;
	/* The entry before the first one contains the number of the last entry. */
	if (copy_memory(block[1] - sizeof(struct entry), &length, sizeof(length), safe))
		return -EFAULT;
	if (length < count - 1)
		count = length + 1;
	for (i = 1; i < count; i += part) {
		part = count - i < AT_A_TIME ? count - i : AT_A_TIME;
		if (copy_memory(block[1] + i * sizeof(*vector), vector, part * sizeof(*vector), safe))
			return -EFAULT;
		for (j = 0; j < part; j++)
			blocks[i + j] = vector[j].block == NOT_MADE ? 0 : vector[j].block;
	}
	return 0;
}

static int has_known_layout(const struct module *modules)
{
	__u64 blocks[MEMPHIS_TLS_MODULES];
	int i, compared = 0;

	if (read_blocks(memphis_tls_pointer(), blocks))
		return 0;
	for (i = 1; i < MEMPHIS_TLS_MODULES; i++) {
		if (!modules[i].own)
			continue;
		if (modules[i].own != blocks[i])
			return 0;
		compared++;
	}
	return compared > 0;
}

void memphis_tls_list(void)
{
	struct module found[MEMPHIS_TLS_MODULES] = {0}, *module;
	const struct memphis_loads counts = memphis_loaded_counts();
	const __u64 changes = counts.loads + counts.unloads + 1;
	int i;

	if (changes == __atomic_load_n(&known.changes, __ATOMIC_RELAXED))
		return;
	dl_iterate_phdr(list_module, found);
	memphis_lock_take(&known_lock);
	__atomic_store_n(&known.changes, changes, __ATOMIC_RELAXED);
	for (i = 1; i < MEMPHIS_TLS_MODULES; i++) {
		module = &known.modules[i];
		/* If these differ, the module number was reused for another object. */
		if (found[i].object != module->object || found[i].bytes != module->bytes)
			module->serial = ++known.serial;
		module->object = found[i].object;
		module->bytes = found[i].bytes;
	}
	if (!atomic_load(&vectors))
		atomic_store(&vectors, has_known_layout(found) ? 1 : -1);
	memphis_lock_release(&known_lock);
}

void memphis_tls_forked(void)
{
	memphis_lock_reset(&known_lock);
}

void memphis_tls_add_lines(struct memphis_text_buffer *text, struct memphis_tls *tls, int ended)
{
	__u64 blocks[MEMPHIS_TLS_MODULES];
	const struct module *module;
	int i;

	if (!tls->pointer || atomic_load(&vectors) < 1)
		return;
	if (ended)
		memcpy(blocks, tls->left, sizeof(blocks));
	else if (read_blocks(tls->pointer, blocks))
		return;
	if (!memphis_lock_for(&known_lock, 1))
		return;
	for (i = 1; i < MEMPHIS_TLS_MODULES; i++) {
		module = &known.modules[i];
		if (!module->object || !blocks[i] ||
		    (tls->written[i] == blocks[i] && tls->written_serial[i] == module->serial))
			continue;
		tls->written[i] = blocks[i];
		tls->written_serial[i] = module->serial;
		memphis_text_add(text, "0x%llx 0x%llx %llu\n", module->object, blocks[i], module->bytes);
	}
	memphis_lock_release(&known_lock);
}

bool memphis_tls_is_sampled(const struct memphis_tls *tls)
{
	int i;

	/* System V ABI, AMD64 supplement: the blocks that are created with the thread end at the thread pointer. */
	if (tls->pointer && memphis_sampled_has(tls->pointer - MADE_BYTES, tls->pointer))
		return true;
	for (i = 1; i < MEMPHIS_TLS_MODULES; i++)
		if (tls->left[i] && memphis_sampled_has(tls->left[i], tls->left[i] + known.modules[i].bytes))
			return true;
	return false;
}

void memphis_tls_leave(struct memphis_tls *tls)
{
	if (tls->pointer && atomic_load(&vectors) == 1)
		read_blocks(tls->pointer, tls->left);
}
