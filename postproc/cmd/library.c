// SPDX-License-Identifier: BSD-3-Clause
/* Finds libmemphis, and the functions in it that only the tool of the same version calls. */
#include "cmd/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int memphis_library_find(char path[PATH_MAX], struct memphis_error *error)
{
	static const char *const places[] = {"../lib", "../lib64", "../lib/x86_64-linux-gnu"};
	const char *given = getenv("MEMPHIS_LIB");
	char self[PATH_MAX], candidate[PATH_MAX + 64];
	ssize_t bytes;
	size_t i;

	if (given)
		return realpath(given, path)
			       ? 0
			       : memphis_fail(error, -errno, "MEMPHIS_LIB: %s: %s", given, strerror(errno));
	bytes = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (bytes < 0)
		return memphis_fail(error, -errno, "/proc/self/exe: %s; is /proc mounted?", strerror(errno));
	self[bytes] = 0;
	*strrchr(self, '/') = 0;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(candidate, sizeof(candidate), "%s/%s/" MEMPHIS_LIBRARY, self, places[i]);
		if (realpath(candidate, path))
			return 0;
	}
	return memphis_fail(error, -ENOENT,
			    "no " MEMPHIS_LIBRARY
			    " in %s/../lib; install the library beside the tool, or name it "
			    "with MEMPHIS_LIB=FILE",
			    self);
}

void *memphis_library_function(const char *path, const char *function, struct memphis_error *error)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found;

	if (!handle) {
		memphis_fail(error, -ENOENT, "%s", dlerror());
		return NULL;
	}
	found = dlsym(handle, function);
	if (!found)
		memphis_fail(error, -ENOSYS, "%s has no %s(); install library and tool of one version", path,
			     function);
	return found;
}
