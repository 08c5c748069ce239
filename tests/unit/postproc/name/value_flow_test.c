// SPDX-License-Identifier: BSD-3-Clause
/* The places to which a returned value goes. If this fails, local variables give their names to the blocks of others. */
#include "name/value_flow.h"

#include <gelf.h>

#include "../../tap.h"
#include "../dwarf/symtab.h"

static struct memphis_binaries binaries;
static struct memphis_binary *binary;

static struct seen {
	uint64_t end;
	char places[256], stored[256];
} seen;

/* Returns the symbol's value, and its size in *bytes. */
static uint64_t value_of(const char *wanted, uint64_t *bytes)
{
	GElf_Sym symbol;

	if (!find_symbol(binary->elf, wanted, &symbol))
		return 0;
	*bytes = symbol.st_size;
	return symbol.st_value;
}

static void put(char *text, size_t room, const char *word)
{
	size_t bytes = strlen(text);

	snprintf(text + bytes, room - bytes, "%s%s", bytes ? " " : "", word);
}

static void put_place(const struct memphis_place *place)
{
	static const char *const registers[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
						"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
	static const char *const bases[] = {"", "xmm", "cfa", "bp", "sp"};
	char one[32];

	snprintf(one, sizeof(one), "%s%+d", bases[place->base], (int)place->offset);
	put(seen.places, sizeof(seen.places),
	    place->base == MEMPHIS_IN_REGISTER ? registers[place->offset] : one);
}

/* Writes the places at the label CASE_end, sorted by kind and number: "rax r12 cfa-24". */
static bool take_step(void *context, const struct memphis_flow_step *step)
{
	int64_t offset;
	size_t i;
	int base;

	(void)context;
	if (step->vaddr != seen.end)
		return false;
	*seen.places = 0;
	for (base = MEMPHIS_IN_REGISTER; base <= MEMPHIS_AT_SP; base++)
		for (offset = -128; offset < 128; offset++)
			for (i = 0; i < step->count; i++)
				if ((int)step->places[i].base == base && step->places[i].offset == offset)
					put_place(&step->places[i]);
	return false;
}

static void take_store(void *context, uint64_t vaddr, uint64_t slot)
{
	uint64_t bytes, variable = value_of("variable", &bytes);

	(void)context;
	(void)vaddr;
	put(seen.stored, sizeof(seen.stored), slot == variable ? "variable" : slot ? "?" : "elsewhere");
}

static void flows(const char *function, const char *places, const char *stored, const char *end,
		  const char *sentence)
{
	static const char *const ends[] = {"stays", "returned", "unknown"};
	const struct memphis_flow_visitor visitor = {NULL, take_step, take_store};
	char label[64], got[600], want[600];
	uint64_t low, bytes, none, call;
	enum memphis_flow_end ending;

	memset(&seen, 0, sizeof(seen));
	snprintf(seen.places, sizeof(seen.places), "(not reached)");
	snprintf(label, sizeof(label), "%s_end", function);
	seen.end = value_of(label, &none);
	snprintf(label, sizeof(label), "%s_call", function);
	call = value_of(label, &none);
	low = value_of(function, &bytes);
	ending = memphis_value_flow(&binaries, binary, call, low, low + bytes, &visitor);
	snprintf(got, sizeof(got), "%s; %s; %s", seen.places, seen.stored, ends[ending]);
	snprintf(want, sizeof(want), "%s; %s; %s", places, stored, end);
	is_text(got, want, sentence);
}

int main(void)
{
	uint32_t number = memphis_binaries_add(&binaries, FLOW, "");

	if (!ok(number != MEMPHIS_NO_BINARY && binaries.list[number]->elf, "the code is there"))
		return finish();
	binary = binaries.list[number];
#ifdef MEMPHIS_HAS_CAPSTONE
	flows("registers", "rbx r13 cfa-56", "", "stays",
	      "a value is followed to registers and slots, until they are overwritten");
	flows("frame_pointer", "cfa-40", "", "stays",
	      "slots relative to rbp are relative to the CFA; a part of a slot that is overwritten ends the value");
	flows("general_bp", "rbp", "elsewhere", "stays",
	      "without a frame pointer, rbp is a register like any other");
	flows("vectors", "xmm+3 cfa-56 cfa-40 cfa-32", "", "stays",
	      "both halves of vector registers are followed");
	flows("across_call", "rbx cfa-32", "", "unknown",
	      "a call leaves what a function must preserve; the rest may be known to the compiler");
	flows("null_check", "rax r8 r9", "", "returned", "a comparison with null has one way out");
	flows("condition", "(not reached)", "", "stays", "the straight path ends at any other condition");
	flows("one_path", "rax", "", "returned", "a value that one of two paths returns is returned");
	flows("overwritten", "(not reached)", "", "stays",
	      "instructions that change a register end the value in it");
	flows("stores", "rax", "variable elsewhere elsewhere elsewhere", "stays",
	      "stores outside the frame are reported, static ones with their address");
	flows("jump_away", "rax", "", "unknown", "after a jump to an unknown place, nothing is known");
#else
	flows("one_path", "rax", "", "unknown", "a value that one of two paths returns is returned");
#endif
	memphis_binaries_close(&binaries);
	return finish();
}
