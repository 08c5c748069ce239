/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Home nodes: the node that owns the memory behind an address.
 */
#ifndef MEMPHIS_HOME_H
#define MEMPHIS_HOME_H

#include <linux/types.h>

/**
 * memphis_home_of_physical() - home node of a physical address
 * @physical: the address; memory encryption bits are ignored
 *
 * Context: any.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN for device memory and holes.
 */
u16 memphis_home_of_physical(u64 physical);

/**
 * memphis_home_of_address() - home node of the page that the current task has mapped at an address
 * @address: a user address
 *
 * Context: any, NMI included; takes neither a lock nor a page reference.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN if nothing is mapped there, or something other than memory.
 */
u16 memphis_home_of_address(unsigned long address);

#endif
