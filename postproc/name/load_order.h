/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds in which order a loop reads memory. The loop counts up or down, or it computes the address from loaded data. */
#ifndef MEMPHIS_LOAD_ORDER_H
#define MEMPHIS_LOAD_ORDER_H

#include "base/pool.h"
#include "name/function_code.h"
#include "profile/heatmap.h"

/* Cache of the orders by binary and instruction, and the function that was read last. Initialize with zeros. */
struct memphis_load_orders {
	struct memphis_strings keys;
	uint8_t *list; /* enum memphis_load_order; key number n belongs to list[n - 1] */
	size_t count, room;
	const struct memphis_binary *binary; /* binary of the function; NULL if there is none */
	uint64_t low, high;
	struct memphis_function_code code;
};

/*
 * Sets *order to how the innermost loop around the instruction computes the address of its access. `pc` is
 * the link-time address of the instruction. Returns 0 or -ENOMEM. Not thread-safe.
 */
int memphis_load_order_find(struct memphis_load_orders *orders, struct memphis_binaries *binaries,
			    struct memphis_binary *binary, uint64_t pc, enum memphis_load_order *order);
void memphis_load_orders_close(struct memphis_load_orders *orders);

#endif
