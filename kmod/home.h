/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Home nodes: the node that owns the memory behind an address.
 */
#ifndef MEMPHIS_HOME_H
#define MEMPHIS_HOME_H

#include <linux/types.h>

/*
 * The node of a physical address, or MEMPHIS_NODE_UNKNOWN: device memory and holes have none. Any context.
 */
u16 memphis_home_of_physical(u64 physical);

/*
 * The node of what the current task has mapped at a user address, or MEMPHIS_NODE_UNKNOWN. Any context, NMI included;
 * takes no lock and no reference.
 */
u16 memphis_home_of_address(unsigned long address);

#endif
