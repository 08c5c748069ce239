/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order a loop reads memory, from its code: the loop counts, or the address comes from other data. */
#ifndef MEMPHIS_LOAD_ORDER_H
#define MEMPHIS_LOAD_ORDER_H

#include "base/pool.h"
#include "name/function_code.h"
#include "profile/heatmap.h"

/* The orders that were found, by binary and instruction, and the function that was read last. Zero at first. */
struct memphis_load_orders {
	struct memphis_strings keys;
	uint8_t *list; /* enum memphis_load_order, by number of the key minus 1 */
	size_t count, room;
	const struct memphis_binary *binary; /* NULL: no function */
	uint64_t low, high;
	struct memphis_function_code code;
};

/*
 * Sets how the innermost loop around the instruction at `pc`, a link-time address, computes the address of its access. Returns 0 or -ENOMEM. For one
 * thread at a time.
 */
int memphis_load_order_find(struct memphis_load_orders *orders, struct memphis_binaries *binaries,
			    struct memphis_binary *binary, uint64_t pc, enum memphis_load_order *order);
void memphis_load_orders_close(struct memphis_load_orders *orders);

#endif
