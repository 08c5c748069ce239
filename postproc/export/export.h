/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exports a profile to the formats of other tools. Exports of events over time also read the sample files.
 * Each function writes a complete file or no file. Returns 0, or a negative errno with a message in *error.
 */
#ifndef MEMPHIS_EXPORT_H
#define MEMPHIS_EXPORT_H

#include "base/error.h"
#include "view/rows.h"

struct memphis_export {
	const struct memphis_profile *profile; /* sorted; contains only the selected samples */
	const struct memphis_rows *rows;       /* rows of the profile's table, by instruction */
	/* selects among the samples that are read from the files */
	const struct memphis_selection *selection;
};

int memphis_export_pprof(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_trace(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_sqlite(const struct memphis_export *export, const char *path, struct memphis_error *error);
/* Here, `path` is a directory. */
int memphis_export_otf2(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_csv(const struct memphis_export *export, const char *path, struct memphis_error *error);

/*
 * Appends the table as CSV: a header, then one line for each combination of node, variable, and instruction
 * or member. Unknown values are empty fields.
 */
void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text);

#endif
