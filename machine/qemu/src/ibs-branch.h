/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the instruction at an address a branch, and where would it fall through to? */
#ifndef TARGET_I386_IBS_BRANCH_H
#define TARGET_I386_IBS_BRANCH_H

typedef struct IbsBranch {
	bool is_branch;
	bool always; /* jumps whenever it retires */
	bool is_return;
	unsigned length; /* of a conditional branch: bytes to the next instruction */
} IbsBranch;

/* The instruction must have just run, so that its page is mapped. */
IbsBranch ibs_branch_decode(CPUX86State *env, uint64_t rip);

#endif
