// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tracks a value through x86-64 code. The set of places is conservative: every place in it holds the value,
 * except in code that is never reached. For an instruction without a specific rule, the value is removed from
 * the first operand and from all registers that the instruction writes.
 */
#include "name/value_flow.h"

#include <string.h>

#ifdef MEMPHIS_HAS_CAPSTONE
#include <capstone/capstone.h>

#include "name/function_code.h"

#define CODE_BYTES_MAX (1 << 20) /* larger functions are not read whole */
#define UNKNOWN_BYTES  4096      /* number of bytes to read if the end of the function is unknown */
#define STEPS_MAX      3000      /* maximum number of instructions, summed over all paths */
#define PATHS_MAX      64
#define REG_AX         0 /* DWARF register number */
#define VISITED        (1u << 31)

struct set {
	struct memphis_place places[MEMPHIS_FLOW_PLACES_MAX];
	size_t count;
};

struct path {
	uint64_t vaddr, previous;
	struct set set;
	bool straight;  /* the path has no condition since the call, except null checks of the value */
	bool null_flag; /* the CPU flags are the result of comparing the value with 0 */
};

struct flow {
	struct memphis_binaries *binaries;
	struct memphis_binary *binary;
	const struct memphis_flow_visitor *visitor;
	csh handle;
	cs_insn *insn;
	uint8_t *code;
	/* For each address: bit mask of the registers that held the value on earlier paths, and VISITED. */
	uint32_t *visited;
	uint64_t low, high; /* address range of `code` */
	struct path paths[PATHS_MAX];
	size_t path_count, steps;
	bool enough;   /* the visitor needs no further steps */
	bool returned; /* the function returns the value */
	/* A copy of the value may be in an unknown place, or a path was not followed to its end. */
	bool lost;
	struct memphis_cfa cfa; /* CFA before the current instruction */
};

static int number_of_vector(unsigned int reg)
{
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return (int)(reg - X86_REG_XMM0);
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return (int)(reg - X86_REG_YMM0);
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return (int)(reg - X86_REG_ZMM0);
	return -1;
}

static bool has_place(const struct set *set, struct memphis_place place)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (set->places[i].base == place.base && set->places[i].offset == place.offset)
			return true;
	return false;
}

static void add_place(struct set *set, struct memphis_place place)
{
	if (set->count < MEMPHIS_FLOW_PLACES_MAX && !has_place(set, place))
		set->places[set->count++] = place;
}

/* Removes the places with this base and an offset in [from, to). */
static void remove_places(struct set *set, enum memphis_place_base base, int64_t from, int64_t to)
{
	size_t i, kept = 0;

	for (i = 0; i < set->count; i++)
		if (set->places[i].base != base || set->places[i].offset < from ||
		    set->places[i].offset >= to)
			set->places[kept++] = set->places[i];
	set->count = kept;
}

static void remove_register(struct set *set, unsigned int reg)
{
	unsigned int bytes;
	int number = memphis_general_register(reg, &bytes);

	if (number >= 0) {
		remove_places(set, MEMPHIS_IN_REGISTER, number, number + 1);
		if (number == MEMPHIS_REG_BP)
			remove_places(set, MEMPHIS_AT_BP, INT64_MIN, INT64_MAX);
		if (number == MEMPHIS_REG_SP)
			remove_places(set, MEMPHIS_AT_SP, INT64_MIN, INT64_MAX);
	}
	number = number_of_vector(reg);
	if (number >= 0)
		remove_places(set, MEMPHIS_IN_VECTOR, number * 2, number * 2 + 2);
}

/*
 * Stores the place of the operand. If the operand is larger than 8 bytes, this is the place of its first 8
 * bytes. Returns false if the operand has no place that is tracked.
 */
static bool find_place(const struct flow *flow, const cs_x86_op *op, struct memphis_place *place)
{
	unsigned int size;
	int number;

	if (op->type == X86_OP_REG) {
		number = memphis_general_register(op->reg, &size);
		place->base = MEMPHIS_IN_REGISTER;
		place->offset = number;
		if (number >= 0)
			return size == 8;
		number = number_of_vector(op->reg);
		place->base = MEMPHIS_IN_VECTOR;
		place->offset = (int64_t)number * 2;
		return number >= 0;
	}
	if (op->type != X86_OP_MEM || op->mem.index != X86_REG_INVALID || op->mem.segment != X86_REG_INVALID)
		return false;
	if (op->mem.base == X86_REG_RBP && flow->cfa.has_bp)
		place->base = MEMPHIS_AT_BP;
	else if (op->mem.base == X86_REG_RSP)
		place->base = MEMPHIS_AT_SP;
	else
		return false;
	place->offset = op->mem.disp;
	*place = memphis_place_in_frame(*place, &flow->cfa);
	return true;
}

static bool holds_value(const struct flow *flow, const struct set *set, const cs_x86_op *op,
			unsigned int lane)
{
	struct memphis_place place;

	if (!find_place(flow, op, &place))
		return false;
	place.offset += op->type == X86_OP_REG ? lane : lane * 8;
	return has_place(set, place);
}

/* Removes the value from the destination operand, because the instruction overwrites it. */
static void remove_operand(const struct flow *flow, struct set *set, const cs_x86_op *op, int64_t bytes)
{
	struct memphis_place place;

	if (op->type == X86_OP_REG)
		remove_register(set, op->reg);
	else if (find_place(flow, op, &place))
		remove_places(set, place.base, place.offset - 7, place.offset + bytes);
}

static void report_store(const struct flow *flow, const cs_x86_op *op, unsigned int lane)
{
	uint64_t slot = 0;

	if (op->mem.base == X86_REG_RIP && op->mem.index == X86_REG_INVALID)
		slot = flow->insn->address + flow->insn->size + (uint64_t)op->mem.disp + lane * 8;
	flow->visitor->stored(flow->visitor->context, flow->insn->address, slot);
}

/* Copies up to two words of 8 bytes to the operand. Bit i of `mask` is set if word i of the source is the value. */
static void write_lanes(const struct flow *flow, struct set *set, const cs_x86_op *to, unsigned int mask,
			int64_t bytes, bool straight)
{
	struct memphis_place place;
	bool known = find_place(flow, to, &place);
	unsigned int lane;

	remove_operand(flow, set, to, bytes);
	for (lane = 0; lane < 2; lane++) {
		if (!(mask & 1u << lane))
			continue;
		if (!known && to->type == X86_OP_MEM && straight)
			report_store(flow, to, lane);
		if (!known)
			continue;
		place.offset += lane ? (to->type == X86_OP_REG ? 1 : 8) : 0;
		add_place(set, place);
	}
}

static unsigned int lanes_with_value(const struct flow *flow, const struct set *set, const cs_x86_op *op)
{
	return (unsigned int)holds_value(flow, set, op, 0) | (unsigned int)holds_value(flow, set, op, 1) << 1;
}

/*
 * Writes both 8-byte lanes of the vector register that is the first operand. Lane `lane` gets the first word
 * of `from`. The other lane keeps the word that `old` has there.
 */
static void write_lane(const struct flow *flow, struct path *path, const cs_x86_op *old,
		       const cs_x86_op *from, unsigned int lane)
{
	const unsigned int mask = (lanes_with_value(flow, &path->set, old) & ~(1u << lane)) |
				  (unsigned int)holds_value(flow, &path->set, from, 0) << lane;

	write_lanes(flow, &path->set, &flow->insn->detail->x86.operands[0], mask, 16, path->straight);
}

/*
 * Applies a move of a general-purpose register, or of one or both halves of a vector register. Returns false
 * if the instruction is not such a move.
 */
static bool apply_move(struct flow *flow, struct path *path)
{
	const cs_x86 *x86 = &flow->insn->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1],
			*last = &x86->operands[x86->op_count ? x86->op_count - 1 : 0];
	struct set *set = &path->set;
	unsigned int mask = 0;

	switch (flow->insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVQ:
	case X86_INS_VMOVQ:
	case X86_INS_MOVD:
	case X86_INS_VMOVD:
		if (to->size == 8 || from->size == 8)
			mask = holds_value(flow, set, from, 0);
		write_lanes(flow, set, to, mask, to->size, path->straight);
		return true;
	case X86_INS_MOVAPS:
	case X86_INS_MOVAPD:
	case X86_INS_MOVUPS:
	case X86_INS_MOVUPD:
	case X86_INS_MOVDQA:
	case X86_INS_MOVDQU:
	case X86_INS_VMOVAPS:
	case X86_INS_VMOVAPD:
	case X86_INS_VMOVUPS:
	case X86_INS_VMOVUPD:
	case X86_INS_VMOVDQA:
	case X86_INS_VMOVDQU:
		write_lanes(flow, set, to, lanes_with_value(flow, set, from), to->size, path->straight);
		return true;
	case X86_INS_MOVHPS:
	case X86_INS_MOVHPD:
		/* The instruction loads or stores only the second lane of the vector register. */
		if (to->type == X86_OP_MEM)
			write_lanes(flow, set, to, holds_value(flow, set, from, 1), 8, path->straight);
		else
			write_lane(flow, path, to, from, 1);
		return true;
	case X86_INS_VMOVHPS:
	case X86_INS_VMOVHPD:
	case X86_INS_VPUNPCKLQDQ:
	case X86_INS_VUNPCKLPD:
		if (x86->op_count != 3)
			return false;
		write_lane(flow, path, from, last, 1);
		return true;
	case X86_INS_PUNPCKLQDQ:
	case X86_INS_UNPCKLPD:
	case X86_INS_MOVLHPS:
		write_lane(flow, path, to, from, 1);
		return true;
	case X86_INS_PINSRQ:
		if (last->type != X86_OP_IMM)
			return false;
		write_lane(flow, path, to, from, last->imm & 1);
		return true;
	case X86_INS_VPINSRQ:
		if (x86->op_count != 4 || last->type != X86_OP_IMM)
			return false;
		write_lane(flow, path, from, &x86->operands[2], last->imm & 1);
		return true;
	}
	return false;
}

static bool is_read_only(unsigned int id)
{
	return id == X86_INS_CMP || id == X86_INS_TEST || id == X86_INS_PUSH || id == X86_INS_NOP ||
	       id == X86_INS_UCOMISD || id == X86_INS_COMISD || id == X86_INS_BT || id == X86_INS_ENDBR64;
}

/* Applies an instruction without a specific rule: removes the value from all places that the instruction writes. */
static void apply_other(const struct flow *flow, struct set *set)
{
	const cs_x86 *x86 = &flow->insn->detail->x86;
	cs_regs read, written;
	uint8_t read_count, written_count, i;

	/* The disassembler's tables of written registers may be incomplete, so always treat the first operand as written. */
	if (x86->op_count && !is_read_only(flow->insn->id))
		remove_operand(flow, set, &x86->operands[0], x86->operands[0].size);
	if (flow->insn->id == X86_INS_XCHG || flow->insn->id == X86_INS_XADD)
		remove_operand(flow, set, &x86->operands[1], x86->operands[1].size);
	if (!cs_regs_access(flow->handle, flow->insn, read, &read_count, written, &written_count))
		for (i = 0; i < written_count; i++)
			remove_register(set, written[i]);
}

/* Returns true if the instruction compares the value with 0. */
static bool compares_with_null(const struct flow *flow, const struct set *set)
{
	const cs_x86 *x86 = &flow->insn->detail->x86;
	const cs_x86_op *a = &x86->operands[0], *b = &x86->operands[1];

	if (x86->op_count != 2 || a->size != 8 || !holds_value(flow, set, a, 0))
		return false;
	if (flow->insn->id == X86_INS_TEST)
		return b->type == X86_OP_REG && holds_value(flow, set, b, 0);
	return flow->insn->id == X86_INS_CMP && b->type == X86_OP_IMM && !b->imm;
}

static void push_path(struct flow *flow, const struct path *path, uint64_t vaddr)
{
	if (flow->path_count == PATHS_MAX || vaddr < flow->low || vaddr >= flow->high) {
		flow->lost = true;
		return;
	}
	flow->paths[flow->path_count] = *path;
	flow->paths[flow->path_count++].vaddr = vaddr;
}

/*
 * Applies a call. Caller-saved registers and vector registers lose the value. If the compiler knows that the
 * callee preserves such a register, it may still hold the value, so flow->lost is set.
 */
static void apply_call(struct flow *flow, struct set *set)
{
	size_t count = set->count;
	int i;

	for (i = 0; i < MEMPHIS_GENERAL_REGISTERS; i++)
		if (MEMPHIS_CLOBBERED >> i & 1)
			remove_places(set, MEMPHIS_IN_REGISTER, i, i + 1);
	remove_places(set, MEMPHIS_IN_VECTOR, 0, INT64_MAX);
	flow->lost |= set->count < count;
}

/* Continues at the target of a jump, and after a conditional jump also at the next instruction. */
static void apply_jump(struct flow *flow, struct path *path)
{
	const cs_x86 *x86 = &flow->insn->detail->x86;
	const cs_x86_op *target = &x86->operands[0];
	uint64_t next = flow->insn->address + flow->insn->size;
	unsigned int id = flow->insn->id;

	if (x86->op_count != 1 || target->type != X86_OP_IMM) {
		flow->lost = true;
		return;
	}
	path->previous = flow->insn->address;
	if (id == X86_INS_JMP) {
		push_path(flow, path, (uint64_t)target->imm);
		return;
	}
	/* The call succeeded, so the pointer is not null. Follow only that branch. */
	if (path->null_flag && (id == X86_INS_JE || id == X86_INS_JNE)) {
		push_path(flow, path, id == X86_INS_JE ? next : (uint64_t)target->imm);
		return;
	}
	path->straight = false;
	push_path(flow, path, (uint64_t)target->imm);
	push_path(flow, path, next);
}

static bool is_in_group(const struct flow *flow, uint8_t group)
{
	return cs_insn_group(flow->handle, flow->insn, group);
}

/* Executes the decoded instruction. Returns false if the path ends or forks at this instruction. */
static bool execute_instruction(struct flow *flow, struct path *path)
{
	const uint64_t flags = flow->insn->detail->x86.eflags;
	struct set *set = &path->set;
	bool moved;

	if (is_in_group(flow, CS_GRP_RET)) {
		flow->returned |= has_place(set, (struct memphis_place){MEMPHIS_IN_REGISTER, REG_AX});
		return false;
	}
	if (is_in_group(flow, CS_GRP_CALL)) {
		apply_call(flow, set);
		path->null_flag = false;
		return true;
	}
	if (is_in_group(flow, CS_GRP_JUMP)) {
		apply_jump(flow, path);
		return false;
	}
	if (compares_with_null(flow, set)) {
		path->null_flag = true;
		return true;
	}
	moved = apply_move(flow, path);
	if (!moved)
		apply_other(flow, set);
	if (!moved && flags)
		path->null_flag = false;
	return true;
}

static bool decode_instruction(struct flow *flow, uint64_t vaddr)
{
	const uint8_t *code = flow->code + (vaddr - flow->low);
	size_t bytes = flow->high - vaddr;

	return cs_disasm_iter(flow->handle, &code, &bytes, &vaddr, flow->insn) && flow->insn->detail;
}

static void show_step(struct flow *flow, const struct path *path)
{
	struct memphis_flow_step step = {
		.vaddr = path->vaddr, .previous = path->previous, .count = path->set.count, .cfa = flow->cfa};

	memcpy(step.places, path->set.places, sizeof(step.places));
	flow->enough |= flow->visitor->step(flow->visitor->context, &step);
}

/* Returns false if earlier paths came to this address, and together had the value in at least the same registers. */
static bool is_new_state(struct flow *flow, const struct path *path)
{
	uint32_t *visited = &flow->visited[path->vaddr - flow->low], mask = VISITED;
	size_t i;

	for (i = 0; i < path->set.count; i++)
		if (path->set.places[i].base == MEMPHIS_IN_REGISTER)
			mask |= 1u << path->set.places[i].offset;
	if (!(mask & ~*visited))
		return false;
	*visited |= mask;
	return true;
}

/* Follows one path until it ends, forks, or reaches a state that was visited before. */
static void follow_path(struct flow *flow, struct path *path)
{
	while (path->set.count) {
		if (path->vaddr < flow->low || path->vaddr >= flow->high || flow->steps++ == STEPS_MAX) {
			flow->lost = true;
			return;
		}
		if (!is_new_state(flow, path))
			return;
		memphis_cfa_find(flow->binaries, flow->binary, path->vaddr, &flow->cfa);
		if (path->straight && !flow->enough)
			show_step(flow, path);
		if (!decode_instruction(flow, path->vaddr)) {
			flow->lost = true;
			return;
		}
		if (!execute_instruction(flow, path))
			return;
		path->previous = path->vaddr;
		path->vaddr += flow->insn->size;
	}
}

static void follow_paths(struct flow *flow, uint64_t vaddr)
{
	struct path path = {.vaddr = vaddr, .previous = vaddr - 1, .straight = true};

	add_place(&path.set, (struct memphis_place){MEMPHIS_IN_REGISTER, REG_AX});
	push_path(flow, &path, vaddr);
	while (flow->path_count) {
		path = flow->paths[--flow->path_count];
		follow_path(flow, &path);
	}
}

static bool start_disassembler(struct flow *flow)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &flow->handle))
		return false;
	cs_option(flow->handle, CS_OPT_DETAIL, CS_OPT_ON);
	flow->insn = cs_malloc(flow->handle);
	flow->code = malloc(flow->high - flow->low);
	flow->visited = calloc(flow->high - flow->low, sizeof(*flow->visited));
	return flow->insn && flow->code && flow->visited;
}

static void close_flow(struct flow *flow)
{
	free(flow->visited);
	free(flow->code);
	if (flow->insn)
		cs_free(flow->insn, 1);
	if (flow->handle)
		cs_close(&flow->handle);
}

enum memphis_flow_end memphis_value_flow(struct memphis_binaries *binaries, struct memphis_binary *binary,
					 uint64_t vaddr, uint64_t low, uint64_t high,
					 const struct memphis_flow_visitor *visitor)
{
	struct flow flow = {
		.binaries = binaries, .binary = binary, .visitor = visitor, .low = low, .high = high};
	size_t bytes;

	if (vaddr < low || vaddr >= high || high - low > CODE_BYTES_MAX) {
		flow.low = vaddr;
		flow.high = vaddr + UNKNOWN_BYTES;
	}
	flow.lost = !start_disassembler(&flow);
	if (!flow.lost) {
		bytes = memphis_binary_read(binary, flow.low, flow.code, flow.high - flow.low);
		flow.high = flow.low + bytes;
		follow_paths(&flow, vaddr);
	}
	close_flow(&flow);
	return flow.returned ? MEMPHIS_FLOW_RETURNED : flow.lost ? MEMPHIS_FLOW_UNKNOWN : MEMPHIS_FLOW_STAYS;
}
#else
enum memphis_flow_end memphis_value_flow(struct memphis_binaries *binaries, struct memphis_binary *binary,
					 uint64_t vaddr, uint64_t low, uint64_t high,
					 const struct memphis_flow_visitor *visitor)
{
	struct memphis_flow_step step = {.vaddr = vaddr, .previous = vaddr - 1, .count = 1};

	memphis_cfa_find(binaries, binary, vaddr, &step.cfa);
	step.places[0] = (struct memphis_place){MEMPHIS_IN_REGISTER, 0};
	visitor->step(visitor->context, &step);
	(void)low;
	(void)high;
	return MEMPHIS_FLOW_UNKNOWN;
}
#endif
