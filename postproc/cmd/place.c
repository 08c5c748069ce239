// SPDX-License-Identifier: BSD-3-Clause
/* memphis place: proposes on which node and CPU each thread of the next run should run. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "analyse/analysis.h"
#include "base/terminal.h"
#include "cmd/arguments.h"
#include "cmd/command.h"
#include "place/proposal_text.h"
#include "read/process_name.h"

enum { OPTION_FORMAT = 256, OPTION_PACK, OPTION_PROCESS };

struct options {
	bool json, pack;
};

static const struct option long_options[] = {
	{"jobs", required_argument, NULL, MEMPHIS_OPTION_JOBS},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"pack", no_argument, NULL, OPTION_PACK},
	{"process", required_argument, NULL, OPTION_PROCESS},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *to)
{
	fputs("usage: memphis place [options] DIRECTORY|FILE...\n"
	      "Proposes a NUMA node and a CPU for each thread, so that threads that share memory run on the same node, from sample\n"
	      "files of a run on the same machine; and predicts the share of loads from remote memory.\n\n"
	      "  --process PID|RANK only this process, as in memphis report\n"
	      "  --pack             a node may get as many threads as it has CPUs, while others stay empty\n"
	      "  --format text|json (default text)\n"
	      "  -o, --output FILE  write there instead of to standard output\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n",
	      to);
}

static bool is_first_of_host(const struct memphis_profile *profile, const struct memphis_selection *selection,
			     uint32_t process)
{
	uint32_t i;

	if (!memphis_selection_has(selection, &profile->processes.list[process]))
		return false;
	for (i = 0; i < process; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i]) &&
		    memphis_process_same_host(&profile->processes.list[i], &profile->processes.list[process]))
			return false;
	return true;
}

static int put_all(const struct memphis_profile *profile, const struct memphis_selection *selection,
		   const struct options *options, struct memphis_text *text, struct memphis_error *error)
{
	struct memphis_json json = {.text = text};
	struct memphis_proposal proposal;
	const char *host;
	size_t made = 0;
	uint32_t i;
	int rc = 0, last = 0;

	if (options->json)
		memphis_json_open(&json, NULL, '[');
	for (i = 0; !rc && i < profile->processes.count; i++) {
		if (!is_first_of_host(profile, selection, i))
			continue;
		rc = memphis_proposal_make(&proposal, profile, selection, i, options->pack, error);
		if (rc == -ENODATA || rc == -EINVAL) {
			host = memphis_setting(&profile->processes.list[i].settings, "host");
			fprintf(stderr, "memphis place: host %s: %s\n", host ? host : "?", error->text);
			last = rc;
			rc = 0;
			memphis_proposal_close(&proposal);
			continue;
		}
		made++;
		if (!rc && options->json)
			memphis_proposal_json(&json, &proposal, profile);
		else if (!rc)
			memphis_proposal_text(text, &proposal, profile);
		memphis_proposal_close(&proposal);
	}
	if (options->json)
		memphis_json_close(&json, ']');
	return rc || made || !last ? rc : memphis_fail(error, last, "nothing is proposed for any host");
}

static int place(struct memphis_arguments *arguments, const struct options *options, char **paths,
		 size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_text text = {0};
	struct memphis_error error;
	int rc;

	arguments->reduction.sharing = true;
	arguments->selection.by_region = arguments->selection.by_thread = arguments->selection.all_apart =
		true;
	rc = memphis_analyse(&profile, paths, count, &arguments->selection, &arguments->reduction, &error);
	if (!rc)
		rc = put_all(&profile, &arguments->selection, options, &text, &error);
	if (!rc && text.failed)
		rc = memphis_fail(&error, -ENOMEM, "out of memory");
	if (!rc)
		rc = memphis_write_out(&text, arguments->output, false, &error);
	if (rc)
		fprintf(stderr, "memphis place: %s\n", error.text);
	memphis_text_close(&text);
	memphis_profile_close(&profile);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static bool parse(struct memphis_arguments *arguments, int option, struct options *options)
{
	switch (option) {
	case OPTION_FORMAT:
		options->json = !strcmp(optarg, "json");
		if (options->json || !strcmp(optarg, "text"))
			return true;
		fprintf(stderr, "memphis place: --format: \"%s\" is not one of text, json\n", optarg);
		return false;
	case OPTION_PACK:
		options->pack = true;
		return true;
	case OPTION_PROCESS:
		if (!memphis_which_parse(&arguments->selection.which, optarg))
			return true;
		fprintf(stderr,
			"memphis place: --process: \"%s\" is not one of PID, HOST:PID, \"rank N\", \"rank N on host HOST\"\n",
			optarg);
		return false;
	default:
		return memphis_arguments_parse(arguments, option, optarg);
	}
}

static int run(int count, char **list)
{
	struct memphis_arguments arguments = {.command = "memphis place",
					      .selection = {.kind = memphis_select_kind("all"), .node = -1}};
	int option, status = MEMPHIS_EXIT_USAGE;
	struct options options = {0};

	while ((option = getopt_long(count, list, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			status = 0;
			goto release;
		}
		if (!parse(&arguments, option, &options))
			goto help;
	}
	if (optind == count) {
		fputs("memphis place: no input; give the directory that holds the sample files\n", stderr);
		goto help;
	}
	status = place(&arguments, &options, list + optind, (size_t)(count - optind));
	goto release;

help:
	fputs("run 'memphis place --help' for usage\n", stderr);
release:
	memphis_arguments_close(&arguments);
	return status;
}

const struct memphis_command memphis_place = {"place", "proposes which thread should run on which node", run};
