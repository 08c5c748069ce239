// SPDX-License-Identifier: BSD-3-Clause
/* Segments of shared memory: of POSIX and of System V, and one that is mapped again at a larger size. */
#define _GNU_SOURCE
#include "corpus.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

int main(void)
{
	int number = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600), file;
	double *segment = shmat(number, NULL, 0); /* site: segment */
	double *posix, *larger;
	char name[64];

	snprintf(name, sizeof(name), "/corpus-%d", getpid());
	file = shm_open(name, O_RDWR | O_CREAT, 0600);
	shm_unlink(name);
	if (file < 0 || ftruncate(file, BYTES) || segment == (void *)-1)
		return 1;
	posix = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); /* site: posix */
	larger = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);                                     /* site: larger */
	larger = mremap(larger, 4096, BYTES, MREMAP_MAYMOVE); /* site: larger */
	segment[0] = posix[0] = larger[0] = 1;
	TRUTH(segment, BYTES, "segment");
	TRUTH(posix, BYTES, "posix");
	TRUTH(larger, BYTES, "larger");
	shmctl(number, IPC_RMID, NULL);
	return 0;
}
