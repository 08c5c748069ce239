/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI program in which rank 0 writes a file for all ranks while these wait in MPI_Barrier(), or in which each rank writes its own part. Each
 * rank prints what it has counted and timed itself: a line "rank R written_bytes N io_ns N waited_ns N".
 * usage: writer posix|stdio|mpi one|all FILE BLOCKS    BLOCKS: of 1 MB, of each rank in each of the steps
 */
#include <memphis.h>
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 4
#define BLOCK (1 << 20)
#define MS    1000u /* microseconds */

static int rank, ranks;
static char block[BLOCK];
static const char *path;
static int descriptor;
static FILE *stream;
static MPI_File file;

/* Each block is written to the same place, so that the file stays small. */
static long place(int of)
{
	return (long)of * BLOCK;
}

static void open_posix(void)
{
	descriptor = open(path, O_WRONLY | O_CREAT, 0644);
}

static void write_posix(int of)
{
	if (pwrite(descriptor, block, BLOCK, place(of)) != BLOCK)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static void close_posix(void)
{
	close(descriptor);
}

static void open_stdio(void)
{
	close(open(path, O_WRONLY | O_CREAT, 0644));
	stream = fopen(path, "r+");
}

static void write_stdio(int of)
{
	if (fseek(stream, place(of), SEEK_SET) || fwrite(block, 1, BLOCK, stream) != BLOCK)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static void close_stdio(void)
{
	fclose(stream);
}

static void open_mpi(void)
{
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
}

static void write_mpi(int of)
{
	MPI_File_write_at(file, place(of), block, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
}

static void close_mpi(void)
{
	MPI_File_close(&file);
}

static const struct way {
	const char *name;
	void (*open)(void);
	void (*write)(int of); /* the next block of this rank's part */
	void (*close)(void);
} ways[] = {
	{"posix", open_posix, write_posix, close_posix},
	{"stdio", open_stdio, write_stdio, close_stdio},
	{"mpi", open_mpi, write_mpi, close_mpi},
};

int main(int argc, char **argv)
{
	const struct way *way = ways;
	double written = 0, wrote = 0, waited = 0, begin;
	int step, i, of, blocks, one;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	while (strcmp(way->name, argv[1]) != 0)
		way++;
	one = !strcmp(argv[2], "one");
	path = argv[3];
	blocks = atoi(argv[4]);
	memset(block, 'x', BLOCK);
	way->open();
	for (step = 0; step < STEPS; step++) {
		memphis_begin("Step");
		usleep(20 * MS);
		MPI_Barrier(MPI_COMM_WORLD);
		memphis_begin("Output");
		for (of = 0; of < ranks; of++)
			for (i = 0; i < blocks && rank == (one ? 0 : of); i++) {
				begin = MPI_Wtime();
				way->write(of);
				wrote += MPI_Wtime() - begin;
				written += BLOCK;
			}
		begin = MPI_Wtime();
		MPI_Barrier(MPI_COMM_WORLD);
		waited += MPI_Wtime() - begin;
		memphis_end("Output");
		memphis_end("Step");
	}
	way->close();
	printf("rank %d written_bytes %.0f io_ns %.0f waited_ns %.0f\n", rank, written, 1e9 * wrote,
	       1e9 * waited);
	fflush(stdout);
	return MPI_Finalize();
}
