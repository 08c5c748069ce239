/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describes the instructions of a function as operations on addresses: their effect on the general-purpose
 * registers, the instructions that may follow, and the memory that they access.
 */
#ifndef MEMPHIS_FUNCTION_CODE_H
#define MEMPHIS_FUNCTION_CODE_H

#include <stdbool.h>

#include "dwarf/binary.h"
#include "dwarf/cfa.h"
#include "dwarf/registers.h"

#define MEMPHIS_NO_REGISTER (-1)

enum memphis_code_effect {
	MEMPHIS_CODE_OTHER, /* no rule: the registers in `written` become unknown */
	/* `to` becomes a number that cannot be an address or a difference of addresses: a 32-bit result, or a product. */
	MEMPHIS_CODE_NUMBER,
	MEMPHIS_CODE_MULTIPLE, /* `to` becomes a multiple of `number` */
	MEMPHIS_CODE_COPY,     /* to = from */
	MEMPHIS_CODE_CHOOSE,   /* to = either its old value or `from`, as by cmov */
	MEMPHIS_CODE_CONSTANT, /* to = number */
	MEMPHIS_CODE_ADDRESS,  /* to = the address of the memory operand */
	MEMPHIS_CODE_LOAD,     /* to = 8 bytes of the memory operand */
	MEMPHIS_CODE_ADD,      /* to += from, the memory operand, or number */
	MEMPHIS_CODE_SUBTRACT,
	MEMPHIS_CODE_MULTIPLY, /* to *= number */
	/* `to` becomes an unknown number if its old value is a number. Otherwise it becomes unknown. */
	MEMPHIS_CODE_ARITHMETIC,
	/* The memory operand = 8 bytes of `from`. Without `from`, the stored value is unknown. */
	MEMPHIS_CODE_STORE
};

enum memphis_code_next {
	MEMPHIS_CODE_FOLLOWS,  /* continues with the next instruction */
	MEMPHIS_CODE_CALLS,    /* calls a function, and then continues with the next instruction */
	MEMPHIS_CODE_JUMPS,    /* continues at `target` */
	MEMPHIS_CODE_BRANCHES, /* continues with the next instruction or at `target` */
	MEMPHIS_CODE_SWITCHES, /* continues at an unknown instruction (indirect jump) */
	MEMPHIS_CODE_ENDS
};

/* A memory operand: base + index * scale + offset. */
struct memphis_code_memory {
	int8_t base, index; /* DWARF register numbers, or MEMPHIS_NO_REGISTER */
	bool fixed;         /* `offset` is a link-time address */
	bool in_frame;      /* `offset` is relative to the CFA */
	bool thread;        /* `offset` is relative to the thread pointer, fs */
	bool segment;       /* `offset` is relative to gs */
	/* `index` is a vector register: the instruction accesses several elements (gather or scatter). */
	bool vector;
	uint8_t scale;
	/* Size of the floating-point numbers that the instruction accesses there, or 0 if it may access other data. */
	uint8_t float_bytes;
	uint32_t bytes;
	int64_t offset;
};

#define MEMPHIS_CODE_MEMORIES 2

struct memphis_code_op {
	uint64_t vaddr;
	uint64_t target;
	int64_t number;
	enum memphis_code_effect effect;
	enum memphis_code_next next;
	int8_t to, from;
	/* General-purpose register of any size that is the second operand, or MEMPHIS_NO_REGISTER. */
	int8_t reads;
	/*
	 * Index register of a 32-bit LEA, which adds a multiple of it. The base register is in `reads`.
	 * MEMPHIS_NO_REGISTER for other instructions.
	 */
	int8_t multiple_of;
	uint8_t length;
	uint8_t memory_count;
	uint16_t written; /* bit mask of the registers that the instruction changes, except `to` */
	bool updates;     /* the instruction reads and writes the first operand */
	/* `to` is computed from a vector register, as by a conversion from floating point to integer. */
	bool converts;
	/* Multiplies or combines bits, so that its repetition in a loop does not count up or down. */
	bool irregular;
	/* Multiplies by any number; combines bits, other than by a shift to the left, which is a multiplication. */
	bool multiplies, combines;
	bool prefetch;
	bool padding; /* filler without effect, such as a nop between functions or blocks */
	bool leader;  /* a block begins here: a jump may lead to this instruction */
	struct memphis_code_memory memory[MEMPHIS_CODE_MEMORIES];
};

struct memphis_function_code {
	struct memphis_code_op *list; /* sorted by address */
	size_t count, room;
	/* An instruction computes the address of a stack slot, which other code may then change. */
	bool shows_frame;
	bool switches;
	bool has_bp; /* rbp is the frame pointer, and the CFA is rbp + bp_offset */
	int64_t bp_offset;
};

/*
 * Decodes the instructions in [low, high). The list ends at the first code that cannot be decoded. Returns 0,
 * -ENOMEM, or -ENOTSUP if the tool was built without a disassembler. The caller must close the code in all
 * cases. Locks the binary.
 */
int memphis_function_code_read(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t low,
			       uint64_t high, struct memphis_function_code *code);
void memphis_function_code_close(struct memphis_function_code *code);

/* Returns the index of the instruction at `vaddr`, or SIZE_MAX. */
size_t memphis_function_code_at(const struct memphis_function_code *code, uint64_t vaddr);

#define MEMPHIS_REG_AX 0 /* DWARF register number */
#define MEMPHIS_REG_DI 5

#endif
