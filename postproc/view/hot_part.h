/* SPDX-License-Identifier: BSD-3-Clause */
/* The range of a variable's elements that contains most samples of a row. */
#ifndef MEMPHIS_HOT_PART_H
#define MEMPHIS_HOT_PART_H

#include "profile/heatmap.h"
#include "view/rows.h"

/*
 * Returns the part of the variable in which 95 % of the row's samples are; NULL if it is not known, if it is most of the variable, if it
 * differs between processes, or if the rows are those of a group.
 */
const struct memphis_heatmap_part *memphis_hot_part(const struct memphis_rows *rows, uint32_t node,
						    const struct memphis_variable_row *row);

#endif
