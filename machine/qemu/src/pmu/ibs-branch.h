/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests whether an instruction is a branch, and determines its fall-through address. */
#ifndef TARGET_I386_IBS_BRANCH_H
#define TARGET_I386_IBS_BRANCH_H

typedef struct IbsBranch {
	bool is_branch;
	bool always; /* unconditional */
	bool is_return;
	unsigned length; /* bytes up to the next instruction; set only for a conditional branch */
} IbsBranch;

/* The instruction must just have been executed, so that its page is mapped. */
IbsBranch ibs_branch_decode(CPUX86State *env, uint64_t rip);

#endif
