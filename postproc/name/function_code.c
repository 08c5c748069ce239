// SPDX-License-Identifier: BSD-3-Clause
/* Decodes the instructions of a function and describes each as an operation on addresses. */
#include "name/function_code.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

#ifdef MEMPHIS_HAS_CAPSTONE
#include <capstone/capstone.h>

#define CODE_BYTES_MAX (1 << 20) /* larger functions are not read */

struct reader {
	struct memphis_binaries *binaries;
	struct memphis_binary *binary;
	csh handle;
	cs_insn *insn;
	const cs_x86 *x86;
	struct memphis_cfa cfa;
	bool has_cfa; /* `cfa` is valid for the current instruction */
	struct memphis_function_code *code;
};

static const struct memphis_cfa *current_cfa(struct reader *reader)
{
	if (!reader->has_cfa)
		memphis_cfa_find(reader->binaries, reader->binary, reader->insn->address, &reader->cfa);
	reader->has_cfa = true;
	return &reader->cfa;
}

/* Rewrites an operand relative to rsp, or relative to rbp as the frame pointer, as an offset from the CFA. */
static void read_frame_operand(struct reader *reader, struct memphis_code_memory *memory)
{
	const struct memphis_cfa *cfa;

	if ((memory->base != MEMPHIS_REG_SP && memory->base != MEMPHIS_REG_BP) || memory->thread)
		return;
	cfa = current_cfa(reader);
	if (!cfa->known || cfa->reg != memory->base)
		return;
	if (cfa->reg == MEMPHIS_REG_BP) {
		reader->code->has_bp = true;
		reader->code->bp_offset = cfa->offset;
	}
	memory->in_frame = true;
	memory->base = MEMPHIS_NO_REGISTER;
	memory->offset -= cfa->offset;
}

/*
 * Returns the size of the floating-point numbers that the instruction accesses, derived from its name: 8 for
 * addsd, 4 for mulps. Returns 0 for vector moves, whose content is unknown, and for conversions, whose
 * operand may be an integer. Returns 0 for all other instructions, too.
 */
static uint8_t float_bytes(const char *name)
{
	static const char *const vectors[] = {"add", "sub", "mul", "div", "min", "max", "sqrt", "fm", "fnm"};
	const size_t length = strlen(name);
	const char *end;
	size_t i;

	name += *name == 'v';
	if (length < 5 || strstr(name, "cvt"))
		return 0;
	end = name + strlen(name) - 2;
	if (!strcmp(end, "sd") || !strcmp(end, "ss"))
		return end[1] == 'd' ? 8 : 4;
	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		if (!strncmp(name, vectors[i], strlen(vectors[i])) &&
		    (!strcmp(end, "pd") || !strcmp(end, "ps")))
			return end[1] == 'd' ? 8 : 4;
	return 0;
}

static bool uses_vector_register(const cs_x86 *x86)
{
	int i;

	for (i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_REG && x86->operands[i].size >= 16)
			return true;
	return false;
}

static void read_memory(struct reader *reader, const cs_x86_op *op, struct memphis_code_memory *memory)
{
	unsigned int bytes;

	memset(memory, 0, sizeof(*memory));
	memory->bytes = op->size;
	memory->float_bytes = uses_vector_register(reader->x86) ? float_bytes(reader->insn->mnemonic) : 0;
	memory->offset = op->mem.disp;
	memory->scale = (uint8_t)op->mem.scale;
	memory->thread = op->mem.segment == X86_REG_FS;
	memory->segment = op->mem.segment == X86_REG_GS;
	memory->base = (int8_t)memphis_general_register(op->mem.base, &bytes);
	memory->index = (int8_t)memphis_general_register(op->mem.index, &bytes);
	memory->vector = op->mem.index != X86_REG_INVALID && op->mem.index != X86_REG_RIZ &&
			 memory->index == MEMPHIS_NO_REGISTER;
	if (op->mem.base == X86_REG_RIP)
		memory->offset += (int64_t)(reader->insn->address + reader->insn->size);
	/* Without a base register, the constant can be an address only if the program is not relocated. */
	memory->fixed = op->mem.base == X86_REG_RIP ||
			(memory->base == MEMPHIS_NO_REGISTER && !memory->thread && reader->binary->low &&
			 (uint64_t)memory->offset >= reader->binary->low &&
			 (uint64_t)memory->offset < reader->binary->high);
	read_frame_operand(reader, memory);
}

static bool is_in_group(const struct reader *reader, uint8_t group)
{
	return cs_insn_group(reader->handle, reader->insn, group);
}

static bool read_control_flow(const struct reader *reader, struct memphis_code_op *op)
{
	const cs_x86_op *target = &reader->x86->operands[0];
	const bool known = reader->x86->op_count == 1 && target->type == X86_OP_IMM;

	if (is_in_group(reader, CS_GRP_RET) || reader->insn->id == X86_INS_UD2 ||
	    reader->insn->id == X86_INS_HLT) {
		op->next = MEMPHIS_CODE_ENDS;
	} else if (is_in_group(reader, CS_GRP_CALL)) {
		op->next = MEMPHIS_CODE_CALLS;
		op->written = MEMPHIS_CLOBBERED;
	} else if (is_in_group(reader, CS_GRP_JUMP)) {
		op->target = known ? (uint64_t)target->imm : 0;
		op->next = !known                            ? MEMPHIS_CODE_SWITCHES
			   : reader->insn->id == X86_INS_JMP ? MEMPHIS_CODE_JUMPS
							     : MEMPHIS_CODE_BRANCHES;
	}
	return op->next != MEMPHIS_CODE_FOLLOWS;
}

static const uint16_t padding[] = {X86_INS_NOP, X86_INS_INT3, X86_INS_ENDBR64, X86_INS_FNOP};
static const uint16_t no_access[] = {X86_INS_LEA, X86_INS_NOP};
static const uint16_t prefetches[] = {X86_INS_PREFETCH,   X86_INS_PREFETCHW,  X86_INS_PREFETCHNTA,
				      X86_INS_PREFETCHT0, X86_INS_PREFETCHT1, X86_INS_PREFETCHT2};

static bool is_one_of(unsigned int id, const uint16_t *list, size_t count)
{
	while (count--)
		if (list[count] == id)
			return true;
	return false;
}
#define IS_ONE_OF(id, list) is_one_of(id, list, sizeof(list) / sizeof(*list))

/* Instructions with two operands, the first of which is a whole register. */
static const struct operation {
	uint16_t id;
	enum memphis_code_effect effect;
	bool copies; /* the instruction only writes the first operand, and does not read it */
} operations[] = {
	{X86_INS_MOV, MEMPHIS_CODE_COPY, true},        {X86_INS_MOVABS, MEMPHIS_CODE_COPY, true},
	{X86_INS_ADD, MEMPHIS_CODE_ADD, false},        {X86_INS_SUB, MEMPHIS_CODE_SUBTRACT, false},
	{X86_INS_AND, MEMPHIS_CODE_ARITHMETIC, false}, {X86_INS_OR, MEMPHIS_CODE_ARITHMETIC, false},
	{X86_INS_SAR, MEMPHIS_CODE_ARITHMETIC, false}, {X86_INS_SHR, MEMPHIS_CODE_ARITHMETIC, false},
};

static bool is_conditional_move(unsigned int id)
{
	return id >= X86_INS_CMOVA && id <= X86_INS_CMOVS;
}

static void read_source(struct memphis_code_op *op, enum memphis_code_effect effect, const cs_x86_op *source)
{
	const bool copies = effect == MEMPHIS_CODE_COPY;
	unsigned int bytes;

	op->effect = effect;
	if (source->type == X86_OP_IMM) {
		op->number = source->imm;
		op->effect = copies ? MEMPHIS_CODE_CONSTANT : effect;
	} else if (source->type == X86_OP_REG) {
		op->from = (int8_t)memphis_general_register(source->reg, &bytes);
		if (op->from == MEMPHIS_NO_REGISTER)
			op->effect = MEMPHIS_CODE_OTHER;
	} else {
		op->effect = copies ? MEMPHIS_CODE_LOAD : effect;
	}
}

/* Sets the effect of an instruction that writes all 8 bytes of a register. Returns false if there is no rule for it. */
static bool read_register_write(struct reader *reader, struct memphis_code_op *op)
{
	const cs_x86_op *operands = reader->x86->operands, *second = &operands[1];
	const unsigned int id = reader->insn->id;
	size_t i;

	if (id == X86_INS_LEA) {
		op->effect = MEMPHIS_CODE_ADDRESS;
		return true;
	}
	if (id == X86_INS_INC || id == X86_INS_DEC) {
		op->effect = MEMPHIS_CODE_ADD;
		op->number = id == X86_INS_INC ? 1 : -1;
		return true;
	}
	if ((id == X86_INS_SHL || id == X86_INS_SAL) && reader->x86->op_count == 2 &&
	    second->type == X86_OP_IMM && second->imm > 0 && second->imm < 32) {
		op->effect = MEMPHIS_CODE_MULTIPLY;
		op->number = (int64_t)1 << second->imm;
		return true;
	}
	if (id == X86_INS_IMUL && reader->x86->op_count == 3 && operands[2].type == X86_OP_IMM &&
	    operands[2].imm > 0) {
		op->effect = MEMPHIS_CODE_MULTIPLE;
		op->number = operands[2].imm;
		return true;
	}
	if (id == X86_INS_IMUL || id == X86_INS_MOVSX || id == X86_INS_MOVZX || id == X86_INS_MOVSXD) {
		op->effect = MEMPHIS_CODE_NUMBER;
		return true;
	}
	if (id == X86_INS_NEG || id == X86_INS_NOT) {
		op->effect = MEMPHIS_CODE_ARITHMETIC;
		return true;
	}
	if (reader->x86->op_count != 2)
		return false;
	if (is_conditional_move(id)) {
		read_source(op, MEMPHIS_CODE_CHOOSE, second);
		return second->type == X86_OP_REG;
	}
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (operations[i].id == id) {
			read_source(op, operations[i].effect, second);
			return op->effect != MEMPHIS_CODE_OTHER;
		}
	return false;
}

static void read_written_registers(struct reader *reader, struct memphis_code_op *op)
{
	const cs_x86_op *first = &reader->x86->operands[0];
	cs_regs read, written;
	uint8_t read_count, written_count, i;
	unsigned int bytes;
	int number;

	if (cs_regs_access(reader->handle, reader->insn, read, &read_count, written, &written_count))
		written_count = 0;
	for (i = 0; i < written_count; i++) {
		number = memphis_general_register(written[i], &bytes);
		if (number >= 0)
			op->written |= (uint16_t)(1u << number);
	}
	/* The disassembler's tables of written registers may be incomplete, so always treat the first operand as written. */
	if (reader->x86->op_count && first->type == X86_OP_REG && reader->insn->id != X86_INS_CMP &&
	    reader->insn->id != X86_INS_TEST && reader->insn->id != X86_INS_PUSH) {
		number = memphis_general_register(first->reg, &bytes);
		if (number >= 0)
			op->written |= (uint16_t)(1u << number);
	}
	/* The call frame information describes the stack pointer, so it is not tracked here. */
	op->written &= (uint16_t) ~(1u << MEMPHIS_REG_SP);
}

static void read_effect(struct reader *reader, struct memphis_code_op *op)
{
	const cs_x86_op *first = &reader->x86->operands[0], *second = &reader->x86->operands[1];
	unsigned int bytes = 0, from_bytes = 0;
	int to = MEMPHIS_NO_REGISTER;

	read_written_registers(reader, op);
	if (reader->insn->id == X86_INS_CDQE)
		to = 0;
	else if (reader->x86->op_count && first->type == X86_OP_REG)
		to = memphis_general_register(first->reg, &bytes);
	op->to = (int8_t)to;
	if (to >= 0 && op->written == 1u << to) {
		if (reader->insn->id == X86_INS_CDQE)
			op->effect = MEMPHIS_CODE_NUMBER;
		else if (reader->insn->id == X86_INS_XOR && reader->x86->op_count == 2 &&
			 second->type == X86_OP_REG && second->reg == first->reg)
			op->effect = MEMPHIS_CODE_CONSTANT;
		else if (bytes == 4 && reader->insn->id == X86_INS_MOV && second->type == X86_OP_IMM)
			op->effect = MEMPHIS_CODE_CONSTANT, op->number = (uint32_t)second->imm;
		else if (bytes == 4 && !is_conditional_move(reader->insn->id))
			op->effect = MEMPHIS_CODE_NUMBER;
		else if (bytes == 8 && !read_register_write(reader, op))
			op->effect = MEMPHIS_CODE_OTHER;
	}
	if (op->effect != MEMPHIS_CODE_OTHER)
		op->written = 0;
	if (op->effect == MEMPHIS_CODE_OTHER && op->memory_count && first->type == X86_OP_MEM) {
		op->effect = MEMPHIS_CODE_STORE;
		op->from = MEMPHIS_NO_REGISTER;
		if (reader->insn->id == X86_INS_MOV && second->type == X86_OP_REG)
			op->from = (int8_t)memphis_general_register(second->reg, &from_bytes);
		if (from_bytes != 8)
			op->from = MEMPHIS_NO_REGISTER;
		if (reader->insn->id == X86_INS_CMP || reader->insn->id == X86_INS_TEST ||
		    reader->insn->id == X86_INS_PUSH)
			op->effect = MEMPHIS_CODE_OTHER;
	}
}

static const uint16_t moves[] = {X86_INS_MOV,   X86_INS_MOVABS, X86_INS_MOVSX, X86_INS_MOVZX, X86_INS_MOVSXD,
				 X86_INS_MOVSS, X86_INS_MOVSD,  X86_INS_MOVQ,  X86_INS_MOVD,  X86_INS_LEA};
static const uint16_t multiplies[] = {X86_INS_IMUL, X86_INS_MUL};
static const uint16_t combines[] = {X86_INS_AND, X86_INS_OR,  X86_INS_XOR, X86_INS_SHR,
				    X86_INS_SAR, X86_INS_ROL, X86_INS_ROR};
static const uint16_t irregular[] = {X86_INS_SHL, X86_INS_SAL, X86_INS_NOT, X86_INS_NEG};

static bool is_vector_register(unsigned int reg)
{
	return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) ||
	       (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) || (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31);
}

/* Stores which registers and memory operands the result is computed from. */
static void read_sources(struct reader *reader, struct memphis_code_op *op)
{
	const cs_x86_op *operands = reader->x86->operands;
	const unsigned int id = reader->insn->id;
	unsigned int bytes;

	op->multiplies = IS_ONE_OF(id, multiplies);
	op->combines = IS_ONE_OF(id, combines);
	op->irregular = op->multiplies || op->combines || IS_ONE_OF(id, irregular);
	if (id == X86_INS_CDQE) {
		op->reads = MEMPHIS_REG_AX;
	} else if (reader->x86->op_count >= 2 && operands[1].type == X86_OP_REG &&
		   op->effect != MEMPHIS_CODE_CONSTANT) {
		op->reads = (int8_t)memphis_general_register(operands[1].reg, &bytes);
		op->converts = op->to != MEMPHIS_NO_REGISTER && is_vector_register(operands[1].reg);
	} else if (id == X86_INS_LEA && op->effect == MEMPHIS_CODE_NUMBER) {
		op->reads = op->memory[0].base;
		op->multiple_of = op->memory[0].index;
	}
	op->updates = id != X86_INS_CDQE && reader->x86->op_count && reader->x86->op_count < 3 &&
		      op->effect != MEMPHIS_CODE_CONSTANT && !IS_ONE_OF(id, moves) &&
		      (operands[0].access & CS_AC_READ) && (operands[0].access & CS_AC_WRITE);
}

/* Reads the memory operands. Instructions that only compute an address, such as lea, have an operand but no access. */
static void read_operands(struct reader *reader, struct memphis_code_op *op)
{
	uint8_t i;

	for (i = 0; i < reader->x86->op_count && op->memory_count < MEMPHIS_CODE_MEMORIES; i++)
		if (reader->x86->operands[i].type == X86_OP_MEM)
			read_memory(reader, &reader->x86->operands[i], &op->memory[op->memory_count++]);
}

static int read_instructions(struct reader *reader, uint64_t low, const uint8_t *bytes, size_t left,
			     struct memphis_function_code *code)
{
	struct memphis_code_op *op;
	uint64_t vaddr = low;

	while (cs_disasm_iter(reader->handle, &bytes, &left, &vaddr, reader->insn)) {
		op = memphis_append(code->list, code->count, code->room);
		if (!op)
			return -ENOMEM;
		memset(op, 0, sizeof(*op));
		reader->x86 = &reader->insn->detail->x86;
		reader->has_cfa = false;
		op->vaddr = reader->insn->address;
		op->length = (uint8_t)reader->insn->size;
		op->to = op->from = op->reads = op->multiple_of = MEMPHIS_NO_REGISTER;
		op->padding = IS_ONE_OF(reader->insn->id, padding);
		op->prefetch = IS_ONE_OF(reader->insn->id, prefetches);
		read_operands(reader, op);
		if (!read_control_flow(reader, op)) {
			read_effect(reader, op);
			read_sources(reader, op);
		}
		code->switches |= op->next == MEMPHIS_CODE_SWITCHES;
		code->shows_frame |= op->effect == MEMPHIS_CODE_ADDRESS && op->memory[0].in_frame;
		if (IS_ONE_OF(reader->insn->id, no_access) && op->effect != MEMPHIS_CODE_ADDRESS)
			op->memory_count = 0;
	}
	return 0;
}

static void find_leaders(struct memphis_function_code *code)
{
	size_t i, target;

	for (i = 0; i < code->count; i++) {
		if (code->list[i].next != MEMPHIS_CODE_FOLLOWS && code->list[i].next != MEMPHIS_CODE_CALLS &&
		    i + 1 < code->count)
			code->list[i + 1].leader = true;
		target = code->list[i].target ? memphis_function_code_at(code, code->list[i].target)
					      : SIZE_MAX;
		if (target != SIZE_MAX)
			code->list[target].leader = true;
	}
	if (code->count)
		code->list[0].leader = true;
}

int memphis_function_code_read(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t low,
			       uint64_t high, struct memphis_function_code *code)
{
	struct reader reader = {.binaries = binaries, .binary = binary, .code = code};
	uint8_t *bytes = NULL;
	int rc = -ENOMEM;

	memset(code, 0, sizeof(*code));
	if (high <= low || high - low > CODE_BYTES_MAX)
		return 0;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &reader.handle))
		return -ENOMEM;
	cs_option(reader.handle, CS_OPT_DETAIL, CS_OPT_ON);
	reader.insn = cs_malloc(reader.handle);
	bytes = malloc(high - low);
	if (reader.insn && bytes)
		rc = read_instructions(&reader, low, bytes,
				       memphis_binary_read(binary, low, bytes, high - low), code);
	if (!rc)
		find_leaders(code);
	free(bytes);
	if (reader.insn)
		cs_free(reader.insn, 1);
	cs_close(&reader.handle);
	return rc;
}
#else
int memphis_function_code_read(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t low,
			       uint64_t high, struct memphis_function_code *code)
{
	(void)binaries;
	(void)binary;
	(void)low;
	(void)high;
	memset(code, 0, sizeof(*code));
	return -ENOTSUP;
}
#endif

void memphis_function_code_close(struct memphis_function_code *code)
{
	free(code->list);
	memset(code, 0, sizeof(*code));
}

size_t memphis_function_code_at(const struct memphis_function_code *code, uint64_t vaddr)
{
	const size_t at = memphis_bisect(i, code->count, code->list[i].vaddr < vaddr);

	return at < code->count && code->list[at].vaddr == vaddr ? at : SIZE_MAX;
}
