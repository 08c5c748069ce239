// SPDX-License-Identifier: BSD-3-Clause
/*
 * memphis-mpi-reduce: combines memphis reduce and memphis merge in one MPI program. First, each rank reduces
 * its part of the inputs to a profile. The profiles are then merged along a binary tree. In the step with
 * distance d = 1, 2, 4, ..., each rank r whose lowest set bit is d sends its profile to rank r - d, which
 * merges it with its own. At the end, rank 0 has the merged profile. Each rank keeps its profile in a file in
 * its own directory in TMPDIR, and sends this file.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include <memphis/version.h>

#include "analyse/inputs.h"
#include "cmd/arguments.h"
#include "cmd/command.h"
#include "profile/file/mprof.h"

#define NAME        "memphis-mpi-reduce"
#define BLOCK_BYTES (1 << 24) /* maximum number of bytes in one message */

/* The job, and the data of this rank. */
struct job {
	struct memphis_arguments arguments;
	bool shared;
	int rank, size;
	/* file with this rank's profile, and file for a received profile */
	char own[PATH_MAX], other[PATH_MAX];
	char directory[PATH_MAX - 16];
	bool has_own; /* true: this rank has a profile */
};

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION_OUTPUT(offsetof(struct job, arguments.output),
			      "the profile, written by rank 0, completely or not at all"),
	MEMPHIS_OPTION("shared", NULL,
		       "all hosts see the same inputs: they are dealt out to all ranks. Default: inputs are\n"
		       "                     those of each host, dealt out to its ranks",
		       memphis_parse_flag, offsetof(struct job, shared)),
	MEMPHIS_OPTION("by", "thread",
		       "keep threads separate, for report --by thread, --process and --region",
		       memphis_parse_by_thread, offsetof(struct job, arguments)),
	MEMPHIS_OPTION("select", "KIND",
		       "keep only these samples; memphis report --help lists the kinds (default all)",
		       memphis_parse_select, offsetof(struct job, arguments)),
	MEMPHIS_OPTION_BINARIES(offsetof(struct job, arguments)),
	MEMPHIS_OPTION_SOURCE(offsetof(struct job, arguments)),
	MEMPHIS_OPTION_JOBS(offsetof(struct job, arguments),
			    "files read at a time by a rank (default: one per CPU)"),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = NAME,
	.text = "usage: mpirun ... " NAME " [options] DIRECTORY|FILE.mprof... -o OUT.mprof\n"
		"Reduces sample files to a profile, and merges the profiles of all ranks. Start one rank on each host.\n"
		"The result is that of memphis reduce of all files, and of memphis merge.\n\n",
	.options = option_rows,
	.version = NAME " " MEMPHIS_VERSION,
};

static int complain(const struct job *job, const struct memphis_error *error)
{
	char host[256] = "?";

	gethostname(host, sizeof(host) - 1);
	fprintf(stderr, NAME ": rank %d on %s: %s\n", job->rank, host, error->text);
	return -EIO;
}

static int prepare(struct job *job)
{
	const char *tmp = getenv("TMPDIR");
	struct memphis_error error;

	snprintf(job->directory, sizeof(job->directory), "%s/" NAME ".XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(job->directory)) {
		memphis_fail(&error, -errno, "%s: cannot create the directory: %s; set TMPDIR",
			     job->directory, strerror(errno));
		*job->directory = '\0';
		return complain(job, &error);
	}
	snprintf(job->own, sizeof(job->own), "%s/own.mprof", job->directory);
	snprintf(job->other, sizeof(job->other), "%s/other.mprof", job->directory);
	return 0;
}

static void clean(const struct job *job)
{
	if (!*job->directory)
		return;
	unlink(job->own);
	unlink(job->other);
	rmdir(job->directory);
}

static int save(struct job *job, const struct memphis_profile *profile, const char *path)
{
	struct memphis_error error;

	if (memphis_mprof_save(profile, path, &error))
		return complain(job, &error);
	job->has_own = true;
	return 0;
}

/*
 * Sets found[i] to 1 for each input that exists on some host, and to 0 for the others: a missing input is then
 * an error. If the ranks have different numbers of inputs (because the shell of each host has expanded a
 * pattern), the inputs cannot be compared. Then sets all elements to 1, so that is_elsewhere() lets each rank
 * skip inputs that its host does not have.
 */
static void look_for(char **paths, size_t count, int *found)
{
	long counts[2] = {(long)count, -(long)count}, most[2];
	struct stat status;
	size_t i;

	MPI_Allreduce(counts, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	for (i = 0; i < count; i++)
		found[i] = most[0] != -most[1] || !stat(paths[i], &status) || errno != ENOENT;
	if (most[0] == -most[1])
		MPI_Allreduce(MPI_IN_PLACE, found, (int)count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

/*
 * Returns true if this rank must skip the input, because it exists only on other hosts. A host on which no
 * rank was sampled has no directory.
 */
static bool is_elsewhere(const struct job *job, const char *path, int found)
{
	struct stat status;

	return !job->shared && found && stat(path, &status) && errno == ENOENT;
}

/* Moves the inputs of this rank to the begin of the list. Returns their number. All ranks must call this function. */
static size_t deal_out(const struct job *job, char **paths, size_t count)
{
	int *found = calloc(count, sizeof(*found));
	MPI_Comm comm = MPI_COMM_WORLD;
	size_t kept = 0, i;
	int rank, size;

	if (!found)
		MPI_Abort(MPI_COMM_WORLD, MEMPHIS_EXIT_ERROR);
	look_for(paths, count, found);
	if (!job->shared)
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	if (!job->shared)
		MPI_Comm_free(&comm);
	for (i = 0; i < count; i++)
		if (i % (size_t)size == (size_t)rank && !is_elsewhere(job, paths[i], found[i]))
			paths[kept++] = paths[i];
	free(found);
	return kept;
}

static int reduce(struct job *job, char **paths, size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = 0;

	count = deal_out(job, paths, count);
	if (!count)
		return 0;
	if (memphis_inputs_open(&profile, paths, count, &job->arguments.selection, &job->arguments.reduction,
				&error))
		rc = complain(job, &error);
	else
		rc = save(job, &profile, job->own);
	if (!rc)
		memphis_arguments_note(NAME, NULL, &profile);
	memphis_profile_close(&profile);
	return rc;
}

/* Sends the size and the contents of this rank's profile. The size is -1 if this rank has no profile. */
static int send_file(struct job *job, int to)
{
	static char block[BLOCK_BYTES];
	const int fd = job->has_own ? open(job->own, O_RDONLY | O_CLOEXEC) : -1;
	const int reason = errno;
	struct memphis_error error;
	long long bytes = -1, sent = 0;
	struct stat status;
	ssize_t got;

	if (fd >= 0 && !fstat(fd, &status))
		bytes = status.st_size;
	MPI_Send(&bytes, 1, MPI_LONG_LONG, to, 0, MPI_COMM_WORLD);
	while (sent < bytes) {
		got = read(fd, block, BLOCK_BYTES);
		if (got <= 0) {
			memphis_fail(&error, -EIO, "%s: cannot read: %s", job->own,
				     got ? strerror(errno) : "the file became shorter");
			complain(job, &error);
			MPI_Abort(MPI_COMM_WORLD, MEMPHIS_EXIT_ERROR);
		}
		MPI_Send(block, (int)got, MPI_BYTE, to, 0, MPI_COMM_WORLD);
		sent += got;
	}
	if (fd >= 0)
		close(fd);
	if (bytes >= 0 || !job->has_own)
		return 0;
	memphis_fail(&error, -reason, "%s: cannot open: %s", job->own, strerror(reason));
	return complain(job, &error);
}

/*
 * Receives the profile of another rank, and writes it to the file job->other. Returns 1, 0 if the other rank
 * has no profile, or a negative errno.
 */
static int receive_file(struct job *job, int from)
{
	static char block[BLOCK_BYTES];
	struct memphis_error error;
	long long bytes, received;
	MPI_Status status;
	int count, reason = 0;
	FILE *file;

	MPI_Recv(&bytes, 1, MPI_LONG_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (bytes < 0)
		return 0;
	file = fopen(job->other, "we");
	if (!file)
		reason = errno;
	/* Receive all data, even if it cannot be written, because the other rank sends it in any case. */
	for (received = 0; received < bytes; received += count) {
		MPI_Recv(block, BLOCK_BYTES, MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &count);
		if (!reason && fwrite(block, 1, (size_t)count, file) != (size_t)count)
			reason = errno;
	}
	if (file && fclose(file) && !reason)
		reason = errno;
	if (!reason)
		return 1;
	memphis_fail(&error, -reason, "%s: cannot write: %s; set TMPDIR to a directory with room", job->other,
		     strerror(reason));
	return complain(job, &error);
}

/* Merges the profile received from another rank with the profile of this rank. */
static int merge(struct job *job)
{
	char *paths[] = {job->other, job->own};
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = 0;

	if (memphis_inputs_merge(&profile, paths, job->has_own ? 2 : 1, (struct memphis_inputs_part){0, 1},
				 job->arguments.reduction.jobs, &error)) {
		rc = complain(job, &error);
		if (!job->shared)
			fprintf(stderr, NAME ": if all hosts see the same inputs, give --shared\n");
	} else {
		rc = save(job, &profile, job->own);
	}
	memphis_profile_close(&profile);
	return rc;
}

/* Merges the profiles of all ranks. After an error, the rank continues, because the others wait for its messages. */
static int merge_all(struct job *job)
{
	int distance, got, rc = 0;

	for (distance = 1; distance < job->size; distance *= 2) {
		if (job->rank & distance)
			return rc | send_file(job, job->rank - distance);
		if (job->rank + distance >= job->size)
			continue;
		got = receive_file(job, job->rank + distance);
		if (got < 0 || (got && merge(job)))
			rc = -EIO;
	}
	return rc;
}

static int write_output(struct job *job)
{
	char *paths[] = {job->own};
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc;

	rc = memphis_inputs_merge(&profile, paths, 1, (struct memphis_inputs_part){0, 1}, 1, &error)
		     ? complain(job, &error)
		     : save(job, &profile, job->arguments.output);
	memphis_profile_close(&profile);
	return rc;
}

/* Returns true if all ranks have succeeded. The result is the same on all ranks. */
static bool all_succeeded(int rc)
{
	int own = rc == 0, all;

	MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

static int run(struct job *job, char **paths, size_t count)
{
	int rc = prepare(job);

	if (!rc)
		rc = reduce(job, paths, count);
	/* all ranks must call this function */
	else
		deal_out(job, paths, count);
	rc |= merge_all(job);
	if (all_succeeded(rc))
		rc = job->rank ? 0 : write_output(job);
	clean(job);
	return all_succeeded(rc) ? 0 : MEMPHIS_EXIT_ERROR;
}

/*
 * Parses the command line. Returns MEMPHIS_EXIT_USAGE after an error message, 0 if there is nothing to do
 * (e.g. after --help), or a negative number to continue.
 */
static int parse(struct job *job, int count, char **list)
{
	const int status = memphis_options_parse(&usage, count, list, job);

	if (status >= 0 || memphis_arguments_complete(&job->arguments, optind, count,
						      "directories with sample files, or profiles"))
		return status;
	return memphis_options_refuse(NAME);
}

int main(int count, char **list)
{
	struct job job = {.arguments = {.command = NAME,
					.selection = {.kind = memphis_select_kind("all"),
						      .node = -1,
						      .by_region = true,
						      .all_apart = true}}};
	int status = 0;

	MPI_Init(&count, &list);
	MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &job.size);
	/* Rank 0 parses the command line first, so that error messages appear only once. */
	if (!job.rank)
		status = parse(&job, count, list);
	MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (status < 0 && job.rank)
		parse(&job, count, list);
	if (status < 0)
		status = run(&job, list + optind, (size_t)(count - optind));
	memphis_arguments_close(&job.arguments);
	MPI_Finalize();
	return status;
}
