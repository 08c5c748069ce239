/* SPDX-License-Identifier: GPL-2.0-only */
/* Look-up of home nodes. The home node of an address is the NUMA node whose memory contains it. */
#ifndef MEMPHIS_HOME_H
#define MEMPHIS_HOME_H

#include <linux/types.h>

/**
 * memphis_home_of_physical() - returns the home node of a physical address
 * @physical: the address; memory encryption bits are ignored
 *
 * Context: any.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN for device memory and holes.
 */
u16 memphis_home_of_physical(u64 physical);

/**
 * memphis_home_of_address() - returns the home node of the page that the current task has mapped at an address
 * @address: a user address
 *
 * Context: any, including NMI; takes neither a lock nor a page reference.
 *
 * Return: the node, or MEMPHIS_NODE_UNKNOWN if no page is mapped there, or if the page is not ordinary memory.
 */
u16 memphis_home_of_address(unsigned long address);

/**
 * memphis_is_memory() - tests whether the current task has mapped ordinary memory, and not a device, at an
 * address
 * @address: a user address
 *
 * Context: interrupts are disabled, or NMI. As long as interrupts are disabled, the page stays mapped on CPUs
 * whose TLBs are flushed by interrupts. Where TLBs are flushed by broadcast (INVLPGB) or by a hypervisor,
 * another thread may replace the page at any time.
 *
 * Return: true if the page tables contain a page of online memory.
 */
bool memphis_is_memory(unsigned long address);

#endif
