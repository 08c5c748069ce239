/* SPDX-License-Identifier: BSD-3-Clause */
/* The data source of a sample in perf's terms, of any version, as those of the version that the decoder of the library knows. */
#ifndef MEMPHIS_PERFDATA_DATA_SRC_H
#define MEMPHIS_PERFDATA_DATA_SRC_H

#include <stdbool.h>
#include <stdint.h>

struct memphis_data_src {
	uint64_t value; /* union perf_mem_data_src, with level and remote */
	bool load, store;
};

/* Returns the data source with the level as a number, and with `remote` only for what came from another node. */
struct memphis_data_src memphis_data_src_of(uint64_t value);

#endif
