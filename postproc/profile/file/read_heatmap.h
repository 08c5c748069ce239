/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the records of heatmaps. */
#ifndef MEMPHIS_MPROF_READ_HEATMAP_H
#define MEMPHIS_MPROF_READ_HEATMAP_H

#include "profile/file/reader.h"

/*
 * Each function loads one record, which contains a heatmap or rows of the last heatmap. Returns 0, or -ENOMEM or
 * -EBADMSG with a message in *reader->error.
 */
int mprof_load_heatmap(struct mprof_reader *reader, const Mprof__Record *record);
int mprof_load_spots(struct mprof_reader *reader, const Mprof__Record *record);
int mprof_load_uses(struct mprof_reader *reader, const Mprof__Record *record);
int mprof_load_fields(struct mprof_reader *reader, const Mprof__Record *record);
int mprof_load_words(struct mprof_reader *reader, const Mprof__Record *record);

#endif
