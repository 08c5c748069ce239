// SPDX-License-Identifier: BSD-3-Clause
/*
 * Gives a guest that was resumed from a snapshot the present time, and random numbers of its own. usage: resume TIME UPTIME
 * TIME: SECONDS.NANOSECONDS, as the host has sent it when the guest had been up for UPTIME seconds.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>

#define SEED       "/memphis/seed" /* from the host */
#define SEED_BYTES 256             /* as machine/run writes */

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	struct {
		int entropy_count, buf_size; /* as in struct rand_pool_info */
		unsigned char bytes[SEED_BYTES];
	} seed = {.entropy_count = SEED_BYTES * 8, .buf_size = SEED_BYTES};
	struct timespec now, up;
	double received, late;
	FILE *file = fopen(SEED, "rb");
	int random;

	if (argc != 3 || sscanf(argv[1], "%ld.%9ld", &now.tv_sec, &now.tv_nsec) != 2 ||
	    sscanf(argv[2], "%lf", &received) != 1) {
		fputs("usage: resume SECONDS.NANOSECONDS UPTIME\n", stderr);
		return 2;
	}
	if (!file || fread(seed.bytes, 1, SEED_BYTES, file) != SEED_BYTES) {
		return fail(SEED);
	}
	clock_gettime(CLOCK_BOOTTIME, &up);
	late = up.tv_sec + up.tv_nsec * 1e-9 - received;
	now.tv_nsec += (long)((late - (long)late) * 1e9);
	now.tv_sec += (long)late + now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	if (clock_settime(CLOCK_REALTIME, &now) != 0) {
		return fail("clock_settime");
	}
	/* By the second request, all CPUs drop the numbers that they have prepared. */
	random = open("/dev/random", O_WRONLY);
	if (random < 0 || ioctl(random, RNDADDENTROPY, &seed) != 0 || ioctl(random, RNDRESEEDCRNG) != 0) {
		return fail("/dev/random");
	}
	return 0;
}
