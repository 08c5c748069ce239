/* SPDX-License-Identifier: BSD-3-Clause */
/* How to step from one frame to its caller: the unwind table of the object (.eh_frame), asked for one PC. */
#ifndef MEMPHIS_CFI_H
#define MEMPHIS_CFI_H

#include "base/sys.h"

enum memphis_rule_kind {
	MEMPHIS_RULE_NONE, /* no or no usable rule: the walk ends here */
	MEMPHIS_RULE_SP,   /* caller's frame = sp + cfa_offset */
	MEMPHIS_RULE_BP,   /* caller's frame = bp + cfa_offset */
	MEMPHIS_RULE_DEREF /* caller's frame = the word at bp + cfa_offset, caller's bp at bp + bp_offset: functions that
			    * align their frame to more than the ABI does */
};

/* The return address stands at caller's frame - 8; bp, if bp_offset is not 0, at caller's frame + bp_offset. */
struct memphis_rule {
	__u8 kind;
	__s16 bp_offset;
	__s32 cfa_offset;
};

/*
 * The rule at `pc`, a return address. Finds the object with _dl_find_object() where the C library
 * has it, else dl_iterate_phdr(). Allocates nothing.
 */
struct memphis_rule memphis_cfi_rule(__u64 pc);

/* The same from a given .eh_frame_hdr; for tests. */
struct memphis_rule memphis_cfi_rule_in(const unsigned char *eh_frame_hdr, __u64 pc);

/* To be called once before. */
void memphis_cfi_setup(void);

#endif
