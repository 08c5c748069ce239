// SPDX-License-Identifier: BSD-3-Clause
/*
 * In which order loops read memory, from their code. If this fails, a gather through an index is advised to have its loops interchanged, or a walk along
 * columns is not.
 */
#include <string.h>

#include "dwarf/symbols.h"
#include "dwarf/variables.h"
#include "name/function_code.h"
#include "name/load_order.h"
#include "../../tap.h"

static struct {
	const char *function;
	enum memphis_load_order order;
	unsigned int loads;
} functions[] = {
	{"gather", MEMPHIS_ORDER_INDIRECT, 0},
	{"gather_int", MEMPHIS_ORDER_INDIRECT, 0},
	{"gather_members", MEMPHIS_ORDER_INDIRECT, 0},
	{"list", MEMPHIS_ORDER_INDIRECT, 0},
	{"columns", MEMPHIS_ORDER_COUNTED, 0},
	{"columns_of_pointers", MEMPHIS_ORDER_COUNTED, 0},
	{"strided", MEMPHIS_ORDER_COUNTED, 0},
	{"columns_of_list", MEMPHIS_ORDER_COUNTED, 0},
	{"halves", MEMPHIS_ORDER_COUNTED, 0},
	{"table", MEMPHIS_ORDER_RANDOM, 0},
	{"table_of_bits", MEMPHIS_ORDER_RANDOM, 0},
	{"gather_vectors", MEMPHIS_ORDER_INDIRECT, 0},
	{"cells", MEMPHIS_ORDER_RANDOM, 0},
	{"hashed", MEMPHIS_ORDER_RANDOM, 0},
	{"hashed_inline", MEMPHIS_ORDER_RANDOM, 0},
	{"ring_of_rows", MEMPHIS_ORDER_COUNTED, 0},
};

#define FUNCTIONS (sizeof(functions) / sizeof(*functions))

static bool reads_float(const struct memphis_code_op *op)
{
	return op->memory_count && op->memory[0].float_bytes == 4 && !op->memory[0].in_frame &&
	       op->effect != MEMPHIS_CODE_STORE;
}

/* Compilers also make an iteration of its own, outside the loop: it counts. */
static void check(const char *program)
{
	struct memphis_binaries binaries = {0};
	struct memphis_load_orders orders = {0};
	struct memphis_function_code code;
	struct memphis_location location;
	struct memphis_binary *binary;
	enum memphis_load_order order;
	const char *name;
	size_t text, i, f;
	unsigned int wrong = 0, missing = 0;
	uint32_t number;

	number = memphis_binaries_add(&binaries, program, "");
	binary = binaries.list[number];
	for (text = 0; strcmp(binary->sections[text].name, "text"); text++)
		;
	memphis_function_code_read(&binaries, binary, binary->sections[text].low, binary->sections[text].high,
				   &code);
	for (f = 0; f < FUNCTIONS; f++)
		functions[f].loads = 0;
	for (i = 0; i < code.count; i++) {
		if (!reads_float(&code.list[i]))
			continue;
		memphis_symbols_find(&binaries, binary, code.list[i].vaddr, &location);
		name = memphis_frame_name(&location.frames[location.count - 1]);
		for (f = 0; f < FUNCTIONS && strcmp(functions[f].function, name ? name : ""); f++)
			;
		if (f == FUNCTIONS)
			continue;
		memphis_load_order_find(&orders, &binaries, binary, code.list[i].vaddr, &order);
		functions[f].loads += order == functions[f].order;
		if (order == functions[f].order || order == MEMPHIS_ORDER_COUNTED)
			continue;
		printf("# %s, 0x%lx in %s: %u\n", program, (unsigned long)code.list[i].vaddr, name,
		       (unsigned int)order);
		wrong++;
	}
	for (f = 0; f < FUNCTIONS; f++)
		missing += !functions[f].loads;
	ok(!wrong && !missing, "orders of %s: %u wrong, %u functions without the order",
	   strrchr(program, '/') + 1, wrong, missing);
	memphis_load_orders_close(&orders);
	memphis_function_code_close(&code);
	memphis_variables_close(binary);
	memphis_symbols_close(binary);
	memphis_binaries_close(&binaries);
}

int main(void)
{
	check(ORDERS "-gcc-0.so");
	check(ORDERS "-gcc-1.so");
	check(ORDERS "-gcc-2.so");
	check(ORDERS "-gcc-3.so");
	check(ORDERS "-clang-0.so");
	check(ORDERS "-clang-2.so");
	return finish();
}
