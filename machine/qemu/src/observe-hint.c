/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that fill or empty the caches without being an access, and fences. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "observe.h"

/* Called for instructions that access no memory, but the caches. None of them faults. */
void HELPER(observe_hint)(CPUX86State *env, uint64_t vaddr, uint32_t info)
{
	static const CacheAccess accesses[] = {
		[OBSERVE_HINT_L1] = CACHE_PREFETCH_L1,
		[OBSERVE_HINT_L2] = CACHE_PREFETCH_L2,
		[OBSERVE_HINT_STORE] = CACHE_PREFETCH_STORE,
	};
	ObserveCpu *cpu = env->observe.cpu;
	unsigned hint = info & OBSERVE_HINTS;
	uint64_t paddr = 0, line;
	int home = -1, level = MEM_OTHER;

	if (env->observe.op_accesses == OBSERVE_OP_OUTSIDE) {
		return;
	}
	if (truth_counting) {
		memory_instruction(cpu->cache->memory, env->cr[3] & ~0xfffull, env->observe.pc);
	}
	if (observe_look_up(env, vaddr, info >> OBSERVE_HINT_MMU_SHIFT, &paddr)) {
		home = cachemodel_home(paddr);
	}
	line = paddr >> CACHE_LINE_SHIFT;
	if (home >= 0) {
		combine_leave(&cpu->combine, cpu->cache, line);
	}
	if (hint == OBSERVE_HINT_FLUSH || hint == OBSERVE_HINT_CLEAN) {
		if (home >= 0) {
			cachemodel_clean(cpu->cache, line, hint == OBSERVE_HINT_CLEAN);
		}
		return;
	}
	if (home >= 0) {
		level = cachemodel_hit(cpu->cache, line, false) && hint != OBSERVE_HINT_STORE
				? MEM_L1
				: cachemodel_access(cpu->cache, line, accesses[hint], home);
	}
	memory_hinted(cpu->cache->memory, level);
}

/* Called for fences of stores. */
void HELPER(observe_fence)(CPUX86State *env)
{
	ObserveCpu *cpu = env->observe.cpu;

	combine_fence(&cpu->combine, cpu->cache, env->hflags & HF_CPL_MASK);
}
