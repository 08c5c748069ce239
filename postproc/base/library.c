// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds libmemphis, functions in it that only a tool of the same version may call, and its layers: libraries
 * that are loaded into a program to record MPI or I/O calls. To find out which MPI library a program needs,
 * runs the dynamic loader, as ldd does.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exports.h"

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
	return memphis_fail(
		error, -ENOENT,
		"no " MEMPHIS_LIBRARY
		" in %s/../lib; install the library beside the tool, or name it with MEMPHIS_LIB=FILE",
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

/*
 * Identifies the family of an MPI library (its binary interface) by the symbols that the library exports. The
 * file name does not help, because each site names its library differently (libmpi_gnu_91.so.12). The headers
 * of each family refer to one of these symbols, which are not part of the MPI standard.
 */
static const char *const marks[] = {"MPIR_Dup_fn", "ompi_mpi_comm_world"};
/*
 * Family of the symbol with the same index in marks[]. The last one is the binary interface that the MPI
 * standard defines, which is known by the file name of its library, libmpi_abi: the standard defines that, too.
 */
static const char *const families[] = {"mpich", "openmpi", "abi"};

#define MARKS    ((int)(sizeof(marks) / sizeof(*marks)))
#define FAMILIES ((int)(sizeof(families) / sizeof(*families)))

enum {
	NO_MPI = -1,
	STANDARD_MPI = FAMILIES - 1,
};

/*
 * Starts a child process that executes the program with LD_TRACE_LOADED_OBJECTS. The dynamic loader then
 * lists the program's libraries to the file descriptor `to` instead of starting the program. Returns the
 * child's pid.
 */
static pid_t list_libraries(const char *program, int to)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(to, STDOUT_FILENO);
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
	unsetenv("LD_PRELOAD");
	execl(program, program, (char *)NULL);
	_exit(127);
}

/* Returns the index of the MPI family of the library in a line such as `libmpi.so.12 => /usr/lib/libmpi.so.12 (0x7f12)`. */
static int find_family_of_line(char *line)
{
	char *path = strchr(line, '/'), *end = strstr(line, " (0x");

	if (!strncmp(line + strspn(line, " \t"), "libmpi_abi.so", 13))
		return STANDARD_MPI;
	if (!path || !end || end < path)
		return NO_MPI;
	*end = 0;
	return memphis_exports_which(path, marks, MARKS);
}

static int find_family(const char *program)
{
	int family = NO_MPI;
	char *line = NULL;
	size_t room = 0;
	FILE *list;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return NO_MPI;
	pid = list_libraries(program, ends[1]);
	close(ends[1]);
	list = fdopen(ends[0], "r");
	if (!list)
		close(ends[0]);
	while (list && getline(&line, &room, list) > 0)
		if (family == NO_MPI)
			family = find_family_of_line(line);
	free(line);
	if (list)
		fclose(list);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return family;
}

/*
 * Reads the environment variable MEMPHIS_MPI. If it names a family, sets *family. If it is the path of a
 * file, sets `layer`. Returns false if it is neither.
 */
static bool take_given(int *family, char layer[PATH_MAX])
{
	const char *given = getenv("MEMPHIS_MPI");

	if (!given)
		return false;
	for (*family = 0; *family < FAMILIES; ++*family)
		if (!strcmp(given, families[*family]))
			return true;
	return strchr(given, '/') && realpath(given, layer);
}

/*
 * Sets `layer` to the path of a layer in the directory memphis/ next to `library`. If the file cannot be
 * read, sets errno and returns false.
 */
static bool find_beside(const char *library, const char *name, char layer[PATH_MAX])
{
	const char *slash = strrchr(library, '/');

	return snprintf(layer, PATH_MAX, "%.*s/memphis/libmemphis-%s.so", (int)(slash ? slash - library : 1),
			slash ? library : ".", name) < PATH_MAX &&
	       !access(layer, R_OK);
}

int memphis_library_find_mpi(const char *program, const char *library, char layer[PATH_MAX],
			     struct memphis_error *error)
{
	int family = NO_MPI;
	char name[32];

	layer[0] = 0;
	if (getenv("MEMPHIS_MPI")) {
		if (!take_given(&family, layer))
			return memphis_fail(
				error, -EINVAL,
				"MEMPHIS_MPI=%s: must be mpich, openmpi, abi, or the path of a layer for MPI",
				getenv("MEMPHIS_MPI"));
		if (layer[0])
			return 0;
	} else {
		family = find_family(program);
	}
	if (family == NO_MPI)
		return memphis_fail(
			error, -ENOENT,
			"--mpi: %s is linked neither with MPICH nor with Open MPI; if it loads MPI later, set MEMPHIS_MPI=mpich or MEMPHIS_MPI=openmpi (memphis-mpi(7))",
			program);
	snprintf(name, sizeof(name), "mpi-%s", families[family]);
	if (!find_beside(library, name, layer))
		return memphis_fail(
			error, -ENOENT,
			"--mpi: %s: %s; build Memphis where the compiler of this MPI library is installed",
			layer, strerror(errno));
	return 0;
}

int memphis_library_find_io(const char *library, char layer[PATH_MAX], struct memphis_error *error)
{
	if (!find_beside(library, "io", layer))
		return memphis_fail(
			error, -ENOENT,
			"--io: %s: %s; it is installed with the library, in a directory beside it", layer,
			strerror(errno));
	return 0;
}
