// SPDX-License-Identifier: BSD-3-Clause
/* The layers that are to be loaded into a program. Which MPI library it needs is asked of the dynamic loader, as ldd does. */
#include "cmd/record_mpi.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct mpi {
	const char *
		library; /* begin of the file name; libraries with the interface of MPICH have the number 12 */
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

static const struct mpi *find_in(const char *line)
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
		found = found ? found : find_in(line);
	free(line);
	if (list)
		fclose(list);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return found;
}

/* Sets `layer` to the path of a library in the folder memphis/ beside the library. Returns false, and errno, if it can't be read. */
static bool find_beside(const char *library, const char *name, char layer[PATH_MAX])
{
	const char *slash = strrchr(library, '/');

	return snprintf(layer, PATH_MAX, "%.*s/memphis/libmemphis-%s.so", (int)(slash ? slash - library : 1),
			slash ? library : ".", name) < PATH_MAX &&
	       !access(layer, R_OK);
}

int memphis_record_mpi_find(const char *program, const char *library, char layer[PATH_MAX],
			    struct memphis_error *error)
{
	const struct mpi *mpi = find_mpi(program);

	if (!mpi)
		return memphis_fail(
			error, -ENOENT,
			"--mpi: %s is linked neither with MPICH nor with Open MPI; if it loads MPI later, "
			"preload the layer (memphis-mpi(7))",
			program);
	if (!find_beside(library, mpi->layer, layer))
		return memphis_fail(
			error, -ENOENT,
			"--mpi: %s: %s; build Memphis where the compiler of this MPI library is installed",
			layer, strerror(errno));
	return 0;
}

int memphis_record_io_find(const char *library, char layer[PATH_MAX], struct memphis_error *error)
{
	if (!find_beside(library, "io", layer))
		return memphis_fail(error, -ENOENT, "--io: %s: %s", layer, strerror(errno));
	return 0;
}
