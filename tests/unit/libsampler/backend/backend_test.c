/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests what a user is told if no backend can be opened. The test stands in for perf, and for the CPU. If a test fails, a message
 * recommends to load a module that refuses this CPU, or is cut before its remedy.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../tap.h"
#include "backend/backend.h"
#include "backend/part.h"
#include "settings/env.h"

#define LOAD "load the module (modprobe memphis) on this node, or run on the node that has it"

/* The longest texts. */
static char of_module[MEMPHIS_REMEDY_BYTES], of_perf[MEMPHIS_REMEDY_BYTES];
static bool module_refuses;

bool memphis_part_module_refuses(char *text, size_t bytes)
{
	if (module_refuses)
		snprintf(text, bytes, "%s", of_module);
	return module_refuses;
}

struct memphis_cpu_part memphis_part(void)
{
	return (struct memphis_cpu_part){0};
}

static int perf_error;

static int open_perf(pid_t process, char *remedy, size_t bytes)
{
	(void)process;
	snprintf(remedy, bytes, "%s", of_perf);
	return perf_error;
}

const struct memphis_backend memphis_perf = {.name = "perf", .open = open_perf};

static void check(__u64 backend, const char *remedy, const char *sentence)
{
	struct memphis_query query;
	struct memphis_refusal refusal = {0};

	memphis_settings.backend = backend;
	snprintf(memphis_settings.device, sizeof(memphis_settings.device), "/dev/null-and-none");
	if (!ok(memphis_backend_query(&query, &refusal) == -ENODEV &&
			!strcmp(refusal.where, "/dev/null-and-none") && refusal.err == ENOENT &&
			!strcmp(refusal.remedy, remedy),
		"%s", sentence))
		printf("# %s: %d; %s\n", refusal.where, refusal.err, refusal.remedy);
}

int main(void)
{
	char text[3 * MEMPHIS_REMEDY_BYTES];

	memset(of_module, 'm', sizeof(of_module) - 1);
	memset(of_perf, 'p', sizeof(of_perf) - 1);

	check(MEMPHIS_BACKEND_DEVICE, LOAD, "without the device, the module has to be loaded");
	perf_error = -EACCES;
	snprintf(text, sizeof(text), "%s; nor by perf: Permission denied; %s", LOAD, of_perf);
	check(MEMPHIS_AUTO, text, "or perf has to be allowed");

	module_refuses = true;
	check(MEMPHIS_BACKEND_DEVICE, of_module, "loading is not recommended if the module refuses the CPU");
	snprintf(text, sizeof(text), "%s; nor by perf: Permission denied; %s", of_module, of_perf);
	check(MEMPHIS_AUTO, text, "the longest reasons of both backends are complete");
	perf_error = -ENODEV;
	memcpy(of_perf, of_module, sizeof(of_perf));
	check(MEMPHIS_AUTO, of_module, "the reason of both is stated once");
	return finish();
}
