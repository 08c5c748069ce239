/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI programs that do what few do, or what MPI allows only with MPI_ERRORS_RETURN. Each prints what it gets, which must not depend on the layer,
 * to a file: $ODD_OUTPUT.RANK. Also built as a library that a program without MPI loads with RTLD_LOCAL (host.c). usage: odd SCENARIO
 */
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static const char *class_of(int rc)
{
	int class = MPI_SUCCESS;

	if (rc == MPI_SUCCESS)
		return "success";
	MPI_Error_class(rc, &class);
	return class == MPI_ERR_RANK       ? "rank"
	       : class == MPI_ERR_COUNT    ? "count"
	       : class == MPI_ERR_TRUNCATE ? "truncate"
					   : "another error";
}

/* An attribute of MPI_COMM_SELF, whose callback communicates in MPI_Finalize(). */
static int farewell(MPI_Comm comm, int key, void *value, void *state)
{
	int sum = 0;

	(void)comm;
	(void)key;
	(void)value;
	(void)state;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d farewell %d\n", rank, sum);
	return MPI_SUCCESS;
}

static void attribute(void)
{
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, farewell, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* Handles that stand for nothing, and messages from and to nobody. */
static void nothing(void)
{
	MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, inactive;
	MPI_Status status, statuses[3];
	MPI_Comm part;
	int value = 7, flag = 0, index = 0, count = 0;

	MPI_Wait(&none[0], &status);
	MPI_Get_count(&status, MPI_INT, &count);
	printf("rank %d wait: source %d count %d\n", rank, status.MPI_SOURCE == MPI_ANY_SOURCE, count);
	MPI_Waitall(3, none, statuses);
	MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
	MPI_Waitany(3, none, &index, MPI_STATUS_IGNORE);
	MPI_Testall(3, none, &flag, MPI_STATUSES_IGNORE);
	printf("rank %d waitany: %d testall: %d\n", rank, index == MPI_UNDEFINED, flag);
	MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
		     MPI_COMM_WORLD, &status);
	printf("rank %d sendrecv: nobody %d value %d\n", rank, status.MPI_SOURCE == MPI_PROC_NULL, value);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none[1]);
	MPI_Wait(&none[1], MPI_STATUS_IGNORE);
	MPI_Recv_init(&value, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &inactive);
	MPI_Wait(&inactive, &status);
	MPI_Request_free(&inactive);
	MPI_Comm_split(MPI_COMM_WORLD, rank ? 1 : MPI_UNDEFINED, 0, &part);
	printf("rank %d split: %d\n", rank, part == MPI_COMM_NULL);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
}

/* Calls that fail, and a receive that is cancelled. */
static void errors(void)
{
	MPI_Comm own;
	MPI_Request request;
	MPI_Status status;
	int value[2] = {1, 2}, cancelled = 0;

	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	printf("rank %d send to nobody: %s\n", rank, class_of(MPI_Send(value, 1, MPI_INT, ranks, 0, own)));
	printf("rank %d negative count: %s\n", rank, class_of(MPI_Send(value, -1, MPI_INT, 0, 0, own)));
	MPI_Irecv(value, 1, MPI_INT, rank, 1, own, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	printf("rank %d cancelled: %d\n", rank, cancelled);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 2, value, 1, MPI_INT, (rank + ranks - 1) % ranks,
		     2, own, MPI_STATUS_IGNORE);
	printf("rank %d after that: %d\n", rank, value[0]);
	MPI_Comm_free(&own);
}

/* Communicators whose handles are used again, and arguments between two groups that only the other side needs. */
static void reuse(void)
{
	MPI_Comm own, half, between;
	int i, sum = 0, value, got = -1;

	for (i = 0; i < 600; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &own);
		value = i;
		if (rank < 2)
			MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, i, 1 - rank, i, own,
					     MPI_STATUS_IGNORE);
		sum += value;
		MPI_Comm_free(&own);
	}
	printf("rank %d sum %d\n", rank, sum);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &between);
	value = 100 + rank;
	if (rank % 2)
		MPI_Bcast(&got, 1, MPI_INT, 0, between);
	else
		MPI_Bcast(&value, 1, MPI_INT, rank ? MPI_PROC_NULL : MPI_ROOT, between);
	printf("rank %d got %d\n", rank, got);
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {{"attribute", attribute}, {"nothing", nothing}, {"errors", errors}, {"reuse", reuse}};

__attribute__((visibility("default"))) int run(const char *name)
{
	char path[4096];
	size_t i;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	/* Launchers mix the lines of ranks. */
	snprintf(path, sizeof(path), "%s.%d", getenv("ODD_OUTPUT"), rank);
	if (!freopen(path, "w", stdout))
		return 2;
	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenarios[i].name, name))
			scenarios[i].run();
	return MPI_Finalize();
}

int main(int argc, char **argv)
{
	return argc == 2 ? run(argv[1]) : 2;
}
