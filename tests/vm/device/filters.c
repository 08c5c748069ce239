// SPDX-License-Identifier: BSD-3-Clause
/*
 * Filters of the hardware: what the device offers and refuses, and samples of loads of known origin, whose exact counts the
 * machine has. Sampling is stopped and started many times, and the thread is interrupted often by another one: neither may add
 * samples. Writes how many samples had each source to SAMPLES, in the form of the program `sources`.
 * usage: filters OFFERED none|l3-miss|latency SAMPLES     OFFERED: expected memphis_query.hardware_filters
 *        filters OFFERED forbidden                        with a module that was loaded without hardware_filters=1
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE   (16u << 20)   /* larger than an L3 */
#define MEDIUM  (1536u << 10) /* larger than an L2, smaller than an L3 */
#define LINE    64
#define CHUNKS  400u
#define LOADS   10000u /* of each kind in a chunk */
#define LATENCY 256    /* between those of DRAM of the own node and of the other one */

static struct memphis_query query;
static pid_t tids[2];
static volatile bool done;

static int attach_tid(int fd, pid_t tid)
{
	struct memphis_attach attach = {.tid = tid};

	return request(fd, MEMPHIS_IOC_ATTACH, &attach);
}

static struct memphis_config with_filter(uint32_t filter)
{
	struct memphis_config config = some_config();

	config.period = 32768;
	config.ring_records = config.wakeup_records = 16384;
	config.hardware_filter = filter;
	config.min_latency_cycles = filter == MEMPHIS_HARDWARE_FILTER_LATENCY ? LATENCY : 0;
	return config;
}

static int configure(const struct memphis_config *config)
{
	struct memphis_config copy = *config;
	int fd = open_device(), error = request(fd, MEMPHIS_IOC_CONFIGURE, &copy);

	close_device(fd);
	return error;
}

static void check_offers(uint32_t offered)
{
	struct memphis_config config;
	uint32_t filter;

	check_equal("a query returns the filters of the hardware", query.hardware_filters, offered);
	check_equal("sessions with a filter are sampled per CPU", query.filter_sampler, MEMPHIS_SAMPLER_CPU);
	/* The module was loaded with period_min_cpu=2048. */
	check_equal("a query returns the minimum period with a filter", query.filter_period_min, 2048);
	for (filter = 0; filter < 4; filter++) {
		char name[64];

		config = with_filter(filter);
		snprintf(name, sizeof(name), "filter %u is accepted only if it is offered", filter);
		check_equal(name, configure(&config), offered & 1u << filter ? 0 : EINVAL);
	}
	config = with_filter(MEMPHIS_HARDWARE_FILTER_L3_MISS);
	config.period = 2048 - query.period_step;
	check_equal("a filter with a period that is too short is refused", configure(&config), EINVAL);
	config = with_filter(MEMPHIS_HARDWARE_FILTER_LATENCY);
	config.min_latency_cycles = 127;
	check_equal("a latency below the least threshold is refused", configure(&config), EINVAL);
}

/* By default, the module refuses what CPU and kernel offer. */
static void check_forbidden(uint32_t offered)
{
	struct memphis_config config;
	uint32_t filter;

	check_equal("forbidden: a query returns the filters of the hardware", query.hardware_filters,
		    offered);
	for (filter = 0; filter < 4; filter++) {
		char name[64];

		config = with_filter(filter);
		/* The module was loaded with its default of period_min_cpu. */
		config.period = 262144;
		snprintf(name, sizeof(name), "forbidden: filter %u is refused if it is offered", filter);
		check_equal(name, configure(&config),
			    !(offered & 1u << filter) ? EINVAL
			    : filter                  ? EACCES
						      : 0);
	}
}

static struct memphis_stats stats_of(int fd)
{
	struct memphis_stats stats;

	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	return stats;
}

/* Makes loads that miss the L3. They are not made by walk(), because the loads of walk() are compared with exact counts. */
static void sweep(const uint64_t *buffer)
{
	const volatile uint64_t *words = buffer;
	size_t i;

	for (i = 0; i < 4 * LARGE / LINE; i++)
		(void)words[i % (LARGE / LINE) * (LINE / sizeof(*words))];
}

/* Samples the caller with the filter. Checks that the session's times start from zero, although it had another sampler before. */
static void configure_again(int fd, uint32_t filter, const char *zero, const char *some)
{
	const uint64_t *buffer = buffer_on(0, LARGE);
	struct memphis_config config = with_filter(filter);
	struct memphis_stats stats;
	int32_t tid = 0;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	stats = stats_of(fd);
	check(zero, !stats.enabled_ns && !stats.starved_ns);
	need(!attach_tid(fd, 0), "attach");
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	sweep(buffer);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	stats = stats_of(fd);
	check(some, stats.enabled_ns && stats.starved_ns <= stats.enabled_ns);
}

static void check_totals(void)
{
	int fd = open_device();

	configure_again(fd, MEMPHIS_HARDWARE_FILTER_NONE, "a new session has no times",
			"a session without filter has times");
	configure_again(fd, MEMPHIS_HARDWARE_FILTER_L3_MISS,
			"configured with a filter, the session starts from zero",
			"the session with the filter has times");
	configure_again(fd, MEMPHIS_HARDWARE_FILTER_NONE,
			"configured without the filter, the session starts from zero",
			"the session without the filter has times again");
	close_device(fd);
}

/* Attaches a thread by a session of the one filter, and returns the result of the same for another thread and filter. */
static int attach_both(uint32_t filter, uint32_t other_filter)
{
	struct memphis_config config = with_filter(filter), other_config = with_filter(other_filter);
	int fd = open_device(), other = open_device(), error;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	need(!request(other, MEMPHIS_IOC_CONFIGURE, &other_config), "configure");
	need(!attach_tid(fd, tids[0]), "attach");
	error = attach_tid(other, tids[1]);
	close_device(fd);
	check_equal("attach after the session with the other filter has ended",
		    error ? attach_tid(other, tids[1]) : 0, 0);
	close_device(other);
	return error;
}

static void check_sharing(uint32_t offered)
{
	const uint32_t none = MEMPHIS_HARDWARE_FILTER_NONE, l3_miss = MEMPHIS_HARDWARE_FILTER_L3_MISS,
		       latency = MEMPHIS_HARDWARE_FILTER_LATENCY;

	check_equal("sessions of the same filter share the hardware", attach_both(l3_miss, l3_miss), 0);
	check_equal("no session without filter beside one with a filter", attach_both(l3_miss, none), EBUSY);
	check_equal("no session with a filter beside one without", attach_both(none, l3_miss), EBUSY);
	if (offered & 1u << latency)
		check_equal("no session beside one with another filter", attach_both(l3_miss, latency),
			    EBUSY);
}

/* A sampled process forks a child, which keeps the descriptor and the maps, and then waits, or executes another program. */
static void parent_of_heir(const char *program, int tell)
{
	const struct memphis_config config = with_filter(MEMPHIS_HARDWARE_FILTER_L3_MISS);
	int fd = open_device();
	pid_t heir;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, (void *)&config), "configure");
	attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	heir = fork();
	need(heir >= 0, "fork");
	if (!heir)
		for (;;)
			pause();
	need(write(tell, &heir, sizeof(heir)) == sizeof(heir), "pipe");
	if (program)
		execl(program, "filters", NULL);
	for (;;)
		pause();
}

/*
 * When the owner of a session has ended or executed another program, no CPU may be interrupted any more, and sessions without a
 * filter must be possible, although a child still has the owner's descriptor and maps.
 */
static void check_heir(const char *program, const char *silent, const char *available)
{
	struct memphis_config config = with_filter(MEMPHIS_HARDWARE_FILTER_NONE);
	uint64_t *buffer = buffer_on(2, LARGE);
	int ends[2], fd, err, tries = 0;
	pid_t owner, heir;
	uint64_t before;

	need(!pipe2(ends, O_CLOEXEC), "pipe");
	owner = fork();
	need(owner >= 0, "fork");
	if (!owner)
		parent_of_heir(program, ends[1]);
	need(read(ends[0], &heir, sizeof(heir)) == sizeof(heir), "pipe");
	if (program) {
		/* The new program stops itself. */
		need(waitpid(owner, NULL, WUNTRACED) == owner, "the program that the owner executes");
	} else {
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
	}
	fd = open_device();
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	/* The session ends in a worker of the kernel, which may have to wait for a CPU. */
	do
		err = attach_tid(fd, tids[0]);
	while (err == EBUSY && ++tries < 100000 && !usleep(1000));
	check_equal(available, err, 0);
	close_device(fd);
	before = delivered();
	sweep(buffer);
	check_equal(silent, delivered() - before, 0);
	kill(heir, SIGKILL);
	if (program) {
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
	}
	close(ends[0]);
	close(ends[1]);
	munmap(buffer, LARGE);
}

static void check_heirs(void)
{
	check_heir(NULL, "no interrupts after the owner was killed while a child holds its descriptor",
		   "attach by a session without filter after the owner was killed");
	check_heir("/proc/self/exe",
		   "no interrupts after the owner executed a program while a child holds its descriptor",
		   "attach by a session without filter after the owner executed a program");
}

/* Makes the kernel switch from the sampled thread to this one, about a thousand times per second. */
static void *disturb(void *unused)
{
	(void)unused;
	run_on(0);
	tids[1] = gettid();
	while (!done)
		usleep(1000);
	return NULL;
}

static void print_samples(const char *path, const struct memphis_config *config, const struct thread_map *map)
{
	const struct memphis_accounting accounting = read_books(map);
	unsigned int counts[MEMPHIS_SOURCES][2] = {{0}};
	FILE *file = fopen(path, "w");
	uint64_t i, stores = 0;

	need(file, path);
	for (i = 0; i < map->status->head; i++) {
		const struct memphis_sample *sample = &map->records[i];

		stores += !!(sample->flags & MEMPHIS_FLAG_STORE);
		if (in_walk(sample->pc) && sample->flags & MEMPHIS_FLAG_LOAD)
			counts[sample->source][!!(sample->flags & MEMPHIS_FLAG_REMOTE)]++;
	}
	/* IBS starts each period at a random value from 0 to 127. */
	fprintf(file, "period %.1f\n", config->period - 63.5);
	print_walk(file);
	for (i = 0; i < 2 * MEMPHIS_SOURCES; i++)
		fprintf(file, "%u %s %u\n", (unsigned int)i / 2, i & 1 ? "remote" : "local",
			counts[i / 2][i & 1]);
	need(!fclose(file), path);
	check("the books balance", !accounting.lost && books_sum(&accounting) == accounting.interrupts);
	check_equal("interrupts of fast loads, of stores and of other ops",
		    config->hardware_filter ? accounting.filtered[MEMPHIS_REASON_NOT_MEMORY] +
						      accounting.filtered[MEMPHIS_REASON_LATENCY] + stores
					    : 0,
		    0);
	fprintf(stderr, "%llu interrupts, %llu kept\n", accounting.interrupts, accounting.kept);
}

static void sample(uint32_t filter, const char *path)
{
	struct memphis_config config = with_filter(filter);
	uint64_t *near = buffer_on(0, LARGE), *far = buffer_on(2, LARGE), *warm = buffer_on(0, MEDIUM);
	int fd = open_device();
	struct thread_map map;
	struct rusage usage;
	size_t base;
	uint32_t i;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	/* Evicts what is left of `far` in the other node's caches, from which it would be loaded instead of DRAM. */
	buffer_on(2, LARGE);
	run_on(0);
	map = attach_mapped(fd, 0, &config);
	for (i = 0; i < CHUNKS; i++) {
		/* walk() always takes the same steps; from different places they lead to different lines. */
		base = i * 977 * LINE % (LARGE / 2) / sizeof(*near);
		need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
		walk(near + base, LARGE / 2, LOADS);
		walk(far + base, LARGE / 2, LOADS);
		/* Pieces of equal length could get into step with the period. */
		walk(warm, MEDIUM, LOADS / 2 + (i * 2654435761u >> 16) % LOADS);
		need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	}
	getrusage(RUSAGE_THREAD, &usage);
	fprintf(stderr, "%u starts, %ld switches to other threads\n", CHUNKS,
		usage.ru_nivcsw + usage.ru_nvcsw);
	check("the thread was interrupted often", usage.ru_nivcsw + usage.ru_nvcsw > 100);
	print_samples(path, &config, &map);
	close_device(fd);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"none", "l3-miss", "latency"};
	pthread_t disturber;
	uint32_t offered, filter;
	int fd = open_device();

	if (argc == 1)
		return raise(SIGSTOP);
	need(argc == 4 || (argc == 3 && !strcmp(argv[2], "forbidden")),
	     "usage: filters OFFERED none|l3-miss|latency SAMPLES, or filters OFFERED forbidden");
	offered = strtoul(argv[1], NULL, 0);
	for (filter = 0; filter < 3 && strcmp(argv[2], names[filter]); filter++)
		;
	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	close_device(fd);
	if (argc == 3) {
		check_forbidden(offered);
		return 0;
	}
	run_on(0);
	tids[0] = gettid();
	need(!pthread_create(&disturber, NULL, disturb, NULL), "thread");
	while (!tids[1])
		usleep(1000);
	check_offers(offered);
	if (offered & 1u << MEMPHIS_HARDWARE_FILTER_L3_MISS) {
		check_totals();
		check_sharing(offered);
		check_heirs();
	}
	if (filter < 3)
		sample(filter, argv[3]);
	done = true;
	pthread_join(disturber, NULL);
	return 0;
}
