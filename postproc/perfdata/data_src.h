/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the data source of a sample from perf's encoding of any kernel version to the one that the decoder
 * of the library expects.
 */
#ifndef MEMPHIS_PERFDATA_DATA_SRC_H
#define MEMPHIS_PERFDATA_DATA_SRC_H

#include <stdbool.h>
#include <stdint.h>

struct memphis_data_src {
	uint64_t value; /* union perf_mem_data_src, with the fields for level number and remote set */
	bool load, store;
};

/* Converts the data source. The level is given as a number. `remote` is set only if the data came from another node. */
struct memphis_data_src memphis_data_src_of(uint64_t value);

#endif
