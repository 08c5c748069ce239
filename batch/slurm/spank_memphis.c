/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SPANK plugin for the option --memphis[=KEY=VALUE,...] of srun, sbatch and salloc. Requests the node with
 * the module, checks the values at submission, and sets the library's variables in each task. Without `ranks`,
 * all tasks on nodes with the device sample.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(memphis, 1);

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define NUMBER "(0|[1-9][0-9]{0,9})"
#define RANGE  NUMBER "(-" NUMBER ")?"
#define EVENT  "(load-latency|local-dram|remote-dram|remote-hitm|remote-forward)"
#define FILTER "(remote|dram|loads|stores)"

/* Variables of the library; a test compares the names with the library, which validates the values again. */
static const struct key {
	const char *name, *variable, *pattern, *accepts;
} keys[] = {
	{"period", "MEMPHIS_PERIOD", "auto|[1-9][0-9]{0,11}", "a positive number, or auto"},
	{"count", "MEMPHIS_COUNT", "ops|cycles|loads|auto", "ops, cycles, loads or auto"},
	{"event", "MEMPHIS_EVENT", "auto|" EVENT "(," EVENT ")*",
	 "auto, or a comma-separated list of load-latency, local-dram, remote-dram, remote-hitm, remote-forward"},
	{"filter", "MEMPHIS_FILTER", "none|" FILTER "(," FILTER ")*",
	 "none, or a comma-separated list of remote, dram, loads, stores"},
	{"hardware_filter", "MEMPHIS_HARDWARE_FILTER", "none|l3-miss|latency", "none, l3-miss or latency"},
	{"min_latency", "MEMPHIS_MIN_LATENCY",
	 "auto|[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]",
	 "a number of cycles from 0 to 65535, or auto"},
	{"ranks", "MEMPHIS_RANKS", "all|" RANGE "(," RANGE ")*", "all, or a list of ranks like 0,2-3"},
	{"output", "MEMPHIS_OUTPUT", "[^,=]+",
	 "a directory; %h, %p, %r and %j stand for host, pid, rank and job"},
	{"backend", "MEMPHIS_BACKEND", "device|perf|auto", "device, perf or auto"},
	{"alloc_min_bytes", "MEMPHIS_ALLOC_MIN_BYTES", "off|[0-9]{1,15}", "a number of bytes, or off"},
	{"small_bytes", "MEMPHIS_SMALL_BYTES", "[0-9]{1,12}", "a number of bytes, or 0"},
	{"stack_depth", "MEMPHIS_STACK_DEPTH", "[1-9]|[1-5][0-9]|6[0-4]", "a number from 1 to 64"},
	{"callers", "MEMPHIS_CALLERS", "off|[1-9][0-9]{1,4}", "a multiple of 8 from 64 to 16384, or off"},
	{"verbose", "MEMPHIS_VERBOSE", "[01]", "0 or 1"},
};

static char values[ARRAY_SIZE(keys)][256]; /* by index of keys[]; empty: not given */
static int asked;
static const char *device = "/dev/memphis";

static long find(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].name) == length && !memcmp(keys[i].name, name, length))
			return i;
	return -1;
}

static int fits(const struct key *key, const char *value)
{
	char pattern[256];
	regex_t regex;
	int result;

	snprintf(pattern, sizeof(pattern), "^(%s)$", key->pattern);
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return 0;
	result = !regexec(&regex, value, 0, NULL, 0);
	regfree(&regex);
	return result;
}

/* Parses KEY=VALUE,... into values[]. A word without `=` continues the list before it: filter=remote,loads,ranks=0,2-3. */
static int take(const char *text)
{
	long current = -1;
	size_t i, length;

	memset(values, 0, sizeof(values));
	for (;; text += length + 1) {
		const char *equals;
		size_t used;

		length = strcspn(text, ",");
		equals = memchr(text, '=', length);
		if (equals) {
			current = find(text, equals - text);
			if (current < 0 || values[current][0]) {
				slurm_error("memphis: %.*s: %s", (int)(equals - text), text,
					    current < 0 ? "no such key (--help lists the keys)"
							: "given twice");
				return -1;
			}
			equals++;
			used = length - (equals - text);
		} else {
			equals = text;
			used = length;
		}
		if (current < 0 || strlen(values[current]) + used + 2 > sizeof(values[0])) {
			slurm_error("memphis: %.*s: not KEY=VALUE", (int)length, text);
			return -1;
		}
		if (equals == text)
			strcat(values[current], ",");
		strncat(values[current], equals, used);
		if (equals != text && !used)
			strcpy(values[current], " "); /* reported below as an invalid value, not as missing */
		if (!text[length])
			break;
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!values[i][0] || fits(&keys[i], values[i]))
			continue;
		slurm_error("memphis: %s=%s: must be %s", keys[i].name, values[i], keys[i].accepts);
		return -1;
	}
	return 0;
}

/* Called at submission. Slurm refuses the job only if the return value is negative. */
static int take_option(int id, const char *text, int remote)
{
	(void)id;
	(void)remote;
	asked = 1;
	/* Slurm passes an option without a value as "(null)". */
	if (!text || !*text || !strcmp(text, "(null)"))
		return 0;
	return take(text);
}

/* Registered by a call, as Slurm reads option tables in srun and its tasks, but not in sbatch and salloc. */
static struct spank_option option = {
	"memphis",
	"[KEY=VALUE,...]",
	"have the node with memphis.ko; keys: period, count, event, filter, hardware_filter, min_latency, ranks, output, backend, alloc_min_bytes, small_bytes, stack_depth, callers, verbose",
	2,
	0,
	take_option};

int slurm_spank_init(spank_t spank, int ac, char **av)
{
	int i;

	for (i = 0; i < ac; i++) {
		if (!strncmp(av[i], "device=/", 8)) {
			device = av[i] + 7;
		} else {
			slurm_error("memphis: plugstack.conf: %s: must be device=PATH", av[i]);
			return -1;
		}
	}
	/* slurmd and its prologs have no command-line options. */
	if (spank_context() != S_CTX_LOCAL && spank_context() != S_CTX_ALLOCATOR &&
	    spank_context() != S_CTX_REMOTE)
		return 0;
	return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}

/* Passes the option to the controller's job_submit.lua, and as SPANK_MEMPHIS to prologs. */
int slurm_spank_init_post_opt(spank_t spank, int ac, char **av)
{
	(void)ac;
	(void)av;
	if (!asked || (spank_context() != S_CTX_LOCAL && spank_context() != S_CTX_ALLOCATOR))
		return 0;
	if (spank_job_control_setenv(spank, "MEMPHIS", "1", 1)) {
		slurm_error("memphis: cannot request the node with the module");
		return -1;
	}
	return 0;
}

/* Called on each node before its tasks start: sets their environment. */
int slurm_spank_user_init(spank_t spank, int ac, char **av)
{
	size_t i;

	(void)ac;
	(void)av;
	if (!asked)
		return 0;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (values[i][0])
			spank_setenv(spank, keys[i].variable, values[i], 1);
	if (strcmp(device, "/dev/memphis"))
		spank_setenv(spank, "MEMPHIS_DEVICE", device, 0);
	if (!values[find("ranks", 5)][0] && access(device, F_OK))
		spank_setenv(spank, "MEMPHIS_DISABLE", "1", 1);
	return 0;
}
