/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of a variable by source line, and how many of them fetched a cache line. */
#ifndef MEMPHIS_HEATMAP_LOADS_H
#define MEMPHIS_HEATMAP_LOADS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/*
 * Returns whether each load of the process had the same chance of being sampled. This holds for IBS that counts ops, without filters: PEBS load
 * latency leaves out the fast loads, and counting cycles prefers the slow ones.
 */
bool memphis_samples_all_loads(const struct memphis_process *process);

/* Returns whether the load fetched its cache line from the L3 or from memory. Lines from other caches may be there because they are shared. */
bool memphis_fetched(const struct memphis_heatmap_record *record);

/*
 * Fills in heatmap->loads, except what is selected, and the records' `load`. There are none if the samples of the process are no random part
 * of all loads. Returns 0 or -ENOMEM.
 */
int memphis_heatmap_loads(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  struct memphis_heatmap_record *const *records, size_t count);

/* Counts the selected records again; memphis_heatmap_loads() must be called first. */
void memphis_heatmap_loads_select(struct memphis_heatmap *heatmap,
				  struct memphis_heatmap_record *const *records, size_t count);

#endif
