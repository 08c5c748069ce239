/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who shares memory with whom: loads of one thread from the pages of a variable that another one placed, in one process. Made on request
 * (struct memphis_reduction), and not saved.
 */
#ifndef MEMPHIS_PROFILE_SHARING_H
#define MEMPHIS_PROFILE_SHARING_H

#include <stdint.h>

struct memphis_sharing {
	uint32_t process; /* row of the profile */
	uint32_t thread;  /* index in the process, as the next one */
	/*
	 * The thread that used the pages first, from the node that owns them, or allocated them there; a page that is placed by first touch would
	 * follow it to another node. MEMPHIS_NONE if there is none: the pages stay on `home`.
	 */
	uint32_t with;
	uint16_t home;     /* the node that owns the pages */
	uint32_t variable; /* row of the profile */
	/* of the pages that `loads` and `modified` are from; of groups of pages, if samples are few */
	uint64_t bytes;
	uint64_t loads;  /* samples of loads from DRAM */
	uint64_t remote; /* those from another node than `home` */
	/* samples of loads of lines that were modified in another cache, by the thread `with` as far as samples show */
	uint64_t modified;
};

#endif
