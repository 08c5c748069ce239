/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind rules from the call frame information (.eh_frame) of the object that contains a PC. A rule tells how
 * to step from a frame to its caller's frame.
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
	MEMPHIS_RULE_DEREF /* CFA = word at bp + cfa_offset, caller's bp at bp + bp_offset; used by
			    * over-aligned frames */
};

/*
 * CFA: canonical frame address, which is the value of sp before the call. The return address is at CFA - 8.
 * The caller's bp is at CFA + bp_offset, or still in the register if bp_offset is 0. MEMPHIS_RULE_DEREF uses
 * bp_offset differently (see above).
 */
struct memphis_rule {
	__u8 kind;
	__s16 bp_offset;
	__s32 cfa_offset;
};

/* Memory for one look-up. Some threads have a stack that is too small for it. */
union memphis_cfi_work {
	char bytes[640];
	__u64 aligned;
};

/*
 * Returns the rule for `pc`, a return address. Finds the object with _dl_find_object() if the C library
 * provides it. Otherwise uses memphis_loaded_each(), which takes the dynamic loader's lock in threads of the
 * program. Does not allocate. If another process is sampled, uses the copies of its call frame information
 * (memphis_cfi_copy_add()).
 */
struct memphis_rule memphis_cfi_rule(__u64 pc, union memphis_cfi_work *work);

/*
 * Finds the function that contains `pc`. Stores the function's first address and the address after its last
 * one. If the compiler has moved a part of a function elsewhere (.cold), this part counts as a separate
 * function. Returns false if there is no call frame information for `pc`.
 */
int memphis_cfi_function(__u64 pc, __u64 *start, __u64 *end);

/* Returns true if both addresses are in the same loaded object, and the object has call frame information. */
bool memphis_cfi_is_of_object(__u64 pc, __u64 other);

/* Looks up _dl_find_object(). Must be called once, before the first rule is needed. */
void memphis_cfi_setup(void);

/*
 * Call frame information of the objects of another process. It is copied from the object files, because
 * reading the memory of the process requires the rights of a debugger. Only the thread that unwinds may use
 * the copies.
 */

/*
 * Copies the call frame information of the object in file `fd`. The process has loaded this object at `bias`,
 * and `segments` are its program headers. Returns 0, -ENOENT if there is no usable information, -EBADMSG if
 * it is damaged, -ENOMEM or -EIO.
 */
int memphis_cfi_copy_add(int fd, const Elf64_Phdr *segments, size_t count, __u64 bias);

/* After this call, memphis_cfi_rule() and memphis_cfi_function() use only the copies. */
void memphis_cfi_copies_use(void);

/* Frees all copies. */
void memphis_cfi_copies_clear(void);

#endif
