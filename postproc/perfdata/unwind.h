/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the callers of a sample from its registers and the copy of its stack (perf record --call-graph dwarf),
 * by the unwind tables of the files on this machine.
 */
#ifndef MEMPHIS_PERFDATA_UNWIND_H
#define MEMPHIS_PERFDATA_UNWIND_H

#include "perfdata/sample.h"
#include "perfdata/space.h"

/* The files of a process, as libdwfl knows them. A zeroed unwinder is empty. */
struct memphis_perfdata_unwinder {
	struct Dwfl *files;
	uint64_t version; /* of the maps */
};

/*
 * Copies up to `room` return addresses to `returns`. Sets *ip to the address at which they start. Returns their
 * number, which is 0 if there is no rule, or -1 if the sample has no user registers.
 */
int memphis_perfdata_unwind(struct memphis_perfdata_unwinder *unwinder,
			    const struct memphis_perfdata_space *space, const struct memphis_strings *strings,
			    const struct memphis_perfdata_origin *origin,
			    const struct memphis_perfdata_sample *sample, uint64_t *ip, uint64_t *returns,
			    int room);
void memphis_perfdata_unwinder_close(struct memphis_perfdata_unwinder *unwinder);

#endif
