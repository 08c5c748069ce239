/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI programs of which it is known what they send and for whom they wait. Each rank prints what it has counted and timed itself: a line
 * "rank R calls N sent N sent_bytes N received N received_bytes N ns N waited_ns N". A message contains the time at which its sender began to
 * send it, so that the receiver knows for how long it has waited. usage: waits SCENARIO [MS]     MS: by which the late sender is late, 100
 *
 * The variable MEETINGS names an empty file, which the ranks of a host map into memory. A rank that shall come late waits there until the others are
 * about to call MPI, so that a busy host does not make another rank late. If it is not set, no rank waits for others outside of MPI.
 */
#include <memphis.h>
#include <mpi.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MS 1000u /* microseconds */

static int rank, ranks;
static unsigned int late_ms = 100;
static int *arrived; /* in each meeting, number of ranks; NULL: without MEETINGS */
static struct {
	long calls, sent, sent_bytes, received, received_bytes;
	double time, waited;
} own;

/* In seconds; the same clock in all ranks, which MPI_Wtime() need not be. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void open_meetings(void)
{
	const char *path = getenv("MEETINGS");
	int file = path ? open(path, O_RDWR) : -1;

	if (file < 0)
		return;
	if (ftruncate(file, 4096))
		exit(1);
	arrived = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (arrived == MAP_FAILED)
		exit(1);
	close(file);
}

static void arrive(int meeting)
{
	if (arrived)
		__atomic_fetch_add(&arrived[meeting], 1, __ATOMIC_RELEASE);
}

/* Waits until so many ranks have arrived. */
static void await(int meeting, int count)
{
	while (arrived && __atomic_load_n(&arrived[meeting], __ATOMIC_ACQUIRE) < count)
		usleep(100);
}

/* Makes a call of MPI between two readings of the clock. MPI_Wtime() of some libraries divides a counter by a rounded frequency. */
#define TIMED(call)                        \
	do {                               \
		own.calls++;               \
		began = now();             \
		call;                      \
		ended = now();             \
		own.time += ended - began; \
	} while (0)
static double began, ended;

/* The same for a call between a waiting one and late(): `began` and `ended` remain those of the waiting one. */
#define TIMED_ASIDE(call)                 \
	do {                              \
		double from = now();      \
		own.calls++;              \
		call;                     \
		own.time += now() - from; \
	} while (0)

static void count_sent(long bytes)
{
	own.sent++;
	own.sent_bytes += bytes;
}

static void count_received(long bytes)
{
	own.received++;
	own.received_bytes += bytes;
}

/* The call between `began` and `ended` has waited for something that began at `theirs`. */
static double late(double theirs)
{
	double wait = theirs - began;

	if (wait > ended - began)
		wait = ended - began;
	return wait > 0 ? wait : 0;
}

static void send_now(int to, int tag, MPI_Comm comm)
{
	double time[2] = {now(), rank};

	TIMED(MPI_Send(time, 2, MPI_DOUBLE, to, tag, comm));
	count_sent(sizeof(time));
}

static void receive(int from, int tag, MPI_Comm comm)
{
	double theirs[2];

	TIMED(MPI_Recv(theirs, 2, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE));
	count_received(sizeof(theirs));
	own.waited += late(theirs[0]);
}

/* Rank 3 sends late to ranks 2 and 4. */
static void late_sender(void)
{
	int i;

	memphis_begin("Work");
	for (i = 0; i < 4; i++) {
		if (rank == 3) {
			await(i, 2);
			usleep(late_ms * MS);
			send_now(2, i, MPI_COMM_WORLD);
			send_now(4, i, MPI_COMM_WORLD);
		}
		if (rank == 2 || rank == 4) {
			arrive(i);
			receive(3, i, MPI_COMM_WORLD);
		}
	}
	memphis_end("Work");
}

/* Rank 5 comes late to collective calls in which all wait, or only the root. */
static void late_rank(void)
{
	int i, sum;

	memphis_begin("Work");
	for (i = 0; i < 4; i++) {
		if (rank == 5)
			await(i, ranks - 1);
		else
			arrive(i);
		usleep(rank == 5 ? 140 * MS : 0);
		TIMED(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		own.sent_bytes += 4;
		own.received_bytes += 4;
	}
	memphis_end("Work");
	memphis_begin("Root");
	usleep((rank == 5 ? 300 : 10) * MS);
	TIMED(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
	own.sent_bytes += 4;
	own.received_bytes += rank ? 0 : 4;
	memphis_end("Root");
}

/* All ranks work equally long. */
static void balanced(void)
{
	int i, sum, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
	double mine[2] = {0}, theirs[2];

	for (i = 0; i < 3; i++) {
		memphis_begin("Work");
		usleep(1000 * MS);
		arrive(i);
		await(i, ranks);
		TIMED(MPI_Sendrecv(mine, 2, MPI_DOUBLE, next, 0, theirs, 2, MPI_DOUBLE, before, 0,
				   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		count_sent(sizeof(mine));
		count_received(sizeof(theirs));
		TIMED(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		own.sent_bytes += 4;
		own.received_bytes += 4;
		memphis_end("Work");
	}
}

/*
 * Ranks 0 and 1: receives that complete in another order than they were posted, by wildcards, from several communicators, persistent ones, and
 * after probes. Each message waits for its own time.
 */
static void order(void)
{
	double theirs[6][2], mine[2] = {0}, last;
	MPI_Comm dup, half;
	MPI_Request requests[6];
	MPI_Message message;
	MPI_Status status;
	int i, at, done, indices[6];

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half); /* rank 1 is its first */
	MPI_Barrier(MPI_COMM_WORLD);
	memphis_begin("Work");
	if (rank == 1) {
		/* tag 7 twice, then tag 8; the receiver posts tag 8 first, and any tag last */
		usleep(60 * MS);
		send_now(0, 7, MPI_COMM_WORLD);
		send_now(0, 7, dup);
		usleep(60 * MS);
		send_now(0, 7, MPI_COMM_WORLD);
		usleep(60 * MS);
		send_now(0, 8, MPI_COMM_WORLD);
		usleep(60 * MS);
		send_now(1, 7, half);
		for (i = 0; i < 3; i++) {
			usleep(40 * MS);
			send_now(0, 9, dup);
		}
		usleep(50 * MS);
		send_now(0, 10, dup);
		usleep(50 * MS);
		send_now(0, 11, dup);
		usleep(50 * MS);
		send_now(0, 12, dup);
		send_now(0, 13, dup);
	}
	if (rank == 0) {
		TIMED_ASIDE(MPI_Irecv(theirs[0], 2, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &requests[0]));
		TIMED_ASIDE(
			MPI_Irecv(theirs[1], 2, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[1]));
		TIMED_ASIDE(MPI_Irecv(theirs[2], 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				      &requests[2]));
		TIMED_ASIDE(MPI_Irecv(theirs[3], 2, MPI_DOUBLE, 1, 7, dup, &requests[3]));
		TIMED_ASIDE(MPI_Irecv(theirs[4], 2, MPI_DOUBLE, MPI_ANY_SOURCE, 7, half, &requests[4]));
		TIMED(MPI_Wait(&requests[1], &status));
		own.waited += late(theirs[1][0]);
		TIMED(MPI_Waitany(5, requests, &at, MPI_STATUS_IGNORE));
		own.waited += late(theirs[at][0]);
		TIMED(MPI_Waitsome(5, requests, &done, indices, MPI_STATUSES_IGNORE));
		/* Of several messages, the last one counts. */
		for (i = 0, last = 0; i < done; i++)
			last = late(theirs[indices[i]][0]) > last ? late(theirs[indices[i]][0]) : last;
		own.waited += last;
		/* Posted first, but sent after those of the other tag. */
		TIMED(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
		own.waited += late(theirs[0][0]);
		TIMED(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
		own.waited += late(theirs[4][0]);
		for (i = 0; i < 5; i++)
			count_received(16);
		TIMED_ASIDE(MPI_Recv_init(theirs[5], 2, MPI_DOUBLE, 1, 9, dup, &requests[5]));
		for (i = 0; i < 3; i++) {
			TIMED_ASIDE(MPI_Start(&requests[5]));
			TIMED(MPI_Wait(&requests[5], MPI_STATUS_IGNORE));
			own.waited += late(theirs[5][0]);
			count_received(16);
		}
		TIMED_ASIDE(MPI_Request_free(&requests[5]));
		/* MPI_Probe() waits for a message; the MPI_Recv() after it finds the message there. */
		TIMED(MPI_Probe(1, MPI_ANY_TAG, dup, &status));
		TIMED_ASIDE(MPI_Recv(theirs[0], 2, MPI_DOUBLE, 1, status.MPI_TAG, dup, MPI_STATUS_IGNORE));
		own.waited += late(theirs[0][0]);
		TIMED(MPI_Mprobe(MPI_ANY_SOURCE, 11, dup, &message, MPI_STATUS_IGNORE));
		TIMED_ASIDE(MPI_Mrecv(theirs[1], 2, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
		own.waited += late(theirs[1][0]);
		count_received(16);
		count_received(16);
		/* A send to nobody, and a receive that is cancelled. */
		TIMED_ASIDE(MPI_Send(mine, 2, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
		TIMED_ASIDE(MPI_Irecv(theirs[2], 2, MPI_DOUBLE, 1, 99, dup, &requests[0]));
		MPI_Cancel(&requests[0]);
		TIMED_ASIDE(MPI_Wait(&requests[0], &status));
		receive(1, 12, dup);
		receive(1, 13, dup);
	}
	memphis_end("Work");
	MPI_Comm_free(&half);
	MPI_Comm_disconnect(&dup);
}

/* Many small messages, beyond the limit of the log. */
static void many(void)
{
	char byte = 0;
	int i;

	memphis_begin("Work");
	for (i = 0; i < 300000; i++) {
		if (!rank) {
			MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			count_sent(1);
		} else {
			MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			count_received(1);
		}
		own.calls++;
		if (i % 1000 == 0) {
			MPI_Barrier(MPI_COMM_WORLD);
			own.calls++;
		}
	}
	memphis_end("Work");
}

/* Functions of MPI 4 among others: ranks 0 and 1 send each other messages with one tag, rank 1 late. */
static void large(void)
{
#if MPI_VERSION >= 4
	double theirs[2][2], mine[2];
	MPI_Request request;

	MPI_Barrier(MPI_COMM_WORLD);
	memphis_begin("Work");
	usleep(rank ? 60 * MS : 0);
	mine[0] = now();
	TIMED(MPI_Send_c(mine, 2, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD));
	TIMED(MPI_Recv_c(theirs[0], 2, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	own.waited += late(theirs[0][0]);
	usleep(rank ? 60 * MS : 0);
	mine[0] = now();
	TIMED(MPI_Isendrecv(mine, 2, MPI_DOUBLE, !rank, 0, theirs[0], 2, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD,
			    &request));
	TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
	own.waited += late(theirs[0][0]);
	usleep(rank ? 60 * MS : 0);
	mine[0] = now();
	TIMED(MPI_Send(mine, 2, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD));
	TIMED(MPI_Recv(theirs[1], 2, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	own.waited += late(theirs[1][0]);
	own.sent = own.received = 3;
	own.sent_bytes = own.received_bytes = 48;
	memphis_end("Work");
#endif
}

/* Bytes of collective calls. */
static void collectives(void)
{
	int counts[8], places[8], block[64] = {0}, all[512] = {0}, i, level;
	MPI_Comm dup;
	MPI_Request request;

	for (i = 0; i < 8; i++) {
		counts[i] = i;
		places[i] = 8 * i;
	}
	memphis_begin("Work");
	MPI_Bcast(block, 3, MPI_INT, 2, MPI_COMM_WORLD);
	own.sent_bytes += rank == 2 ? 12 : 0;
	own.received_bytes += rank == 2 ? 0 : 12;
	MPI_Gather(block, 2, MPI_INT, all, 2, MPI_INT, 1, MPI_COMM_WORLD);
	own.sent_bytes += 8;
	own.received_bytes += rank == 1 ? 8 * ranks : 0;
	MPI_Scatterv(all, counts, places, MPI_INT, block, rank, MPI_INT, 0, MPI_COMM_WORLD);
	own.received_bytes += 4 * rank;
	own.sent_bytes += rank ? 0 : 4 * ranks * (ranks - 1) / 2;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 5, MPI_INT, MPI_COMM_WORLD);
	own.sent_bytes += 20;
	own.received_bytes += 20 * ranks;
	MPI_Alltoall(block, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	own.sent_bytes += 4 * ranks;
	own.received_bytes += 4 * ranks;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Ibarrier(dup, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Iallreduce(block, all, 6, MPI_INT, MPI_SUM, dup, &request);
	MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
	own.sent_bytes += 24;
	own.received_bytes += 24;
	MPI_Exscan(block, all, 1, MPI_INT, MPI_SUM, dup);
	own.sent_bytes += 4;
	own.received_bytes += 4;
	MPI_Comm_free(&dup);
	own.calls += 12;
	memphis_end("Work");
	MPI_Query_thread(&level);
}

#define THREADS 4

static void *talk(void *number)
{
	int tag = *(int *)number, i, value = 0;

	memphis_begin("Thread");
	for (i = 0; i < 100; i++) {
		if (rank) {
			MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
			MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
		}
	}
	memphis_end("Thread");
	return NULL;
}

static void threads(void)
{
	pthread_t list[THREADS];
	int numbers[THREADS], i;

	memphis_begin("Work");
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&list[i], NULL, talk, &numbers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
	memphis_end("Work");
	own.calls = 200 * THREADS;
	own.sent = own.received = 100 * THREADS;
	own.sent_bytes = own.received_bytes = 400 * THREADS;
}

/* A job that ends without MPI_Finalize(). */
static void aborted(void)
{
	late_sender();
	MPI_Barrier(MPI_COMM_WORLD);
	memphis_flush();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 3)
		MPI_Abort(MPI_COMM_WORLD, 7);
	pause();
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"late-sender", late_sender},
	{"late-rank", late_rank},
	{"balanced", balanced},
	{"order", order},
	{"large", large},
	{"many", many},
	{"collectives", collectives},
	{"threads", threads},
	{"aborted", aborted},
};

int main(int argc, char **argv)
{
	int provided;
	size_t i;

	MPI_Init_thread(&argc, &argv,
			argc > 1 && !strcmp(argv[1], "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
			&provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Barrier(MPI_COMM_WORLD);
	open_meetings();
	if (argc > 2)
		late_ms = (unsigned int)atoi(argv[2]);
	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (argc > 1 && !strcmp(argv[1], scenarios[i].name))
			scenarios[i].run();
	printf("rank %d calls %ld sent %ld sent_bytes %ld received %ld received_bytes %ld ns %.0f waited_ns %.0f\n",
	       rank, own.calls, own.sent, own.sent_bytes, own.received, own.received_bytes, 1e9 * own.time,
	       1e9 * own.waited);
	fflush(stdout);
	return MPI_Finalize();
}
