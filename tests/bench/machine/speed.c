// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs in the guest: repeats loops with a known number of memory accesses, without sampling, and while the CPU's sampling
 * unit samples this thread. Prints for each loop and both states: name, state, accesses, nanoseconds of the guest's clock,
 * which runs with the host's.
 *
 *	speed PERIOD ROUNDS
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LARGE_BYTES  (64ul << 20)
#define SMALL_BYTES  (16ul << 10)
#define PAGE_BYTES   4096ul
#define RING_PAGES   64ul
#define LATENCY      30
#define LOAD_LATENCY 0x1cd        /* MEM_TRANS_RETIRED.LOAD_LATENCY_GT_* */
#define OP_COUNT     (1ull << 19) /* IbsOpCtl.IbsOpCntCtl: count ops */

static uint64_t *memory;
static uint64_t sink;

static void die(const char *what)
{
	fprintf(stderr, "speed: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* One load per eight instructions. */
static uint64_t arithmetic(void)
{
	uint64_t i, count = 2000000;

	for (i = 0; i < count; i++)
		__asm__ volatile(
			"mov (%1), %%rax\n\timul $3, %%rax, %%rax\n\tadd $7, %%rax\n\txor %0, %%rax\n\t"
			"rol $5, %%rax\n\tadd %%rax, %0"
			: "+r"(sink)
			: "r"(memory)
			: "rax");
	return count;
}

/* Loads and stores of a block that fits the L1. */
static uint64_t small(void)
{
	uint64_t i, pass, words = SMALL_BYTES / sizeof(*memory), passes = 1500;

	for (pass = 0; pass < passes; pass++)
		for (i = 0; i < words; i++)
			__asm__ volatile("add %1, (%0)" : : "r"(&memory[i]), "r"(pass) : "memory");
	return 2 * words * passes;
}

/* a[i] = b[i] + 3 * c[i] on blocks larger than all caches. */
static uint64_t triad(void)
{
	uint64_t i, words = LARGE_BYTES / sizeof(*memory) / 3;
	double *a = (double *)memory, *b = a + words, *c = b + words;

	for (i = 0; i < words; i++) {
		double x = b[i] + 3.0 * c[i];

		__asm__ volatile("movsd %1, (%0)" : : "r"(&a[i]), "x"(x) : "memory");
	}
	return 3 * words;
}

/* Loads at random places of a block larger than all caches. */
static uint64_t scattered(void)
{
	uint64_t i, at = 1, sum = 0, words = LARGE_BYTES / sizeof(*memory), count = 1500000;

	for (i = 0; i < count; i++) {
		at = at * 6364136223846793005ull + 1442695040888963407ull;
		sum += *(volatile uint64_t *)&memory[(at >> 33) % words];
	}
	sink += sum;
	return count;
}

static const struct {
	const char *name;
	uint64_t (*run)(void);
} loops[] = {
	{"arithmetic", arithmetic},
	{"small", small},
	{"triad", triad},
	{"scattered", scattered},
};

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int open_sampler(uint64_t period)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .sample_period = period,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
				       .disabled = 1};
	FILE *file = fopen("/sys/bus/event_source/devices/ibs_op/type", "r");
	unsigned int type = PERF_TYPE_RAW;
	int fd;

	if (file) {
		if (fscanf(file, "%u", &type) != 1)
			die("ibs_op/type");
		fclose(file);
		attr.config = OP_COUNT;
	} else {
		attr.config = LOAD_LATENCY;
		attr.config1 = LATENCY;
		attr.precise_ip = 2;
	}
	attr.type = type;
	/* Kernels before 6.2 have IBS for CPUs alone. */
	fd = syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1, 0);
	if (fd < 0)
		die("perf_event_open");
	if (mmap(NULL, (RING_PAGES + 1) * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		die("mmap of the ring");
	return fd;
}

int main(int argc, char **argv)
{
	long round, rounds = argc == 3 ? atol(argv[2]) : 0;
	cpu_set_t cpus;
	int fd, sampling;
	size_t i;

	if (rounds < 1) {
		fprintf(stderr, "usage: speed PERIOD ROUNDS\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	memory = mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	memset(memory, 0, LARGE_BYTES);
	fd = open_sampler(strtoul(argv[1], NULL, 0));
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
			for (sampling = 0; sampling < 2; sampling++) {
				long long begun;
				uint64_t accesses;

				if (ioctl(fd, sampling ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
					die("ioctl");
				/* Code is translated anew after the switch; instrumented code lingers for 50 ms. */
				if (!sampling)
					usleep(100000);
				loops[i].run();
				begun = now();
				accesses = loops[i].run();
				printf("%s %s %llu %lld\n", loops[i].name, sampling ? "on" : "off",
				       (unsigned long long)accesses, now() - begun);
			}
		}
	}
	return 0;
}
