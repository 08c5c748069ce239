// SPDX-License-Identifier: BSD-3-Clause
/* Exports a profile as CSV. */
#include <errno.h>

#include "output/csv.h"
#include "export/export.h"
#include "base/outfile.h"

int memphis_export_csv(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct memphis_text text = {0};

	memphis_csv_put(export->rows, &text);
	return memphis_outfile_write(path, &text, error);
}
