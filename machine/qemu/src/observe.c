/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observation: passes every access of instrumented code through the cache model to the active
 * sampler, the model clock and the exact counts. Instrumented code runs only while a vCPU samples,
 * has running counters, or accesses are counted.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/boards.h"
#include "hw/i386/x86.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"
#include "system/model-time.h"
#include "system/system.h"
#include "tcg/helper-tcg.h"
#include "clock.h"
#include "observe.h"
#include "observe-registers.h"
#include "observe-switch.h"
#include "truth-count.h"

bool observe_counters;

/* ---- snapshots ---- */

/*
 * A snapshot has the registers of a vCPU's PMU that nothing uses: no vCPU samples or counts, and there are no exact counts. So all that
 * follows from the registers is as after power on.
 */
static int refuse_while_observing(void *opaque)
{
	if (observe_needed()) {
		error_report("a vCPU samples or counts, which a snapshot can't contain");
		return -EBUSY;
	}
	return 0;
}

static const VMStateDescription vmstate_observe = {
	.name = "observe",
	.pre_save = refuse_while_observing,
	.fields =
		(const VMStateField[]){
			VMSTATE_STRUCT_POINTER(ibs, ObserveCpu, vmstate_ibs, struct IbsState),
			VMSTATE_STRUCT_POINTER(pebs, ObserveCpu, vmstate_pebs, struct PebsState),
			VMSTATE_STRUCT_POINTER(amd, ObserveCpu, vmstate_amd_counters, struct AmdCounters),
			VMSTATE_END_OF_LIST()},
};

/* ---- vCPUs ---- */

static void create_cpu(CPUX86State *env)
{
	X86CPU *x86 = env_archcpu(env);
	ObserveCpu *cpu = g_new0(ObserveCpu, 1);

	cpu->cs = CPU(x86);
	cpu->index = cpu->cs->cpu_index;
	cpu->node = x86->node_id >= 0 ? x86->node_id : 0;
	cpu->rng = 0x9e3779b97f4a7c15ull * (cpu->index + 1);
	cpu->cache = cachemodel_cpu_new(cpu->index, cpu->node);
	cpu->truth = truth_new();
	cpu->ibs = ibs_new();
	cpu->pebs = pebs_new(env);
	cpu->amd = amd_counters_new();
	observe_counters |= pebs_present(env) || amd_counters_present(env);
	vmstate_register(NULL, cpu->index, &vmstate_observe, cpu);
	env->observe.tb_flag = observe_flag();
	env->observe.cpu = cpu;
	clock_init(env);
}

/* ---- ops of an instruction: which of its accesses are a further op, and their count ---- */

/* Returns true if the access continues the previous op at the same or the next address. */
static inline bool is_same_op(const ObserveState *o, const ObserveAccess *a, bool each)
{
	uint64_t end = a->vaddr + a->bytes;

	/* The store of a read-modify-write, or the second one of INS: QEMU probes the page with a store before it reads the device. */
	if (a->store && !a->load && a->vaddr >= o->op_start && end <= o->op_end && !(each && o->op_load)) {
		return true;
	}
	/* The next piece of a wide load or store, on the same line. */
	return !each && a->load == o->op_load && a->store == o->op_store && a->vaddr == o->op_end &&
	       a->vaddr % CACHE_LINE_BYTES;
}

static inline void begin_op(ObserveState *o, uint64_t vaddr, unsigned bytes, bool load, bool store)
{
	o->op_accesses = OBSERVE_OP_MORE;
	o->op_load = load;
	o->op_store = store;
	o->op_start = vaddr;
	o->op_end = vaddr + bytes;
	if (load && ++o->loads >= o->loads_due) {
		clock_loads_due(o);
	}
}

/* Returns true if the access is a further op: the instruction's start or an earlier access has not counted it. */
static inline bool is_new_op(ObserveState *o, const ObserveAccess *a, bool each)
{
	bool first = o->op_accesses == OBSERVE_OP_FIRST;

	if (!first && is_same_op(o, a, each)) {
		o->op_store |= a->store;
		o->op_end = MAX(o->op_end, a->vaddr + a->bytes);
		return false;
	}
	begin_op(o, a->vaddr, a->bytes, a->load, a->store);
	return !first;
}

/* Counts an L1 hit as an op, or as a part of one. Returns false, and counts nothing, if it would end the countdown. */
static inline bool count_hit(ObserveState *o, uint64_t vaddr, unsigned bytes, uint32_t info)
{
	bool store = info & OBSERVE_STORE;

	if (o->op_accesses != OBSERVE_OP_FIRST) {
		const ObserveAccess a = {.vaddr = vaddr, .bytes = bytes, .load = !store, .store = store};

		if (is_same_op(o, &a, info & OBSERVE_EACH)) {
			o->op_store |= store;
			o->op_end = MAX(o->op_end, vaddr + bytes);
			return true;
		}
		if (observe_ops_left(o) <= 0) {
			return false;
		}
		observe_use_ops(o, 1);
	}
	begin_op(o, vaddr, bytes, !store, store);
	return true;
}

/* ---- accesses ---- */

static unsigned latency_of(ObserveCpu *cpu, MemLevel level)
{
	const ObserveConfig *c = observe_config;
	unsigned base;

	switch (level) {
	case MEM_L1:
		return c->lat_l1;
	case MEM_L2:
		base = c->lat_l2;
		break;
	case MEM_L3:
		base = c->lat_l3;
		break;
	case MEM_PEER:
		base = c->lat_peer;
		break;
	case MEM_REMOTE_PEER:
		base = c->lat_rcache;
		break;
	case MEM_LOCAL_DRAM:
		base = c->lat_dram;
		break;
	default:
		base = c->lat_rdram;
		break;
	}
	/* Jitter of up to an eighth, as misses vary in latency. */
	return base + (c->lat_jitter ? observe_random(cpu) % (base / 8 + 1) : 0);
}

static inline bool is_split(uint64_t vaddr, unsigned bytes)
{
	return (vaddr & (CACHE_LINE_BYTES - 1)) + bytes > CACHE_LINE_BYTES;
}

static inline ObserveLine *line_of(ObserveCpu *cpu, uint64_t vaddr)
{
	return &cpu->lines[vaddr >> CACHE_LINE_SHIFT & (OBSERVE_LINES - 1)];
}

static inline uint64_t line_tag(uint64_t vaddr, unsigned mmu_idx)
{
	return (vaddr & -(uint64_t)CACHE_LINE_BYTES) | (mmu_idx + 1);
}

/* Returns true for an L1 hit in a line that was accessed before, which is the common case. */
static inline bool is_known_hit(const ObserveLine *l, uint64_t tag, bool store)
{
	if (l->tag != tag || !private_serves(l->entry, l->line, store)) {
		return false;
	}
	*l->recent = l->way;
	return true;
}

static void remember_line(ObserveCpu *cpu, uint64_t vaddr, unsigned mmu_idx, uint64_t line)
{
	PrivateCache *l1 = &cpu->cache->l1;
	uint64_t *entry = private_find(l1, line);
	uint64_t set = line & l1->set_mask;

	if (entry) {
		*line_of(cpu, vaddr) = (ObserveLine){line_tag(vaddr, mmu_idx), line, entry, &l1->recent[set],
						     entry - &l1->entries[set * PRIVATE_WAYS]};
	}
}

void observe_flush(CPUState *cs)
{
	ObserveCpu *cpu = cpu_env(cs)->observe.cpu;

	if (cpu) {
		memset(cpu->lines, 0, sizeof(cpu->lines));
	}
}

static uint64_t address_space(const CPUX86State *env)
{
	return env->cr[3] & ~0xfffull;
}

/* Returns the address space of the rows of the instruction that runs. */
static uint64_t instruction_space(const CPUX86State *env)
{
	return truth_space(address_space(env), env->hflags & HF_CPL_MASK);
}

/* Returns false if exact counts need the access although it is a hit that changes no state: it has another last store. */
static inline bool is_counted_hit(ObserveCpu *cpu, uint64_t line, bool store)
{
	return !truth_counting || !store || memory_stored_last(line, memory_who(cpu->cache->memory));
}

/* A non-temporal store to one line. The one that begins a write-combining buffer is served by memory, as far as stores are. */
static void bypass(ObserveCpu *cpu, uint64_t line, ObserveAccess *a, uint64_t bytes)
{
	bool user = cpu_env(cpu->cs)->hflags & HF_CPL_MASK;
	uint32_t who = truth_counting ? memory_who(cpu->cache->memory) : 0;

	if (!combine_store(&cpu->combine, cpu->cache, line, bytes, user, who)) {
		a->level = MEM_L1;
	} else {
		a->level = a->home == cpu->node ? MEM_LOCAL_DRAM : MEM_REMOTE_DRAM;
	}
}

static bool locate(ObserveCpu *cpu, uint64_t vaddr, uint32_t info, unsigned bytes, ObserveAccess *a)
{
	unsigned mmu_idx = get_mmuidx(info & ~OBSERVE_KINDS);
	uint64_t line;

	if (!observe_translate(cpu->cs, vaddr, mmu_idx, a->store, &a->paddr, &a->io)) {
		cpu->untranslated++;
		return false;
	}
	line = a->paddr >> CACHE_LINE_SHIFT;
	if (!a->io && !(info & OBSERVE_NT) && cachemodel_hit(cpu->cache, line, a->store) &&
	    is_counted_hit(cpu, line, a->store)) {
		a->home = -1;
		a->level = MEM_L1;
	} else {
		a->home = a->io ? -1 : cachemodel_home(a->paddr);
		if (a->home < 0) {
			a->level = MEM_OTHER;
			return true;
		}
		if (info & OBSERVE_NT) {
			bypass(cpu, line, a, MAKE_64BIT_MASK(vaddr & (CACHE_LINE_BYTES - 1), bytes));
			return true;
		}
		if (cpu->combine.used) {
			combine_leave(&cpu->combine, cpu->cache, line);
		}
		a->level = cachemodel_access(cpu->cache, line, a->store ? CACHE_STORE : CACHE_LOAD, a->home);
	}
	remember_line(cpu, vaddr, mmu_idx, line);
	return true;
}

/* Adds the part of an access in the next cache line. The whole access is as slow as its slower part. */
static void second_line(ObserveCpu *cpu, uint32_t info, ObserveAccess *a)
{
	ObserveAccess b = *a;
	uint64_t vaddr = (a->vaddr | (CACHE_LINE_BYTES - 1)) + 1;

	if (locate(cpu, vaddr, info, a->vaddr + a->bytes - vaddr, &b) && b.level > a->level) {
		a->level = b.level;
		a->home = b.home;
		a->io = b.io;
	}
}

void observe_access(CPUX86State *env, uint64_t vaddr, uint32_t info)
{
	ObserveState *o = &env->observe;
	ObserveCpu *cpu = o->cpu;
	ObserveLine *l = line_of(cpu, vaddr);
	bool rmw = info & OBSERVE_RMW;
	bool store = rmw || (info & OBSERVE_STORE);
	ObserveAccess a = {
		.vaddr = vaddr,
		.load = rmw || !store,
		.store = store,
		.locked = rmw,
		.bytes = memop_size(get_memop(info & ~OBSERVE_KINDS)),
	};
	bool split = is_split(vaddr, a.bytes), eligible = false;

	if (o->op_accesses == OBSERVE_OP_OUTSIDE) {
		return;
	}
	if (truth_counting) {
		memory_instruction(cpu->cache->memory, instruction_space(env), o->pc);
	}
	if (rmw) {
		combine_fence(&cpu->combine, cpu->cache, env->hflags & HF_CPL_MASK);
	}
	if (!split && !(info & OBSERVE_NT) &&
	    is_known_hit(l, line_tag(vaddr, get_mmuidx(info & ~OBSERVE_KINDS)), store) &&
	    is_counted_hit(cpu, l->line, store)) {
		a.paddr = l->line << CACHE_LINE_SHIFT | (vaddr & (CACHE_LINE_BYTES - 1));
		a.home = -1;
		a.level = MEM_L1;
	} else {
		unsigned here = CACHE_LINE_BYTES - (vaddr & (CACHE_LINE_BYTES - 1));

		if (!locate(cpu, vaddr, info, MIN(a.bytes, here), &a)) {
			return;
		}
		if (split) {
			second_line(cpu, info, &a);
		}
	}
	a.new_op = is_new_op(o, &a, info & OBSERVE_EACH);
	/* The sample of an access and the clock have the same latency. A pure store waits in a store buffer. */
	a.latency = latency_of(cpu, a.level);
	if (a.level != MEM_L1 && a.load) {
		clock_stall(env, a.latency);
	}
	if (cpu->sampler) {
		eligible = cpu->sampler->access(env, &a);
	}
	if (truth_counting) {
		truth_count(cpu, address_space(env), env->hflags & HF_CPL_MASK, o->pc, &a, eligible);
	}
}

/* count_hit() with exact counts. Returns false, and counts nothing, also if they need more than the number of the hit. */
static bool count_hit_exactly(CPUX86State *env, const ObserveLine *l, uint64_t vaddr, unsigned bytes,
			      uint32_t info)
{
	ObserveState *o = &env->observe;
	bool store = info & OBSERVE_STORE;
	PcRow *row = truth_hit(o->cpu, instruction_space(env), o->pc, l->line, store);

	if (!row || !count_hit(o, vaddr, bytes, info)) {
		return false;
	}
	truth_add_hit(o->cpu, row, address_space(env), env->hflags & HF_CPL_MASK, store);
	return true;
}

/* Called after each access of translated code: the common cases of observe_access(). */
void HELPER(observe_access)(CPUX86State *env, uint64_t vaddr, uint32_t info)
{
	ObserveState *o = &env->observe;
	ObserveCpu *cpu = o->cpu;
	ObserveLine *l = line_of(cpu, vaddr);
	uint32_t oi = info & ~OBSERVE_KINDS;
	unsigned bytes = memop_size(get_memop(oi));

	if (unlikely((info & OBSERVE_NT) || is_split(vaddr, bytes) || cpu->examine_hits ||
		     o->op_accesses == OBSERVE_OP_OUTSIDE ||
		     !is_known_hit(l, line_tag(vaddr, get_mmuidx(oi)), info & OBSERVE_STORE) ||
		     !(truth_counting ? count_hit_exactly(env, l, vaddr, bytes, info)
				      : count_hit(o, vaddr, bytes, info)))) {
		observe_access(env, vaddr, info);
	}
}

void observe_block_slow(CPUX86State *env, uint64_t vaddr, unsigned size, bool store, int mmu_idx)
{
	uint32_t info = make_memop_idx(MO_64, mmu_idx) | (store ? OBSERVE_STORE : 0);
	uint64_t at;

	/* One access of 8 bytes per line that the block touches. */
	for (at = vaddr & ~7ull; at < vaddr + size; at = (at | (CACHE_LINE_BYTES - 1)) + 1) {
		observe_access(env, at, info);
	}
}

/* ---- instructions that fill or empty the caches without being an access, and fences ---- */

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
		memory_instruction(cpu->cache->memory, instruction_space(env), env->observe.pc);
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

/* ---- starts of instructions, and interrupts ---- */

/* Counts an instruction that runs in a TB that does not count it. It is not counted as an op. */
static void count_insn(ObserveState *o)
{
	o->countdown--;
	o->sampler_due++;
	observe_schedule(o);
}

/*
 * The countdown ends within the instructions of the TB that have not run, or is due. env has the state at the start
 * of the first of them. insns: their number; counted: how many of them the TB has subtracted.
 */
G_NORETURN void HELPER(observe_op)(CPUX86State *env, uint32_t insns, uint32_t counted)
{
	ObserveState *o = &env->observe;
	CPUState *cs = env_cpu(env);
	int64_t before; /* instructions to run before the countdown ends */
	bool run = false;

	if (icount_enabled()) {
		cs->neg.icount_decr.u16.low += insns;
	}
	o->countdown += counted;
	o->insns_left = 0;
	before = o->countdown + (insns - counted);
	if (before > 0) {
		observe_run(cs, MIN(before, insns));
		cpu_loop_exit_noexc(cs);
	}
	o->op_accesses = OBSERVE_OP_FIRST;
	if (o->clock_due <= observe_insns(o)) {
		run = clock_op(env);
	}
	if (observe_ops_left(o) + (insns - counted) <= 0) {
		if (!o->cpu->sampler) {
			observe_set_due(o, OBSERVE_NEVER);
		} else {
			run |= o->cpu->sampler->op(env, env->eip);
		}
	}
	if (run) {
		if (insns == counted) {
			count_insn(o);
		}
		observe_run_one(cs);
	}
	cpu_loop_exit_noexc(cs);
}

void observe_leave_tb(CPUState *cs, const TranslationBlock *tb, int insns)
{
	if (tb->flags & HF_OBSERVE_MASK) {
		ObserveState *o = &cpu_env(cs)->observe;

		o->countdown += insns - 1;
		o->insns_left = 0;
	}
}

void observe_interrupt_slow(CPUX86State *env, bool fault, bool resumes)
{
	ObserveCpu *cpu = env->observe.cpu;

	env->observe.op_accesses = OBSERVE_OP_OUTSIDE;
	env->observe.insns_left = 0;
	/* Code with EFLAGS.RF does not count its first instruction. If RF is set now, it is that of a previous interrupt. */
	if (resumes && !(env->eflags & RF_MASK)) {
		count_insn(&env->observe);
	}
	if (cpu->sampler) {
		cpu->sampler->interrupt(env, fault);
	}
}

/* ---- MSRs ---- */

/* RDMSR can be in the middle of its TB: insns_left stays valid, so that the count of ops that is read is exact. */
bool observe_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	return observe_cpu(env) &&
	       (ibs_rdmsr(env, msr, val) || pebs_rdmsr(env, msr, val) || amd_counters_rdmsr(env, msr, val) ||
		umc_rdmsr(env, msr, val) || truth_rdmsr(env, msr, val));
}

/* WRMSR is the last instruction of its TB. */
bool observe_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	env->observe.insns_left = 0;
	return observe_cpu(env) &&
	       (ibs_wrmsr(env, msr, val) || pebs_wrmsr(env, msr, val) || amd_counters_wrmsr(env, msr, val) ||
		umc_wrmsr(env, msr, val) || truth_wrmsr(env, msr, val));
}

void HELPER(observe_rdpmc)(CPUX86State *env)
{
	uint32_t which = env->regs[R_ECX];
	uint64_t val;

	if ((!(env->cr[4] & CR4_PCE_MASK) && (env->hflags & HF_CPL_MASK)) || !observe_cpu(env) ||
	    !(pebs_present(env) ? pebs_rdpmc(env, which, &val) : amd_counters_rdpmc(env, which, &val))) {
		raise_exception_err_ra(env, EXCP0D_GPF, 0, GETPC());
	}
	env->regs[R_EAX] = (uint32_t)val;
	env->regs[R_EDX] = val >> 32;
}

/* ---- start ---- */

static void start_model_time(void)
{
	if (icount_enabled() != ICOUNT_PRECISE) {
		error_report("model-time=on needs -icount shift=N");
		exit(EXIT_FAILURE);
	}
	model_time = true;
}

static void machine_done(Notifier *notifier, void *data)
{
	CPUState *cs;

	if (!current_machine || !first_cpu ||
	    !object_dynamic_cast(OBJECT(current_machine), TYPE_X86_MACHINE)) {
		return;
	}
	observe_start(&X86_CPU(first_cpu)->observe, create_cpu);
	if (observe_config->model_time) {
		start_model_time();
	}
	truth_check_file();
	cachemodel_init(observe_config, current_machine->smp.max_cpus);
	umc_init();
	observe_switch_init();
	CPU_FOREACH(cs)
	{
		observe_cpu(cpu_env(cs));
	}
}

static Notifier machine_done_notifier = {.notify = machine_done};

static void observe_register(void)
{
	qemu_add_machine_init_done_notifier(&machine_done_notifier);
}
type_init(observe_register);
