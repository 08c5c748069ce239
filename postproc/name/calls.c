// SPDX-License-Identifier: BSD-3-Clause
/* Finds call instructions by their encoding, in the machine code of given source lines. */
#include "name/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "dwarf/cfa.h"

/*
 * ---- checks of the calls in a call chain ----
 * If the stack was unwound wrongly, a word on the stack may only look like a return address. Then there is no
 * call before that address, or the call is to another function.
 */

#define FUNCTION_BYTES_MAX (1u << 20)

/*
 * Returns the size of an instruction with one opcode byte and the given ModRM and SIB bytes (Intel SDM,
 * volume 2, section 2.1.5).
 */
static unsigned int instruction_bytes(uint8_t modrm, uint8_t sib)
{
	const unsigned int mod = modrm >> 6, rm = modrm & 7, has_sib = mod != 3 && rm == 4;

	if (mod == 3)
		return 2;
	if (mod == 1)
		return 3 + has_sib;
	if (mod == 2 || rm == 5 || (has_sib && (sib & 7) == 5))
		return 6 + has_sib;
	return 2 + has_sib;
}

unsigned int memphis_call_before(const uint8_t *code, size_t bytes, bool indirect_only, bool *direct)
{
	const uint8_t *end = code + bytes, *at;
	unsigned int length;

	*direct = !indirect_only && bytes >= 5 && end[-5] == 0xe8;
	if (*direct)
		return 5;
	for (length = 2; length <= 7 && length <= bytes; length++) {
		at = end - length;
		/* FF /2 with 2 bytes has no SIB byte. at[2] would be beyond the end of the code. */
		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
		    instruction_bytes(at[1], length > 2 ? at[2] : 0) == length)
			return length;
	}
	return 0;
}

static bool is_code_address(const struct memphis_binary *binary, uint64_t vaddr)
{
	const struct memphis_segment *segment = memphis_binary_segment(binary, vaddr);

	return segment && segment->flags & PF_X;
}

/*
 * Returns true if the address is in a section of stubs (PLT). A stub jumps to a function of another object,
 * or to the variant of a function for this CPU.
 */
static bool is_stub_address(const struct memphis_binary *binary, uint64_t vaddr)
{
	const int section = memphis_binary_section(binary, vaddr);

	return section >= 0 && !strncmp(binary->sections[section].name, "plt", 3);
}

/* Finds the bounds of the function that contains `vaddr` from symbols and debug information. Returns false if there are none. */
static bool find_function_range(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, uint64_t *low, uint64_t *high)
{
	struct memphis_location location;

	if (memphis_symbols_find(binaries, binary, vaddr, &location))
		return false;
	*low = location.function_low;
	*high = location.function_high;
	return *high != 0;
}

static bool is_same_function(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t a,
			     uint64_t b)
{
	uint64_t low, high;

	if (find_function_range(binaries, binary, a, &low, &high) && b >= low && b < high)
		return true;
	return memphis_function_find_bounds(binary, a, &low, &high) && b >= low && b < high;
}

/* A function and its machine code. */
struct function {
	struct memphis_binary *binary;
	uint64_t low, high;
	uint8_t *code;
};

/* Returns true if a function of the binary begins at `vaddr`. */
static bool begins_function(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr)
{
	uint64_t low, high;

	return (find_function_range(binaries, binary, vaddr, &low, &high) && low == vaddr) ||
	       (memphis_function_find_bounds(binary, vaddr, &low, &high) && low == vaddr);
}

/*
 * Returns true if there is a jump at offset `at` that leaves the function. The jump has `opcode_bytes` bytes
 * of opcode, and a displacement of `bytes` bytes.
 */
static bool is_jump_out(struct memphis_binaries *binaries, const struct function *function, uint64_t at,
			unsigned int opcode_bytes, unsigned int bytes)
{
	const uint8_t *from = function->code + at + opcode_bytes;
	uint64_t target = function->low + at + opcode_bytes + bytes;
	int32_t distance = (int8_t)*from;

	if (target > function->high)
		return false;
	if (bytes == 4)
		memcpy(&distance, from, 4);
	target += (uint64_t)(int64_t)distance;
	if ((target >= function->low && target < function->high) ||
	    !is_code_address(function->binary, target))
		return false;
	return bytes == 4 || begins_function(binaries, function->binary, target);
}

static bool has_jump_out_at(struct memphis_binaries *binaries, const struct function *function, uint64_t at)
{
	const uint8_t *code = function->code + at;

	switch (code[0]) {
	case 0xe9:
		return is_jump_out(binaries, function, at, 1, 4);
	case 0x0f:
		return code[1] >> 4 == 8 && is_jump_out(binaries, function, at, 2, 4);
	case 0xeb:
	case 0x70 ... 0x7f:
		return is_jump_out(binaries, function, at, 1, 1);
	case 0xff:
		return (code[1] & 0xf8) == 0xe0 || code[1] == 0x25 ||
		       ((code[1] & 0xf8) == 0x60 && code[1] != 0x64 && code[1] != 0x66);
	}
	return false;
}

/*
 * Returns true if the function at `target` may end in a jump to another function (a tail call). The callee
 * then returns directly to the first function's caller. These jumps are accepted at any byte of the function:
 * - jmp or jcc with a 32-bit displacement to code of the object outside the function. A jump to the
 *   function's cold part looks the same.
 * - jmp or jcc with an 8-bit displacement to the first instruction of another function.
 * - jmp through a register, through a word relative to rip, or through a word at a register plus 8 bits (FF
 *   E0 to E7, FF 25, FF 6x). These are used for functions of other objects and for virtual functions.
 * The bytes are not decoded from the start of the function, so other bytes may look like such a jump. This is
 * rare, and only means that the target of one call is not checked.
 */
static bool may_jump_out(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t target)
{
	struct function function = {.binary = binary};
	bool found = false;
	size_t bytes, i;

	if (!find_function_range(binaries, binary, target, &function.low, &function.high) &&
	    !memphis_function_find_bounds(binary, target, &function.low, &function.high))
		return false;
	if (target != function.low || function.high - function.low > FUNCTION_BYTES_MAX)
		return false;
	function.code = calloc(1, function.high - function.low + 6);
	if (!function.code)
		return false;
	bytes = memphis_binary_read(binary, function.low, function.code, function.high - function.low);
	for (i = 0; !found && i + 2 <= bytes; i++)
		found = has_jump_out_at(binaries, &function, i);
	free(function.code);
	return found;
}

static bool is_possible_target(struct memphis_binaries *binaries, struct memphis_binary *binary,
			       uint64_t target, const struct memphis_code_place *inner)
{
	if (!is_code_address(binary, target))
		return false;
	if (inner->binary == binary && is_same_function(binaries, binary, inner->vaddr, target))
		return true;
	return is_stub_address(binary, target) || may_jump_out(binaries, binary, target);
}

bool memphis_call_fits(struct memphis_binaries *binaries, const struct memphis_code_place *returns,
		       const struct memphis_code_place *inner, uint64_t *call)
{
	uint8_t code[MEMPHIS_CALL_BYTES];
	unsigned int length;
	int32_t distance;
	bool direct;

	if (!returns->binary || returns->binary->state != MEMPHIS_BINARY_OK ||
	    !is_code_address(returns->binary, returns->vaddr - 1) ||
	    memphis_binary_read(returns->binary, returns->vaddr - sizeof(code), code, sizeof(code)) !=
		    sizeof(code))
		return false;
	length = memphis_call_before(code, sizeof(code), false, &direct);
	if (direct) {
		memcpy(&distance, code + sizeof(code) - 4, 4);
		if (!is_possible_target(binaries, returns->binary,
					returns->vaddr + (uint64_t)(int64_t)distance, inner))
			length = memphis_call_before(code, sizeof(code), true, &direct);
	}
	*call = returns->vaddr - length;
	return length != 0;
}

/*
 * Returns a number that identifies the target of the call instruction before `vaddr`. Returns 0 if the
 * instruction is not one of the known forms: call rel32, and call *rel32(%rip).
 */
static uint64_t call_target(const uint8_t *code, uint64_t vaddr)
{
	int32_t distance;

	/* The number is the target address, or the address of the word that has the target, with the highest bit set. */
	if (code[1] == 0xe8) {
		memcpy(&distance, code + 2, 4);
		return vaddr + (uint64_t)(int64_t)distance;
	}
	if (code[0] == 0xff && code[1] == 0x15) {
		memcpy(&distance, code + 2, 4);
		return (vaddr + (uint64_t)(int64_t)distance) | 1ULL << 63;
	}
	return 0;
}

struct search {
	struct memphis_binary *binary;
	unsigned int first, last; /* range of source lines */
	uint64_t target;
	struct memphis_calls *calls;
};

/* Collects the calls in [from, to) that have the target search->target. */
static void find_calls(void *context, uint64_t from, uint64_t to, unsigned int line)
{
	const struct search *search = context;
	struct memphis_calls *calls = search->calls;
	uint8_t *code;
	size_t bytes, i;

	if (line < search->first || line > search->last || to - from > 1 << 20)
		return;
	/* Read one byte before the range, because the search window has 6 bytes and call rel32 has only 5. */
	code = malloc(to - from + 1);
	if (!code)
		return;
	bytes = memphis_binary_read(search->binary, from - 1, code, to - from + 1);
	for (i = 0; i + 6 <= bytes && calls->count < MEMPHIS_CALLS_MAX; i++)
		if (call_target(code + i, from - 1 + i + 6) == search->target)
			calls->returns[calls->count++] = from - 1 + i + 6;
	free(code);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return memphis_order(x, y);
}

bool memphis_calls_find_like(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     uint64_t low, uint64_t high, const char *path, unsigned int first,
			     unsigned int last, struct memphis_calls *calls)
{
	struct search search = {.binary = binary, .first = first, .last = last, .calls = calls};
	size_t i, kept = 0;
	uint8_t code[6];

	calls->count = 0;
	if (memphis_binary_read(binary, vaddr - 6, code, 6) != 6)
		return false;
	search.target = call_target(code, vaddr);
	if (!search.target)
		return false;
	memphis_symbols_visit_lines(binaries, binary, low, high, path, find_calls, &search);
	qsort(calls->returns, calls->count, sizeof(*calls->returns), compare_addresses);
	for (i = 0; i < calls->count; i++)
		if (!kept || calls->returns[kept - 1] != calls->returns[i])
			calls->returns[kept++] = calls->returns[i];
	calls->count = kept;
	return true;
}
