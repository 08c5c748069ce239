// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tracks the stack pointer through the instructions of a function, in the order of their addresses. Compilers
 * take memory by subtracting the size from the stack pointer, or by computing the new stack pointer in
 * another register. The size is in a register, so its value is unknown. But two growths have the same size if
 * nothing wrote to that register between them.
 */
#include "dwarf/stack_growth.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/cfa.h"
#include "dwarf/registers.h"

#ifdef MEMPHIS_HAS_CAPSTONE
#include <capstone/capstone.h>

#define CODE_BYTES_MAX (1 << 18) /* larger functions are not read */
#define JUMPS_MAX      4096
#define CHANGES_MAX    256
#define NONE           (-1)

/*
 * The stack memory that is taken at an instruction. States with the same number have the same memory. An
 * earlier state is restored if the stack pointer is set from a copy of its earlier value.
 */
struct state {
	uint32_t number; /* UNKNOWN if the stack pointer is not known */
	size_t count;    /* number of growths */
	int64_t taken; /* constant number of bytes since the frame pointer was set, or since the last growth */
};

#define UNKNOWN UINT32_MAX

struct jump {
	uint64_t from, to;
	struct state state;
};

/* From `vaddr` on, the state has this number. */
struct change {
	uint64_t vaddr;
	uint32_t number;
};

/* What a register holds: the stack pointer, or the stack pointer minus a size. Other values are not tracked. */
struct copy {
	bool of_sp;
	struct state state;
	uint32_t size; /* identifies the size; 0 if no size was subtracted */
	uint64_t vaddr;
};

struct reader {
	csh handle;
	cs_insn *insn;
	const cs_x86 *x86;
	struct memphis_stack_growth growth;
	struct copy copies[MEMPHIS_GENERAL_REGISTERS];
	uint32_t versions[MEMPHIS_GENERAL_REGISTERS]; /* number of writes to the register */
	struct state state;
	struct jump *jumps;
	size_t jump_count;
	struct change changes[CHANGES_MAX];
	size_t change_count;
	uint32_t numbers; /* last number that was given to a state */
	bool has_bp;      /* rbp is the frame pointer */
	/* The stack pointer was reset to leave the function. True until the next jump or return. */
	bool is_leaving;
	bool is_too_large;
};

static int register_number(const cs_x86_op *op, unsigned int *bytes)
{
	return op->type == X86_OP_REG ? memphis_general_register(op->reg, bytes) : NONE;
}

/* Returns the number of the register if the operand at `index` is a whole register, otherwise NONE. */
static int whole_register(const struct reader *reader, uint8_t index)
{
	unsigned int bytes;
	const int number =
		index < reader->x86->op_count ? register_number(&reader->x86->operands[index], &bytes) : NONE;

	return number >= 0 && bytes == 8 ? number : NONE;
}

static bool read_constant(const struct reader *reader, uint8_t index, int64_t *number)
{
	if (index >= reader->x86->op_count || reader->x86->operands[index].type != X86_OP_IMM)
		return false;
	*number = reader->x86->operands[index].imm;
	return true;
}

/* Returns a number that identifies the current value of the register. It changes with each write. */
static uint32_t size_number(const struct reader *reader, int number)
{
	return (reader->versions[number] * MEMPHIS_GENERAL_REGISTERS + (uint32_t)number) + 1;
}

/* Sets the state from the instruction at `vaddr` on. */
static void set_state(struct reader *reader, struct state state, uint64_t vaddr)
{
	if (state.number != reader->state.number && reader->change_count < CHANGES_MAX)
		reader->changes[reader->change_count++] = (struct change){vaddr, state.number};
	else if (state.number != reader->state.number)
		reader->is_too_large = true;
	reader->state = state;
}

static void lose_stack_pointer(struct reader *reader)
{
	set_state(reader, (struct state){.number = UNKNOWN}, reader->insn->address + reader->insn->size);
}

static void add_growth(struct reader *reader, uint32_t size, uint64_t vaddr)
{
	struct memphis_stack_growth *growth = &reader->growth;
	const size_t count = reader->state.count;

	if (reader->state.number == UNKNOWN || count == MEMPHIS_GROWTHS_MAX || !reader->has_bp) {
		lose_stack_pointer(reader);
		return;
	}
	growth->list[count] = (struct memphis_growth){vaddr, size, reader->state.taken};
	set_state(reader, (struct state){.number = ++reader->numbers, .count = count + 1},
		  reader->insn->address + reader->insn->size);
}

/* Applies an instruction that writes the stack pointer. */
static void track_stack_pointer(struct reader *reader)
{
	const cs_x86_op *operands = reader->x86->operands;
	const uint64_t behind = reader->insn->address + reader->insn->size;
	const int from = whole_register(reader, 1);
	int64_t number;
	unsigned int bytes;

	switch (reader->insn->id) {
	case X86_INS_SUB:
	case X86_INS_ADD:
		if (read_constant(reader, 1, &number))
			reader->state.taken += reader->insn->id == X86_INS_SUB ? number : -number;
		else if (from >= 0 && reader->insn->id == X86_INS_SUB)
			add_growth(reader, size_number(reader, from), behind);
		else
			lose_stack_pointer(reader);
		return;
	case X86_INS_AND:
		/* Accept one alignment of the frame, before the first growth. */
		if (!read_constant(reader, 1, &number) || reader->state.count ||
		    reader->growth.mask != UINT64_MAX) {
			lose_stack_pointer(reader);
			return;
		}
		reader->growth.mask = (uint64_t)number;
		reader->growth.aligned = reader->state.taken;
		reader->state.taken = 0;
		return;
	case X86_INS_LEA:
		if (memphis_general_register(operands[1].mem.base, &bytes) == MEMPHIS_REG_BP)
			reader->is_leaving = true;
		else if (operands[1].mem.base == X86_REG_RSP && operands[1].mem.index == X86_REG_INVALID)
			reader->state.taken -= operands[1].mem.disp;
		else
			lose_stack_pointer(reader);
		return;
	case X86_INS_MOV:
		if (from == MEMPHIS_REG_BP)
			reader->is_leaving = true;
		else if (from >= 0 && reader->copies[from].of_sp && reader->copies[from].size)
			add_growth(reader, reader->copies[from].size, reader->copies[from].vaddr);
		else if (from >= 0 && reader->copies[from].of_sp)
			set_state(reader, reader->copies[from].state, behind);
		else
			lose_stack_pointer(reader);
		return;
	default:
		lose_stack_pointer(reader);
	}
}

/* Records whether the register now holds the stack pointer, or the stack pointer minus a size. */
static void track_register(struct reader *reader, int to)
{
	const int from = whole_register(reader, 1);
	struct copy *copy = &reader->copies[to];
	const bool is_copy = copy->of_sp && !copy->size;

	if (reader->insn->id == X86_INS_MOV && from == MEMPHIS_REG_SP) {
		*copy = (struct copy){.of_sp = true, .state = reader->state};
	} else if (reader->insn->id == X86_INS_MOV && from >= 0 && to == whole_register(reader, 0)) {
		*copy = reader->copies[from];
	} else if (reader->insn->id == X86_INS_SUB && is_copy && from >= 0) {
		copy->size = size_number(reader, from);
		copy->vaddr = reader->insn->address + reader->insn->size;
	} else {
		copy->of_sp = false;
	}
}

/* Records that registers may have new values. Bit n of `mask` is set for register n. */
static void forget_registers(struct reader *reader, uint32_t mask)
{
	int number;

	for (number = 0; number < MEMPHIS_GENERAL_REGISTERS; number++) {
		if (!(mask >> number & 1))
			continue;
		reader->versions[number]++;
		reader->copies[number].of_sp = false;
	}
}

static void note_writes(struct reader *reader)
{
	cs_regs read, written;
	uint8_t read_count, written_count, i;
	unsigned int bytes;
	int number;

	if (cs_regs_access(reader->handle, reader->insn, read, &read_count, written, &written_count)) {
		forget_registers(reader, UINT32_MAX);
		return;
	}
	for (i = 0; i < written_count; i++) {
		number = memphis_general_register(written[i], &bytes);
		if (number < 0 || number == MEMPHIS_REG_SP)
			continue;
		reader->versions[number]++;
		track_register(reader, number);
	}
}

/*
 * Sets the state after a jump or return. The next instruction is then reached only by other jumps. Uses the
 * state of an earlier jump to it. If the jump comes later in the code, the state is assumed not to change.
 */
static void resume_behind_jump(struct reader *reader)
{
	const uint64_t next = reader->insn->address + reader->insn->size;
	size_t i;

	reader->is_leaving = false;
	/* No arguments of a call are on the stack at this point. */
	if (reader->state.count)
		reader->state.taken = 0;
	for (i = 0; i < reader->jump_count; i++)
		if (reader->jumps[i].to == next && reader->jumps[i].state.number != UNKNOWN) {
			set_state(reader, reader->jumps[i].state, next);
			return;
		}
}

/* Applies a jump, call or return. Returns false for other instructions. */
static bool track_jump(struct reader *reader)
{
	const cs_x86_op *target = &reader->x86->operands[0];
	const bool is_jump = cs_insn_group(reader->handle, reader->insn, CS_GRP_JUMP);
	const bool is_call = cs_insn_group(reader->handle, reader->insn, CS_GRP_CALL);
	const bool is_end = cs_insn_group(reader->handle, reader->insn, CS_GRP_RET);

	if (is_jump && target->type == X86_OP_IMM && !reader->is_leaving) {
		if (reader->jump_count < JUMPS_MAX)
			reader->jumps[reader->jump_count++] =
				(struct jump){reader->insn->address, (uint64_t)target->imm, reader->state};
		else
			reader->is_too_large = true;
	}
	if (is_end || (is_jump && reader->insn->id == X86_INS_JMP))
		resume_behind_jump(reader);
	if (is_call)
		forget_registers(reader, MEMPHIS_CLOBBERED);
	return is_jump || is_call || is_end;
}

static void track_instruction(struct reader *reader)
{
	const int to = whole_register(reader, 0);

	if (track_jump(reader) || reader->is_leaving)
		return;
	if (reader->insn->id == X86_INS_PUSH) {
		reader->state.taken += 8;
	} else if (reader->insn->id == X86_INS_POP) {
		reader->state.taken -= 8;
	} else if (reader->insn->id == X86_INS_LEAVE) {
		reader->is_leaving = true;
	} else if (to == MEMPHIS_REG_BP && reader->insn->id == X86_INS_MOV &&
		   whole_register(reader, 1) == MEMPHIS_REG_SP && !reader->has_bp && !reader->state.count) {
		reader->has_bp = true;
		reader->state.taken = 0;
	} else if (to == MEMPHIS_REG_SP && reader->insn->id != X86_INS_CMP &&
		   reader->insn->id != X86_INS_TEST) {
		track_stack_pointer(reader);
	}
	if (to != MEMPHIS_REG_SP)
		note_writes(reader);
}

static uint32_t state_number_at(const struct reader *reader, uint64_t vaddr)
{
	uint32_t number = 0;
	size_t i;

	/* The changes are sorted by address, because the code is read in this order. */
	for (i = 0; i < reader->change_count && reader->changes[i].vaddr <= vaddr; i++)
		number = reader->changes[i].number;
	return number;
}

/* Returns true if each jump has the same state as the instruction that it leads to. */
static bool is_consistent(const struct reader *reader, uint64_t low, uint64_t high)
{
	const struct jump *jump;
	uint32_t number;
	size_t i;

	for (i = 0; i < reader->jump_count; i++) {
		jump = &reader->jumps[i];
		number = state_number_at(reader, jump->to);
		if (jump->to >= low && jump->to < high && number != UNKNOWN &&
		    jump->state.number != UNKNOWN && number != jump->state.number)
			return false;
	}
	return true;
}

static void read_code(struct reader *reader, const uint8_t *bytes, size_t left, uint64_t low, uint64_t end,
		      struct memphis_stack_growth *growth)
{
	const uint64_t high = low + left;
	bool is_before = true;
	uint64_t vaddr = low;

	while (!reader->is_too_large && cs_disasm_iter(reader->handle, &bytes, &left, &vaddr, reader->insn)) {
		reader->x86 = &reader->insn->detail->x86;
		if (is_before && reader->insn->address + reader->insn->size > end) {
			is_before = false;
			if (reader->state.number == UNKNOWN || !reader->state.count)
				return;
			*growth = reader->growth;
			growth->count = reader->state.count;
			growth->after = reader->state.taken;
		}
		track_instruction(reader);
	}
	/* Discard the growths if some code was not decoded, because this code may jump back. */
	if (left || reader->is_too_large || !is_consistent(reader, low, high))
		growth->count = 0;
}

void memphis_stack_growth_read(struct memphis_binary *binary, uint64_t vaddr,
			       struct memphis_stack_growth *growth)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	uint8_t *bytes = NULL;
	uint64_t low, high;

	memset(growth, 0, sizeof(*growth));
	if (!reader || !memphis_function_find_bounds(binary, vaddr, &low, &high) ||
	    high - low > CODE_BYTES_MAX || cs_open(CS_ARCH_X86, CS_MODE_64, &reader->handle)) {
		free(reader);
		return;
	}
	cs_option(reader->handle, CS_OPT_DETAIL, CS_OPT_ON);
	reader->growth.mask = UINT64_MAX;
	reader->insn = cs_malloc(reader->handle);
	reader->jumps = calloc(JUMPS_MAX, sizeof(*reader->jumps));
	bytes = malloc(high - low);
	if (reader->insn && reader->jumps && bytes)
		read_code(reader, bytes, memphis_binary_read(binary, low, bytes, high - low), low, vaddr,
			  growth);
	free(bytes);
	free(reader->jumps);
	if (reader->insn)
		cs_free(reader->insn, 1);
	cs_close(&reader->handle);
	free(reader);
}
#else
void memphis_stack_growth_read(struct memphis_binary *binary, uint64_t vaddr,
			       struct memphis_stack_growth *growth)
{
	(void)binary;
	(void)vaddr;
	memset(growth, 0, sizeof(*growth));
}
#endif

bool memphis_stack_growth_bounds(const struct memphis_stack_growth *growth, size_t index, uint64_t bp,
				 uint64_t sp, bool sp_known, uint64_t *low, uint64_t *high)
{
	/* The stack pointer before the first growth. If the frame is aligned, it is computed with the mask. */
	const uint64_t first =
		growth->mask == UINT64_MAX ? bp : ((bp - (uint64_t)growth->aligned) & growth->mask);
	uint64_t constant = (uint64_t)growth->after, size = 0;
	size_t i;

	if (!growth->count)
		return false;
	for (i = 0; i < growth->count; i++) {
		constant += (uint64_t)growth->list[i].before;
		if (growth->list[i].size != growth->list[0].size)
			return false;
	}
	if (sp_known && sp <= first - constant)
		size = (first - constant - sp) / growth->count;
	else if (sp_known || growth->count > 1)
		return false;
	*high = first;
	for (i = 0; i <= index; i++)
		*high -= (uint64_t)growth->list[i].before + (i ? size : 0);
	*low = sp_known ? *high - size : 0;
	return true;
}
