/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each kind of memory that can be shared between processes, and private memory: two samples in each. All of it is unmapped before
 * the program ends, except the mapped file if there is a second argument.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <memphis.h>

#include "variables.h"

#define BYTES 65536

int MPI_Win_allocate(long bytes, int unit, void *info, void *group, void *base, void **window);

static double *segment, *attached, *posix, *sealed, *common, *own, *climate;

static void *map(int fd, int flags)
{
	void *memory;

	if (fd >= 0 && ftruncate(fd, BYTES))
		exit(2);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (memory == MAP_FAILED)
		exit(3);
	close(fd);
	return memory;
}

static void look(const double *memory)
{
	idle_sample(memory + 1);
	idle_sample(memory + BYTES / sizeof(*memory) - 1);
}

int main(int argc, char **argv)
{
	int id = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600), err = memphis_begin("all");
	double *window, *first;
	void *handle;

	if (id < 0 || argc < 2)
		return 4;
	first = shmat(id, NULL, 0);
	segment = first;
	attached = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_RMID, NULL);
	if (first == (void *)-1 || attached == (void *)-1)
		return 5;
	posix = map(shm_open("/memphis-shares", O_RDWR | O_CREAT, 0600), MAP_SHARED);
	shm_unlink("/memphis-shares");
	sealed = map(memfd_create("sealed", MFD_CLOEXEC), MAP_SHARED);
	common = map(-1, MAP_SHARED | MAP_ANONYMOUS);
	own = map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	climate = map(open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600), MAP_SHARED);
	unlink(argv[1]);
	if (MPI_Win_allocate(BYTES, 8, NULL, NULL, &window, &handle))
		return 6;
	look(segment);
	look(attached);
	look(posix);
	look(sealed);
	look(common);
	look(own);
	look(climate);
	look(window);
	err |= memphis_end("all") | memphis_flush();
	if (shmdt(first) || shmdt(attached) || munmap(posix, BYTES) || munmap(sealed, BYTES) ||
	    munmap(common, BYTES) || munmap(own, BYTES) || munmap(window, BYTES))
		return 7;
	if (!argv[2])
		munmap(climate, BYTES);
	return err ? 1 : 0;
}
