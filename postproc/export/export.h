/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile in the formats of other tools. Each writes a whole file or none: 0, or a negative errno with *error. */
#ifndef MEMPHIS_EXPORT_H
#define MEMPHIS_EXPORT_H

#include "base/error.h"
#include "view/rows.h"

struct memphis_export {
	const struct memphis_profile *profile; /* of the selected samples alone, in order */
	const struct memphis_rows *rows;       /* of it, by instruction */
};

int memphis_export_pprof(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_trace(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_sqlite(const struct memphis_export *export, const char *path, struct memphis_error *error);
int memphis_export_csv(const struct memphis_export *export, const char *path, struct memphis_error *error);

#endif
