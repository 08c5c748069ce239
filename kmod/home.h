/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Home nodes: the node that owns the memory behind an address.
 */
#ifndef MEMPHIS_HOME_H
#define MEMPHIS_HOME_H

#include <linux/types.h>

/**
 * memphis_home_of_physical() - the node that owns the memory at a physical address
 * @physical: the address; bits that encryption adds to it are ignored
 *
 * Any context.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN: device memory and holes have none.
 */
u16 memphis_home_of_physical(u64 physical);

/**
 * memphis_home_of_address() - the node that owns what the current task has mapped at an address
 * @address: a user address
 *
 * Any context, NMI included; takes no lock and no reference.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN where nothing is mapped, or no memory.
 */
u16 memphis_home_of_address(unsigned long address);

#endif
