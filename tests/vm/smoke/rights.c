/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that root starts, and that gives up its rights before it creates a thread. Both threads read a block
 * larger than the caches. usage: rights UID
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS (4u << 20)
#define READS 1000000u

/* Volatile, so that the compiler does not remove reads of a block that is never written. */
static volatile uint64_t block[WORDS];

static void *read_block(void *unused)
{
	uint64_t state = 1, sum = 0;

	(void)unused;
	for (unsigned int i = 0; i < READS; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += block[(state >> 33) % WORDS];
	}
	return (void *)(uintptr_t)(sum | 1);
}

int main(int argc, char **argv)
{
	uid_t uid = argc == 2 ? (uid_t)atoi(argv[1]) : 0;
	pthread_t thread;

	if (!uid || memphis_begin("Read"))
		return 1;
	read_block(NULL);
	if (setresuid(uid, uid, uid) || pthread_create(&thread, NULL, read_block, NULL))
		return 1;
	pthread_join(thread, NULL);
	return memphis_end("Read") ? 1 : 7;
}
