/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind rules from the call frame information (.eh_frame) of the object that contains a PC: how to step from
 * a frame to its caller's frame.
 */
#ifndef MEMPHIS_CFI_H
#define MEMPHIS_CFI_H

#include <elf.h>
#include <stdbool.h>

#include "base/sys.h"

enum memphis_rule_kind {
	MEMPHIS_RULE_NONE, /* no usable rule: the walk ends here */
	MEMPHIS_RULE_SP,   /* CFA = sp + cfa_offset */
	MEMPHIS_RULE_BP,   /* CFA = bp + cfa_offset */
	MEMPHIS_RULE_DEREF /* CFA = word at bp + cfa_offset, caller's bp at bp + bp_offset: over-aligned frames */
};

/*
 * CFA: canonical frame address, the value of sp before the call. The return address is stored at CFA - 8. The
 * caller's bp is stored at CFA + bp_offset (except for MEMPHIS_RULE_DEREF), or is still in the register if
 * bp_offset is 0.
 */
struct memphis_rule {
	__u8 kind;
	__s16 bp_offset;
	__s32 cfa_offset;
};

/* Memory for one look-up, which may be too large for the stack of a thread that has a small one. */
union memphis_cfi_work {
	char bytes[640];
	__u64 aligned;
};

/*
 * Returns the rule for `pc`, a return address. Finds the object with _dl_find_object() if the C library
 * provides it, else with memphis_loaded_each(), which takes the dynamic loader's lock in threads of the program. Does not allocate. If another process is sampled,
 * uses the copies of its information (memphis_cfi_copy_add()).
 */
struct memphis_rule memphis_cfi_rule(__u64 pc, union memphis_cfi_work *work);

/*
 * Finds the function that contains `pc`: its first address and the address after its last one. A part that the compiler has moved
 * elsewhere (.cold) counts as a function of its own. Returns false if there is no call frame information for `pc`.
 */
int memphis_cfi_function(__u64 pc, __u64 *start, __u64 *end);

/* Returns true if both addresses are in the same loaded object, and the object has call frame information. */
bool memphis_cfi_is_of_object(__u64 pc, __u64 other);

/* Looks up _dl_find_object(). Must be called once, before the first rule is needed. */
void memphis_cfi_setup(void);

/*
 * Call frame information of the objects of another process, copied from their files: the process's memory can't be read without the
 * rights of a debugger. Used by one thread only, the one that unwinds.
 */

/*
 * Copies the information of the object in file `fd` with these program headers, which the process has loaded at `bias`. Returns 0, or
 * -ENOENT if it has none that is usable, -EBADMSG if it is damaged, -ENOMEM or -EIO.
 */
int memphis_cfi_copy_add(int fd, const Elf64_Phdr *segments, size_t count, __u64 bias);

/* From this call on, memphis_cfi_rule() and memphis_cfi_function() look at copies only. */
void memphis_cfi_copies_use(void);

/* Frees all copies. */
void memphis_cfi_copies_clear(void);

#endif
