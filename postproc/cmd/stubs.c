// SPDX-License-Identifier: BSD-3-Clause
/* Stubs for functions whose libraries were missing at build time (libraries.mk); each reports the missing library. */
#include <errno.h>

#include "export/export.h"
#include "profile/file/mprof.h"
#include "node/node.h"

#define UNUSED __attribute__((unused))

static UNUSED int lacking(const char *path, const char *what, struct memphis_error *error)
{
	return memphis_fail(error, -ENOTSUP, "%s: this memphis was built without %s", path, what);
}

#ifndef MEMPHIS_HAS_MPROF
bool memphis_mprof_is(const char *path)
{
	(void)path;
	return false;
}

int memphis_mprof_load(struct memphis_profile *profile, const char *path, struct memphis_error *error)
{
	(void)profile;
	return lacking(path, "libprotobuf-c and libzstd, which profiles (.mprof) need", error);
}

int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error)
{
	(void)profile;
	return lacking(path, "libprotobuf-c and libzstd, which profiles (.mprof) need", error);
}
#endif

#ifndef MEMPHIS_HAS_PPROF
int memphis_export_pprof(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	(void)export;
	return lacking(path, "libprotobuf-c and zlib, which files for pprof need", error);
}
#endif

#ifndef MEMPHIS_HAS_SQLITE
int memphis_export_sqlite(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	(void)export;
	return lacking(path, "libsqlite3, which databases need", error);
}
#endif

#ifndef MEMPHIS_HAS_OTF2
int memphis_export_otf2(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	(void)export;
	return lacking(path, "OTF2 3.0 or later, which its archives need", error);
}
#endif

#ifndef MEMPHIS_HAS_HWLOC
int memphis_machine_open(struct memphis_machine *machine, const char *root, struct memphis_error *error)
{
	*machine = (struct memphis_machine){.root = root, .host = "?"};
	memphis_processor_read(&machine->processor, root);
	return lacking("nodes", "hwloc, which finds them", error);
}

void memphis_machine_close(struct memphis_machine *machine)
{
	(void)machine;
}

int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error)
{
	(void)matrices;
	(void)machine;
	return lacking("--measure", "hwloc, which it needs", error);
}
#endif
