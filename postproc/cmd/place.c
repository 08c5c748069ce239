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

struct options {
	struct memphis_arguments input;
	bool json, pack;
};

#define AT(member) offsetof(struct options, member)
static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("process", "PID|RANK", "only this process, as in memphis report", memphis_parse_which,
		       AT(input.selection.which)),
	MEMPHIS_OPTION("pack", NULL, "a node may get as many threads as it has CPUs, while others stay empty",
		       memphis_parse_flag, AT(pack)),
	MEMPHIS_OPTION_TEXT_JSON(AT(json)),
	MEMPHIS_OPTION_OUTPUT(AT(input.output), MEMPHIS_OUTPUT_HELP),
	MEMPHIS_OPTION_JOBS(AT(input), MEMPHIS_JOBS_HELP),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis place",
	.text = "usage: memphis place [options] DIRECTORY|FILE...\n"
		"Proposes a NUMA node and a CPU for each thread, so that threads that share memory run on the same node, from sample\n"
		"files of a run on the same machine; and predicts the share of loads from remote memory.\n\n",
	.options = option_rows,
};

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

static int place(struct options *options, char **paths, size_t count)
{
	struct memphis_arguments *arguments = &options->input;
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

static int run(int count, char **list)
{
	struct options options = {.input = {.command = "memphis place",
					    .selection = {.kind = memphis_select_kind("all"), .node = -1}}};
	int status = memphis_options_parse(&usage, count, list, &options);

	if (status < 0 && optind == count) {
		fputs("memphis place: no input; give the directory that holds the sample files\n", stderr);
		status = memphis_options_refuse(usage.command);
	}
	if (status < 0)
		status = place(&options, list + optind, (size_t)(count - optind));
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_place = {"place", "proposes which thread should run on which node", run};
