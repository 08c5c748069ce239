/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings from the environment and by name. If this fails, users get other samples than they requested. */
#include <stdlib.h>
#include <string.h>

#include <memphis/device.h>

#include "settings/env.h"
#include "base/say.h"
#include "../../tap.h"

static const struct memphis_env_settings *s = &memphis_settings;

/* Returns what memphis_env_complain() writes to stderr. */
static const char *complaint(void)
{
	static char text[2048];
	int pipes[2], saved = dup(2);
	ssize_t got;

	if (pipe(pipes) || dup2(pipes[1], 2) < 0)
		return "no pipe";
	memphis_say_setup();
	memphis_env_complain();
	dup2(saved, 2);
	close(saved);
	close(pipes[1]);
	got = read(pipes[0], text, sizeof(text) - 1);
	text[got > 0 ? got : 0] = '\0';
	close(pipes[0]);
	return text;
}

static void check_defaults(void)
{
	memphis_env_load();
	ok(!strcmp(s->output, "memphis-%h-%p") && !strcmp(s->device, "/dev/memphis"),
	   "output and device have default paths");
	ok(s->period == MEMPHIS_AUTO && s->count == MEMPHIS_AUTO && s->min_latency == MEMPHIS_AUTO,
	   "period, count and latency are left to the hardware");
	ok(!s->drop && !s->hardware_filter, "by default nothing is filtered");
	ok(s->ring_records == 8192 && s->alloc_min_bytes == 4096 && s->alloc_max_records == 4000000 &&
		   s->stack_depth == MEMPHIS_AUTO,
	   "ring, allocation tracking and stacks have default sizes");
	ok(!*s->counters && s->counters_interval_ms == 1000,
	   "by default no counters are read; the interval is a second");
	ok(s->region_times && !s->region_counters.on, "by default regions have times, but no counters");
	ok(!s->record && !s->disable && !s->verbose, "by default no switch is on");
	is(s->kokkos, MEMPHIS_KOKKOS_ALL, "by default all of a Kokkos program is sampled");
	ok(!*complaint(), "the defaults cause no complaint");
}

static void check_values(void)
{
	is(memphis_env_set("period", "65536"), 0, "a number is accepted");
	is(s->period, 65536, "an accepted number is stored unchanged");
	is(memphis_env_set("period", "0x10000"), 0, "a hexadecimal number is accepted");
	is(memphis_env_set("period", "64k"), (__u64)-EINVAL, "a number with a suffix is refused");
	is(memphis_env_set("period", "-5"), (__u64)-EINVAL, "a negative number is refused");
	is(memphis_env_set("period", ""), (__u64)-EINVAL, "an empty number is refused");
	is(s->period, 65536, "a refused value changes nothing");
	is(memphis_env_set("period", "auto"), 0, "the period may be set to auto");
	is(s->period, MEMPHIS_AUTO, "auto leaves the period to the hardware again");
	is(memphis_env_set("periode", "1"), (__u64)-ENOENT, "an unknown key has its own error");
	is(memphis_env_set("ring_records", "3000"), (__u64)-EINVAL,
	   "a ring size that is no power of two is refused");
	memphis_env_set("count", "cycles");
	is(s->count, MEMPHIS_COUNT_CYCLES, "cycles can be counted");
	memphis_env_set("count", "loads");
	is(s->count, MEMPHIS_COUNT_LOADS, "loads can be counted");
	is(memphis_env_set("count", "load"), (__u64)-EINVAL, "an unknown event to count is refused");
	memphis_env_set("filter", "remote,dram");
	is(s->drop, MEMPHIS_DROP_LOCAL | MEMPHIS_DROP_NOT_DRAM,
	   "a filter drops everything that it does not name");
	memphis_env_set("filter", "loads");
	is(s->drop, MEMPHIS_DROP_STORES, "a filter for loads drops stores");
	memphis_env_set("filter", "loads,stores");
	is(s->drop, 0, "a filter for loads and stores drops nothing");
	is(memphis_env_set("filter", "remote,"), (__u64)-EINVAL, "an empty word in a filter is refused");
	is(memphis_env_set("filter", "remot"), (__u64)-EINVAL, "an unknown word in a filter is refused");
	is(memphis_env_set("hardware_filter", "latency"), 0, "a filter of the hardware is accepted");
	is(s->hardware_filter, MEMPHIS_HARDWARE_FILTER_LATENCY, "an accepted filter is stored");
	is(memphis_env_set("hardware_filter", "l3"), (__u64)-EINVAL, "an unknown filter is refused");
	memphis_env_set("hardware_filter", "none");
	is(s->hardware_filter, MEMPHIS_HARDWARE_FILTER_NONE, "the filter can be switched off");
	is(memphis_env_set("kokkos", "nested"), 0, "a known word for kokkos is accepted");
	is(s->kokkos, MEMPHIS_KOKKOS_NESTED, "an accepted word for kokkos is stored");
	is(memphis_env_set("kokkos", "kernels"), (__u64)-EINVAL, "an unknown word for kokkos is refused");
	memphis_env_set("alloc_min_bytes", "off");
	is(s->alloc_min_bytes, UINT64_MAX, "tracking of allocations can be switched off");
	is(memphis_env_set("record", "some"), (__u64)-EINVAL, "record takes no other word than all");
	is(memphis_env_set("output", "a-%q"), (__u64)-EINVAL, "an unknown % sequence is refused");
}

static void check_counters(void)
{
	static const char *const good[] = {
		"numastat",
		"numastat,net vmstat\tio , uncore",
		"pcp:kernel.all.load[1 minute],hinv.ncpu net",
		"net,papi:perf::PAGE-FAULTS,net:::eth0:rx:bytes pcp:a[x,y z]",
	};
	static const char *const bad[] = {
		"numa", "net:eth0", "pcp", "pcp:", "pcp:a,,b", "pcp:a[1", "pcp:[1]", "net pcp: io", "off net",
	};
	char names[MEMPHIS_COUNTER_LIST_MAX], name[64];
	const char *at = names;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		ok(!memphis_env_set("counters", good[i]) && !strcmp(s->counters, good[i]),
		   "the list of counters '%s' is accepted", good[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ok(memphis_env_set("counters", bad[i]) == -EINVAL && !strcmp(s->counters, good[3]),
		   "the list of counters '%s' is refused", bad[i]);
	ok(memphis_counters_wants(s->counters, "net", names) && !*names,
	   "a source without names is found in the list");
	ok(!memphis_counters_wants(s->counters, "io", names),
	   "a source that is not in the list is not found");
	ok(memphis_counters_wants("pcp:a[x,y z],b net pcp:c", "pcp", names) && !strcmp(names, "a[x,y z],b,c"),
	   "the names of a source that is listed twice are joined");
	ok(memphis_counters_name(&at, name, sizeof(name)) && !strcmp(name, "a[x,y z]"),
	   "a comma in brackets does not separate names");
	ok(memphis_counters_name(&at, name, sizeof(name)) && !strcmp(name, "b"),
	   "a comma outside brackets separates names");
	ok(memphis_counters_name(&at, name, sizeof(name)) && !strcmp(name, "c"), "the last name is returned");
	ok(!memphis_counters_name(&at, name, sizeof(name)), "after the last name there is none");
	ok(!memphis_env_set("counters", "off") && !*s->counters, "off empties the list");
	is(memphis_env_set("counters_interval_ms", "10"), 0, "an interval of 10 ms is accepted");
	is(memphis_env_set("counters_interval_ms", "9"), (__u64)-EINVAL,
	   "an interval below 10 ms is refused");
}

static void check_environment(void)
{
	setenv("MEMPHIS_PERIOD", "many", 1);
	setenv("MEMPHIS_MIN_LATENCY", "70000", 1);
	setenv("MEMPHIS_COUNT", "ops", 1);
	setenv("MEMPHIS_RECORD", "all", 1);
	memphis_env_load();
	is(s->period, MEMPHIS_AUTO, "a bad value in the environment leaves the default");
	is(s->min_latency, MEMPHIS_AUTO, "a second bad value leaves its default, too");
	is(s->record, 1, "a good value beside bad ones counts");
	ok(!strcmp(complaint(),
		   "memphis: MEMPHIS_PERIOD=many is invalid, using auto; valid values: a positive number, or auto\n"
		   "memphis: MEMPHIS_MIN_LATENCY=70000 is invalid, using auto; valid values: cycles, 0 to 65535, or auto\n"),
	   "each bad value is reported in a line");
	ok(!*complaint(), "bad values are reported once");
}

static void check_expansion(void)
{
	char text[128], expected[128], host[65];

	gethostname(host, sizeof(host));
	snprintf(expected, sizeof(expected), "%s/%d/0/nojob/%%", host, (int)getpid());
	is(memphis_env_expand(text, sizeof(text), "%h/%p/%r/%j/%%"), 0, "a pattern is expanded");
	ok(!strcmp(text, expected), "a pattern expands to host, pid, rank and job");
	setenv("SLURM_JOB_ID", "12345", 1);
	setenv("PMI_RANK", "7", 1);
	memphis_env_expand(text, sizeof(text), "%j.%r");
	ok(!strcmp(text, "12345.7"), "job and rank come from the batch system and MPI");
	is(memphis_env_expand(text, 4, "%j"), (__u64)-ENAMETOOLONG,
	   "an expansion that is too long is refused");
}

/* Each launcher sets environment variables of its own. */
static void check_launchers(void)
{
	static const struct {
		const char *launcher, *rank[2], *ranks[2], *local_rank[2], *job[2];
	} launchers[] = {
		{"Open MPI",
		 {"OMPI_COMM_WORLD_RANK", "3"},
		 {"OMPI_COMM_WORLD_SIZE", "8"},
		 {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
		 {0}},
		{"MPICH", {"PMI_RANK", "3"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "1"}, {0}},
		{"Slurm",
		 {"SLURM_PROCID", "3"},
		 {"SLURM_NTASKS", "8"},
		 {"SLURM_LOCALID", "1"},
		 {"SLURM_JOB_ID", "77"}},
		{"PMIx", {"PMIX_RANK", "3"}, {0}, {0}, {0}},
		{"PALS", {"PALS_RANKID", "3"}, {0}, {"PALS_LOCAL_RANKID", "1"}, {0}},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		const char *const *const set[] = {launchers[i].rank, launchers[i].ranks,
						  launchers[i].local_rank, launchers[i].job};
		const char *const *const names[] = {memphis_env_rank, memphis_env_ranks,
						    memphis_env_local_rank, memphis_env_job};
		int right = 1;
		size_t j;

		clearenv();
		for (j = 0; j < 4; j++)
			if (set[j][0])
				setenv(set[j][0], set[j][1], 1);
		for (j = 0; j < 4; j++) {
			const char *value = memphis_env_first(names[j]);

			right = right && (set[j][0] ? value && !strcmp(value, set[j][1]) : !value);
		}
		ok(right, "rank, ranks, local rank and job are found with %s", launchers[i].launcher);
	}
	/* mpirun of Open MPI in a Slurm job: the job step has one task per node. */
	clearenv();
	setenv("SLURM_PROCID", "0", 1);
	setenv("OMPI_COMM_WORLD_RANK", "5", 1);
	ok(!strcmp(memphis_env_first(memphis_env_rank), "5"),
	   "the launcher that started the program takes precedence");
}

static void check_ranks(void)
{
	static const struct {
		const char *list, *rank;
		int chosen, speaks;
	} cases[] = {
		{"all", NULL, 1, 1},  {"all", "0", 1, 1},   {"all", "1", 1, 0},   {"1", "1", 1, 1},
		{"1", "0", 0, 0},     {"0,2-3", "2", 1, 0}, {"0,2-3", "3", 1, 0}, {"0,2-3", "1", 0, 0},
		{"4-6,2", "2", 1, 1}, {"4-6,2", "4", 1, 0}, {"0", NULL, 0, 1},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		clearenv();
		memphis_env_set("ranks", cases[i].list);
		if (cases[i].rank)
			setenv("PMI_RANK", cases[i].rank, 1);
		ok(memphis_env_is_chosen() == cases[i].chosen && memphis_env_speaks() == cases[i].speaks,
		   "with ranks '%s', rank %s is %schosen and %s", cases[i].list,
		   cases[i].rank ? cases[i].rank : "(none)", cases[i].chosen ? "" : "not ",
		   cases[i].speaks ? "prints messages" : "is silent");
	}
	memphis_env_set("ranks", "all");
	is(memphis_env_set("ranks", ""), (__u64)-EINVAL, "an empty list of ranks is refused");
	is(memphis_env_set("ranks", "1,"), (__u64)-EINVAL,
	   "a list of ranks that ends with a comma is refused");
	is(memphis_env_set("ranks", "3-1"), (__u64)-EINVAL, "a descending range of ranks is refused");
	is(memphis_env_set("ranks", "1-"), (__u64)-EINVAL, "an open range of ranks is refused");
	is(memphis_env_set("ranks", "some"), (__u64)-EINVAL, "an unknown word for ranks is refused");
	ok(!*s->ranks, "refused lists leave all ranks chosen");
}

int main(void)
{
	/* The test may itself run with settings, in a batch job, or as an MPI rank. */
	clearenv();
	check_defaults();
	check_values();
	check_counters();
	check_environment();
	check_expansion();
	check_launchers();
	check_ranks();
	return finish();
}
