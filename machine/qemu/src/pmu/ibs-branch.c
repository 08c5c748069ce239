/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects branches of 64-bit mode by opcode, for the branch bits of IbsOpData. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu-all.h"
#include "exec/exec-all.h"
#include "ibs-branch.h"

#define MAX_PREFIXES 4

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:          /* segment */
	case 0x40 ... 0x4f: /* REX */
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

IbsBranch ibs_branch_decode(CPUX86State *env, uint64_t rip)
{
	uint8_t bytes[MAX_PREFIXES + 2];
	IbsBranch jump = {.is_branch = true, .always = true};
	IbsBranch none = {0};
	unsigned at = 0;

	if (!(env->hflags & HF_CS64_MASK) ||
	    cpu_memory_rw_debug(env_cpu(env), rip, bytes, sizeof(bytes), false)) {
		return none;
	}
	while (at < MAX_PREFIXES && is_prefix(bytes[at])) {
		at++;
	}
	switch (bytes[at]) {
	case 0x70 ... 0x7f: /* Jcc rel8 */
	case 0xe0 ... 0xe3: /* LOOP, JRCXZ */
		return (IbsBranch){.is_branch = true, .length = at + 2};
	case 0x0f:
		if (bytes[at + 1] >= 0x80 && bytes[at + 1] <= 0x8f) { /* Jcc rel32 */
			return (IbsBranch){.is_branch = true, .length = at + 6};
		}
		return none;
	case 0xc2:
	case 0xc3: /* RET */
		jump.is_return = true;
		return jump;
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return jump;
	case 0xff: /* CALL, JMP through register or memory */
		return (bytes[at + 1] >> 3 & 7) >= 2 && (bytes[at + 1] >> 3 & 7) <= 5 ? jump : none;
	default:
		return none;
	}
}
