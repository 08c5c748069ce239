// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds libmemphis, the functions in it that only the tool of the same version calls, and the layers that are to be loaded into a program. Which MPI
 * library a program needs is asked of the dynamic loader, as ldd does.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static const struct mpi {
	/* Beginning of the file name; libraries with the interface of MPICH have the number 12. */
	const char *library;
	const char *layer;
} mpis[] = {
	{"libmpich.so.", "mpi-mpich"},
	{"libmpi.so.12", "mpi-mpich"},
	{"libmpi.so.", "mpi-openmpi"},
};

/* Runs the program with its loader listing the libraries to `to` instead of starting it. */
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

static const struct mpi *find_mpi_of_line(const char *line)
{
	const size_t blanks = strspn(line, " \t");
	size_t i;

	for (i = 0; i < sizeof(mpis) / sizeof(*mpis); i++)
		if (!strncmp(line + blanks, mpis[i].library, strlen(mpis[i].library)))
			return &mpis[i];
	return NULL;
}

static const struct mpi *find_mpi(const char *program)
{
	const struct mpi *found = NULL;
	char *line = NULL;
	size_t room = 0;
	FILE *list;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return NULL;
	pid = list_libraries(program, ends[1]);
	close(ends[1]);
	list = fdopen(ends[0], "r");
	if (!list)
		close(ends[0]);
	while (list && getline(&line, &room, list) > 0)
		found = found ? found : find_mpi_of_line(line);
	free(line);
	if (list)
		fclose(list);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return found;
}

/* Sets `layer` to the path of a library in the folder memphis/ beside the library. If it can't be read, sets errno and returns false. */
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
	const struct mpi *mpi = find_mpi(program);

	if (!mpi)
		return memphis_fail(
			error, -ENOENT,
			"--mpi: %s is linked neither with MPICH nor with Open MPI; if it loads MPI later, preload the layer (memphis-mpi(7))",
			program);
	if (!find_beside(library, mpi->layer, layer))
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
