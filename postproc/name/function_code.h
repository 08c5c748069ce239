/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions of a function as operations on addresses: what each does to the general-purpose registers, where it continues, and
 * which memory it accesses.
 */
#ifndef MEMPHIS_FUNCTION_CODE_H
#define MEMPHIS_FUNCTION_CODE_H

#include <stdbool.h>

#include "dwarf/binary.h"
#include "dwarf/cfa.h"
#include "dwarf/registers.h"

#define MEMPHIS_NO_REGISTER (-1)

enum memphis_code_effect {
	MEMPHIS_CODE_OTHER, /* the registers in `written` become unknown */
	MEMPHIS_CODE_NUMBER, /* `to` becomes a number, which is no distance between pointers: of 32 bits, or a product */
	MEMPHIS_CODE_MULTIPLE, /* `to` becomes a multiple of `number` */
	MEMPHIS_CODE_COPY,     /* to = from */
	MEMPHIS_CODE_CHOOSE,   /* to = to or from */
	MEMPHIS_CODE_CONSTANT, /* to = number */
	MEMPHIS_CODE_ADDRESS,  /* to = the address of the memory operand */
	MEMPHIS_CODE_LOAD,     /* to = 8 bytes of the memory operand */
	MEMPHIS_CODE_ADD,      /* to += from, the memory operand, or number */
	MEMPHIS_CODE_SUBTRACT,
	MEMPHIS_CODE_MULTIPLY,   /* to *= number */
	MEMPHIS_CODE_ARITHMETIC, /* to = a number, if its old value is one */
	MEMPHIS_CODE_STORE       /* the memory operand = from (8 bytes), or unknown */
};

enum memphis_code_next {
	MEMPHIS_CODE_FOLLOWS,  /* continues with the next instruction */
	MEMPHIS_CODE_CALLS,    /* calls a function, and then continues with the next instruction */
	MEMPHIS_CODE_JUMPS,    /* continues at `target` */
	MEMPHIS_CODE_BRANCHES, /* continues with the next instruction or at `target` */
	MEMPHIS_CODE_SWITCHES, /* continues at an instruction that is not known */
	MEMPHIS_CODE_ENDS
};

/* A memory operand: base + index * scale + offset. */
struct memphis_code_memory {
	int8_t base, index; /* DWARF numbers; MEMPHIS_NO_REGISTER: none */
	bool fixed;         /* `offset` is a link-time address */
	bool in_frame;      /* `offset` is relative to the CFA */
	bool thread;        /* `offset` is relative to the thread pointer, fs */
	bool segment;       /* `offset` is relative to gs */
	bool vector;        /* several elements are accessed, at the indices in a vector register */
	uint8_t scale;
	/* Size of the floating-point numbers that the instruction reads or writes there; 0: they are not known to be such numbers. */
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
	int8_t reads; /* a general-purpose register, of any size, that the second operand is; or MEMPHIS_NO_REGISTER */
	/* Of a 32-bit LEA, `reads` is the base, and this the index, of which a multiple is added; else MEMPHIS_NO_REGISTER. */
	int8_t multiple_of;
	uint8_t length;
	uint8_t memory_count;
	uint16_t written; /* mask of the registers that the instruction changes, without `to` */
	bool updates;     /* the first operand is read and written */
	bool converts; /* `to` is computed from a vector register, like an integer from a floating-point number */
	bool irregular; /* multiplies, or combines bits: repeated, it is no counting */
	bool prefetch;
	bool padding; /* an instruction without effect between functions or blocks */
	bool leader;  /* a jump may lead here */
	struct memphis_code_memory memory[MEMPHIS_CODE_MEMORIES];
};

struct memphis_function_code {
	struct memphis_code_op *list; /* sorted by address */
	size_t count, room;
	bool shows_frame; /* an instruction computes an address in the frame */
	bool switches;
	bool has_bp; /* rbp is the frame pointer; the CFA is at `bp_offset` from it */
	int64_t bp_offset;
};

/*
 * Decodes the instructions in [low, high). Code that can't be decoded ends the list. Returns 0, -ENOMEM, or -ENOTSUP if the tool was built
 * without a disassembler. The code must be closed in all cases. Locks the binary.
 */
int memphis_function_code_read(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t low,
			       uint64_t high, struct memphis_function_code *code);
void memphis_function_code_close(struct memphis_function_code *code);

/* Returns the index of the instruction at `vaddr`, or SIZE_MAX. */
size_t memphis_function_code_at(const struct memphis_function_code *code, uint64_t vaddr);

#define MEMPHIS_REG_AX 0 /* number in DWARF */
#define MEMPHIS_REG_DI 5

#endif
