/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the callers of a sample from its registers and the copy of its stack (perf record --call-graph dwarf),
 * by the unwind tables of the files on this machine.
 */
#ifndef MEMPHIS_PERFDATA_UNWIND_H
#define MEMPHIS_PERFDATA_UNWIND_H

#include "perfdata/sample.h"
#include "perfdata/space.h"

/* The files of a process that its samples needed so far, as libdwfl knows them. */
struct memphis_perfdata_unwinder {
	struct Dwfl *files; /* NULL if the unwinder is not used */
	size_t process;
	uint64_t version;  /* of the maps */
	uint64_t *missing; /* starts of the maps that have no file, or another one than the recorded one */
	size_t missing_count, missing_room;
};

#define MEMPHIS_PERFDATA_UNWINDERS 256

/*
 * The files of the processes that had samples last, because files stay open, and the number of open files is
 * limited. Zeroed unwinders are empty.
 */
struct memphis_perfdata_unwinders {
	struct memphis_perfdata_unwinder list[MEMPHIS_PERFDATA_UNWINDERS]; /* by number of the process */
};

/*
 * Copies up to `room` return addresses to `returns`. Sets *ip to the address at which they start. Returns their
 * number, which is 0 if there is no rule, or -1 if the sample has no user registers.
 */
int memphis_perfdata_unwind(struct memphis_perfdata_unwinders *unwinders, size_t process,
			    const struct memphis_perfdata_space *space, const struct memphis_strings *strings,
			    const struct memphis_perfdata_origin *origin,
			    const struct memphis_perfdata_sample *sample, uint64_t *ip, uint64_t *returns,
			    int room);
void memphis_perfdata_unwinders_close(struct memphis_perfdata_unwinders *unwinders);

#endif
