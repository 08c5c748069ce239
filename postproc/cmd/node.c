// SPDX-License-Identifier: BSD-3-Clause
/* memphis node: checks whether this machine is fit for a measurement. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "cmd/selftest.h"
#include "node/cluster.h"
#include "node/node.h"
#include "base/clock.h"
#include "base/library.h"
#include "base/outfile.h"
#include "base/terminal.h"
#include "selftest/selftest.h"

/*
 * Additional exit status. As for all commands, 0 means success (here: the machine is fit), and 1 means an
 * error or that a needed check was impossible.
 */
#define EXIT_UNFIT 3

#define INTERVAL_MAX 3600

struct options {
	const char *root, *device, *save, *since, *baseline, *output, *color;
	int controllers; /* index of "on" or "off"; -1: not given */
	bool strict, measure, selftest, compare, json, no_pager;
	double interval, tolerance; /* interval in seconds; tolerance as a fraction */
	struct memphis_check_result *findings;
};

static struct memphis_check_result *find(const struct memphis_parsing *parsing, const char *name)
{
	const struct options *options = parsing->options;
	size_t i;

	for (i = 0; i < memphis_check_count; i++)
		if (!strcmp(memphis_checks[i].name, name))
			return &options->findings[i];
	fprintf(stderr, "memphis node: --%s: no check \"%s\"; memphis node --help lists them\n",
		parsing->option->name, name);
	return NULL;
}

static bool parse_ignore(const struct memphis_parsing *parsing, char *list)
{
	struct memphis_check_result *finding;
	char *name;

	while ((name = strsep(&list, ","))) {
		finding = find(parsing, name);
		if (!finding)
			return false;
		finding->ignored = true;
	}
	return true;
}

static bool parse_expect(const struct memphis_parsing *parsing, char *list)
{
	struct memphis_check_result *finding;
	char *name, *value;

	while ((name = strsep(&list, ","))) {
		value = strchr(name, '=');
		if (!value || !value[1])
			return memphis_option_refuse(parsing, name, "is not NAME=VALUE");
		*value++ = '\0';
		finding = find(parsing, name);
		if (!finding)
			return false;
		finding->expected = value;
	}
	return true;
}

static bool parse_real(const struct memphis_parsing *parsing, const char *text, double most)
{
	char why[64], *end;
	const double number = strtod(text, &end);

	snprintf(why, sizeof(why), "is not a number from 0 to %.0f", most);
	if (end == text || *end || !(number >= 0 && number <= most))
		return memphis_option_refuse(parsing, text, why);
	*(double *)memphis_option_target(parsing) = number;
	return true;
}

static bool parse_tolerance(const struct memphis_parsing *parsing, char *value)
{
	if (!parse_real(parsing, value, 1000))
		return false;
	*(double *)memphis_option_target(parsing) /= 100;
	return true;
}

static bool parse_interval(const struct memphis_parsing *parsing, char *value)
{
	return parse_real(parsing, value, INTERVAL_MAX);
}

static const char *const on_or_off[] = {"on", "off", NULL};

#define AT(member) offsetof(struct options, member)
static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("expect", "NAME=VALUE",
		       "this check must find VALUE; \"N+\": N or more (repeatable, or a list)", parse_expect,
		       0),
	MEMPHIS_OPTION("ignore", "NAME", "skip this check (repeatable, or a list)", parse_ignore, 0),
	MEMPHIS_OPTION("strict", NULL, "a warning makes the machine unfit, too", memphis_parse_flag,
		       AT(strict)),
	MEMPHIS_OPTION("measure", NULL, "measure memory between all nodes, and DGEMM (some seconds)",
		       memphis_parse_flag, AT(measure)),
	MEMPHIS_OPTION("selftest", NULL, "instead of the checks, sample known accesses and judge the samples",
		       memphis_parse_flag, AT(selftest)),
	MEMPHIS_OPTION("compare", NULL,
		       "instead of the checks, list the fastest and slowest of saved measurements",
		       memphis_parse_flag, AT(compare)),
	MEMPHIS_OPTION(
		"controllers", NULL,
		"instead of the checks, let users of the device read the memory controllers'\n"
		"                     counters, which count all traffic of this machine, or no longer (root only)",
		memphis_parse_word, AT(controllers), .words = MEMPHIS_WORDS(on_or_off)),
	MEMPHIS_OPTION("save", "FILE", "write the results of --measure, for --baseline and memphis report",
		       memphis_parse_text, AT(save)),
	MEMPHIS_OPTION("baseline", "FILE",
		       "compare with results saved on this machine, or one of the same type",
		       memphis_parse_text, AT(baseline)),
	MEMPHIS_OPTION("tolerance", "N",
		       "percent by which values may be worse than the baseline (default 20)", parse_tolerance,
		       AT(tolerance)),
	MEMPHIS_OPTION(
		"since", "FILE",
		"count errors of memory, PCIe and ports also since the last look, whose counts are in FILE",
		memphis_parse_text, AT(since)),
	MEMPHIS_OPTION("interval", "N", "seconds for which load and interrupts are watched (default 1)",
		       parse_interval, AT(interval)),
	MEMPHIS_OPTION("device", "FILE", "the device (default /dev/memphis)", memphis_parse_text, AT(device)),
	MEMPHIS_OPTION("root", "DIR", "look for /proc, /sys and /dev below DIR", memphis_parse_text,
		       AT(root)),
	MEMPHIS_OPTION_TEXT_JSON(AT(json)),
	MEMPHIS_OPTION_OUTPUT(AT(output), MEMPHIS_OUTPUT_HELP),
	MEMPHIS_OPTION_COLOR(AT(color)),
	MEMPHIS_OPTION_NO_PAGER(AT(no_pager)),
	{.name = NULL},
};

static void put_checks(FILE *to)
{
	size_t i;

	fputs("\nThe checks:\n", to);
	for (i = 0; i < memphis_check_count; i++)
		fprintf(to, "    %-16s %s\n", memphis_checks[i].name, memphis_checks[i].title);
}

static const struct memphis_usage usage = {
	.command = "memphis node",
	.text = "usage: memphis node [options]\n"
		"       memphis node --compare [options] HOST.node|DIRECTORY...\n"
		"Checks whether this machine is fit for a measurement, and prints problems with advice.\n"
		"Exit status: 0 fit, 3 unfit, 1 could not be checked, 2 wrong usage.\n\n",
	.options = option_rows,
	.put_rest = put_checks,
};

/* Returns true if an option for the checks was given: --since, --expect or --ignore. */
static bool names_checks(const struct options *options)
{
	size_t i;

	if (options->since)
		return true;
	for (i = 0; i < memphis_check_count; i++)
		if (options->findings[i].ignored || options->findings[i].expected)
			return true;
	return false;
}

static bool make_sense(const struct options *options)
{
	if ((options->save || options->baseline) && !options->measure)
		fputs("memphis node: --save and --baseline need --measure\n", stderr);
	else if (*options->root && options->measure)
		fputs("memphis node: --measure measures this machine, not the files below --root\n", stderr);
	else if (options->selftest && (options->measure || *options->root || names_checks(options)))
		fputs("memphis node: --selftest makes no checks: it can't be combined with --measure, --root, --since, --expect and --ignore\n",
		      stderr);
	else if (options->compare &&
		 (options->measure || options->selftest || *options->root || names_checks(options)))
		fputs("memphis node: --compare makes no checks: it can't be combined with --measure, --selftest, --root, --since, --expect and --ignore\n",
		      stderr);
	else if (options->controllers >= 0 &&
		 (options->compare || options->selftest || options->measure || names_checks(options)))
		fputs("memphis node: --controllers makes no checks: it can't be combined with --compare, --selftest, --measure, --since, --expect and --ignore\n",
		      stderr);
	else
		return true;
	return false;
}

/* Must match libsampler/control/attach_process.h. */
typedef int (*offer_fn)(struct memphis_query *query, const char **backend, char *reason, size_t bytes);

static void ask_library(struct memphis_offer *offer, const char *device)
{
	char library[PATH_MAX], reason[2048] = "";
	struct memphis_error error;
	void *found = NULL;
	offer_fn ask;
	int rc;

	if (!memphis_library_find(library, &error))
		found = memphis_library_function(library, "memphis_offer", &error);
	if (!found) {
		snprintf(offer->refusal, sizeof(offer->refusal), "%.2000s", error.text);
		return;
	}
	/*
	 * Let the library try only perf. The device has already been tried, and the library would return the
	 * error of the device.
	 */
	setenv("MEMPHIS_DEVICE", device, 1);
	setenv("MEMPHIS_BACKEND", "perf", 1);
	memcpy(&ask, &found, sizeof(ask));
	rc = ask(&offer->query, &offer->by, reason, sizeof(reason));
	if (!rc)
		return;
	offer->by = NULL;
	snprintf(offer->refusal, sizeof(offer->refusal), "%s", reason);
	/* perf returns these errors for events that the hardware lacks, or that this kernel does not support on this hardware. */
	offer->is_lacking = rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODATA;
}

/*
 * Finds out what this user can sample on this machine, and how. First queries the device below the root
 * directory. If that fails and the root is the running system, asks the library what perf offers, as memphis
 * record does. MEMPHIS_BACKEND restricts this to one of them.
 */
static void find_offer(struct memphis_offer *offer, const char *root, const char *device)
{
	const char *backend = getenv("MEMPHIS_BACKEND");
	const bool only_perf = backend && !strcmp(backend, "perf"),
		   only_device = backend && !strcmp(backend, "device");
	char reason[320] = ""; /* error message of the device */
	bool opened;
	int rc;

	memset(offer, 0, sizeof(*offer));
	if (!only_perf) {
		rc = memphis_device_query(&offer->query, root, device, &opened);
		if (!rc && memphis_device_is_known(&offer->query)) {
			offer->by = "device";
			return;
		}
		snprintf(reason, sizeof(reason), "%.200s: %s", device,
			 rc ? strerror(-rc) : "the module has another version than this tool");
	}
	snprintf(offer->refusal, sizeof(offer->refusal), "%s", reason);
	if (*root || only_device)
		return;
	ask_library(offer, device);
	if (!offer->by && *reason)
		snprintf(offer->refusal + strlen(offer->refusal),
			 sizeof(offer->refusal) - strlen(offer->refusal), "; nor by the device: %s", reason);
}

/* The data on which the verdict is based. */
struct making {
	struct memphis_machine machine;
	struct memphis_machine_counters before, quiet, after;
	struct memphis_error_counts last;
	bool has_last;
	struct memphis_matrices matrices, baseline;
	struct memphis_offer offer;
	struct memphis_error error;
};

/* Loads the error counts of the last look. Before the first look, the file does not exist, which is no error. */
static int load_last(struct making *making, const char *path)
{
	int rc = memphis_error_counts_load(&making->last, path, &making->error);

	making->has_last = !rc;
	if (!rc && strcmp(making->last.host, making->machine.host))
		return memphis_fail(&making->error, -EINVAL, "--since: %s: the counts of another machine, %s",
				    path, making->last.host);
	return rc == -ENOENT ? 0 : rc;
}

/* Saves the error counts. A user may be allowed to run the checks but not to write this file, which is no error. */
static int save_last(struct making *making, const char *path)
{
	int rc = memphis_error_counts_save(&making->after.errors, path, &making->error);

	if (rc != -EACCES && rc != -EPERM && rc != -EROFS)
		return rc;
	fprintf(stderr, "memphis node: --since: %s; the counts in it stay those of the last look\n",
		making->error.text);
	return 0;
}

static int gather(struct making *making, const struct options *options)
{
	int rc = memphis_machine_open(&making->machine, options->root, &making->error);

	find_offer(&making->offer, options->root, options->device);

	/*
	 * -ENOTSUP: the tool was built without hwloc. The checks that need hwloc then report that they could
	 * not be made.
	 */
	if (rc && rc != -ENOTSUP)
		return rc;
	if (options->baseline) {
		rc = memphis_matrices_load(&making->baseline, options->baseline, &making->error);
		if (rc)
			return rc;
	}
	if (options->since) {
		rc = load_last(making, options->since);
		if (rc)
			return rc;
	}
	if (options->save) {
		rc = memphis_outfile_check(options->save, &making->error);
		if (rc)
			return rc;
	}
	if (memphis_machine_counters_read(&making->before, &making->machine))
		return memphis_fail(&making->error, -ENOMEM, "out of memory");
	memphis_clock_wait(options->interval);
	if (memphis_machine_counters_read(&making->quiet, &making->machine))
		return memphis_fail(&making->error, -ENOMEM, "out of memory");
	if (options->measure) {
		rc = memphis_matrices_measure(&making->matrices, &making->machine, &making->error);
		if (rc)
			return rc;
	}
	if (memphis_machine_counters_read(&making->after, &making->machine))
		return memphis_fail(&making->error, -ENOMEM, "out of memory");
	return options->save ? memphis_matrices_save(&making->matrices, options->save, &making->error) : 0;
}

static int write_out(const struct options *options, const struct memphis_text *text,
		     struct memphis_error *error)
{
	return memphis_write_out(text, options->output, !options->no_pager, error);
}

static void choose_color(const struct options *options, struct memphis_text *text)
{
	if (!options->output || strcmp(options->color, "auto"))
		memphis_parse_color(options->color, &text->color);
}

static const int statuses[] = {
	[MEMPHIS_VERDICT_OK] = 0,
	[MEMPHIS_VERDICT_FAIL] = EXIT_UNFIT,
	[MEMPHIS_VERDICT_UNKNOWN] = MEMPHIS_EXIT_ERROR,
};

static int selftest(const struct options *options)
{
	enum memphis_verdict verdict = MEMPHIS_VERDICT_UNKNOWN;
	struct memphis_machine machine;
	struct memphis_offer offer;
	struct memphis_selftest_request request = {.machine = &machine,
						   .offer = &offer,
						   .device = options->device,
						   .json = options->json,
						   .strict = options->strict};
	struct memphis_text text = {0};
	struct memphis_error error;
	int rc = memphis_machine_open(&machine, "", &error);

	choose_color(options, &text);
	if (!rc) {
		find_offer(&offer, "", options->device);
		rc = memphis_selftest(&request, &verdict, &text, &error);
	}
	if (!rc)
		rc = write_out(options, &text, &error);
	if (rc)
		fprintf(stderr, "memphis node: --selftest: %s\n", error.text);
	if (!rc && *request.kept)
		fprintf(stderr, "memphis node: the samples are kept in %s; memphis dump prints them\n",
			request.kept);
	memphis_text_close(&text);
	memphis_machine_close(&machine);
	return rc ? MEMPHIS_EXIT_ERROR : statuses[verdict];
}

/* Compares the saved measurements of several hosts. Returns EXIT_UNFIT if a host is slower than the others. */
static int compare(const struct options *options, char *const *paths, size_t count)
{
	struct memphis_cluster cluster = {.count = 0};
	struct memphis_text text = {0};
	struct memphis_error error;
	size_t slow = 0;
	int rc = memphis_cluster_load(&cluster, paths, count, &error);
	const bool all = !cluster.left_out.bytes;
	struct memphis_span lines = {cluster.left_out.text, cluster.left_out.bytes}, line;

	while (!all && memphis_next_line(&lines, &line))
		fprintf(stderr, "memphis node: --compare: %.*s; left out\n", (int)line.bytes, line.text);
	if (!rc && (options->json ? memphis_cluster_json : memphis_cluster_text)(&cluster, &slow, &text))
		rc = memphis_fail(&error, -ENOMEM, "out of memory");
	if (!rc)
		rc = write_out(options, &text, &error);
	if (rc)
		fprintf(stderr, "memphis node: --compare: %s\n", error.text);
	memphis_text_close(&text);
	memphis_cluster_close(&cluster);
	return rc ? MEMPHIS_EXIT_ERROR : slow ? EXIT_UNFIT : all ? 0 : MEMPHIS_EXIT_ERROR;
}

/* Type of memphis_controllers_list() in libmemphis.so (libsampler/counters/uncore_find.h). */
typedef int (*controllers_fn)(const char *root, char *list, size_t bytes);

/*
 * Sets `list` to the counters that --counters uncore reads. A function of the library finds them. Returns a
 * negative errno on failure.
 */
static int find_controllers(const char *root, char *list, struct memphis_error *error)
{
	char library[PATH_MAX];
	controllers_fn find;
	void *found = NULL;
	int rc = memphis_library_find(library, error);

	if (!rc)
		found = memphis_library_function(library, "memphis_controllers_list", error);
	if (!found)
		return -ENOSYS;
	memcpy(&find, &found, sizeof(find));
	rc = find(root, list, MEMPHIS_CONTROLLERS_BYTES);
	if (rc == -ENOENT)
		return memphis_fail(
			error, rc,
			"the kernel shows no counters of memory controllers, as in virtual machines; on AMD since Zen 4, load their driver: modprobe amd_uncore");
	return rc < 0 ? memphis_fail(error, rc, "the list of counters: %s", strerror(-rc)) : 0;
}

static int switch_controllers(const struct options *options)
{
	const bool on = options->controllers == 0;
	char list[MEMPHIS_CONTROLLERS_BYTES] = "\n";
	struct memphis_text text = {0};
	struct memphis_error error;
	int rc = on ? find_controllers(options->root, list, &error) : 0;

	if (!rc)
		rc = memphis_controllers_write(options->root, list, &error);
	if (!rc) {
		memphis_text_put(
			&text,
			on ? "all who may open the device can now read the memory traffic of this machine: "
			   : "the device shows no memory traffic of this machine");
		if (on)
			memphis_controllers_names(&text, list);
		memphis_text_put(&text, "\n");
		rc = write_out(options, &text, &error);
	}
	if (rc)
		fprintf(stderr, "memphis node: --controllers: %s\n", error.text);
	memphis_text_close(&text);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int node(const struct options *options)
{
	struct making making = {0};
	struct memphis_examination examination = {
		.machine = &making.machine,
		.before = &making.before,
		.quiet = &making.quiet,
		.after = &making.after,
		.matrices = options->measure ? &making.matrices : NULL,
		.baseline = options->baseline ? &making.baseline : NULL,
		.device = options->device,
		.offer = &making.offer,
		.tolerance = options->tolerance,
	};
	enum memphis_verdict verdict = MEMPHIS_VERDICT_UNKNOWN;
	struct memphis_text text = {0};
	int rc = gather(&making, options);

	if (!rc) {
		examination.last = making.has_last ? &making.last : NULL;
		memphis_examine(&examination, options->findings);
		verdict = memphis_judge(options->findings, options->strict);
		choose_color(options, &text);
		(options->json ? memphis_node_json : memphis_node_text)(&examination, options->findings,
									verdict, &text);
		rc = write_out(options, &text, &making.error);
		memphis_text_close(&text);
	}
	/*
	 * If a check of errors failed, keep the old counts, so that these errors are still new in the next
	 * look and the check fails again.
	 */
	if (!rc && options->since && !(making.has_last && memphis_errors_failed(options->findings)))
		rc = save_last(&making, options->since);
	if (rc)
		fprintf(stderr, "memphis node: %s\n", making.error.text);
	memphis_error_counts_close(&making.last);
	memphis_matrices_close(&making.matrices);
	memphis_matrices_close(&making.baseline);
	memphis_machine_counters_close(&making.before);
	memphis_machine_counters_close(&making.quiet);
	memphis_machine_counters_close(&making.after);
	memphis_machine_close(&making.machine);
	return rc ? MEMPHIS_EXIT_ERROR : statuses[verdict];
}

static int run(int count, char **arguments)
{
	struct memphis_check_result *findings = calloc(memphis_check_count, sizeof(*findings));
	struct options options = {.root = "",
				  .device = "/dev/memphis",
				  .color = "auto",
				  .controllers = -1,
				  .interval = 1,
				  .tolerance = 0.2,
				  .findings = findings};
	int status;

	if (!findings) {
		fputs("memphis node: out of memory\n", stderr);
		return MEMPHIS_EXIT_ERROR;
	}
	status = memphis_options_parse(&usage, count, arguments, &options);
	if (status >= 0)
		goto out;
	if (options.compare && optind == count)
		fputs("memphis node: --compare: no measurements; give files of memphis node --save, or their directory\n",
		      stderr);
	else if (!options.compare && optind < count)
		fprintf(stderr, "memphis node: unexpected argument \"%s\"; memphis node takes options only\n",
			arguments[optind]);
	else if (make_sense(&options)) {
		if (options.compare)
			status = compare(&options, arguments + optind, (size_t)(count - optind));
		else if (options.controllers >= 0)
			status = switch_controllers(&options);
		else
			status = options.selftest ? selftest(&options) : node(&options);
		goto out;
	}
	status = memphis_options_refuse(usage.command);
out:
	memphis_findings_of_checks_close(findings);
	free(findings);
	return status;
}

const struct memphis_command memphis_node_command = {
	"node", "checks whether this machine is fit for a measurement", run};

const struct memphis_command memphis_selftest_pattern = {MEMPHIS_PATTERN_COMMAND, NULL, memphis_pattern_run};
