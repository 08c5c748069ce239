// SPDX-License-Identifier: BSD-3-Clause
/* memphis record: runs a program with the library preloaded, and samples it from start to end, or inside its calipers. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "base/library.h"
#include "cmd/record_counters.h"
#include "cmd/summary.h"
#include "launch/directory.h"
#include "launch/program.h"

struct output {
	char given[PATH_MAX]; /* the directory as the user specified it */
	char launch[MEMPHIS_LAUNCH_BYTES];
};

struct attachment {
	int pid;        /* 0: run a command instead */
	double seconds; /* 0: sample until the process ends */
	bool quiet;
};

#define OPTIONS 32

struct options {
	/* values of the library's settings, indexed by row of option_rows; NULL: not given */
	const char *values[OPTIONS];
	bool keep_going, calipers, mpi, io;
	struct attachment attachment;
};

/* Stores the value of a library setting. For an option without an argument, the value is 1. */
static bool parse_setting(const struct memphis_parsing *parsing, char *value);

static bool parse_mpi(const struct memphis_parsing *parsing, char *value)
{
	struct options *options = parsing->options;

	(void)value;
	options->mpi = options->io = true;
	return true;
}

/* Parses -p PID. The library can attach to only one process. */
static bool parse_pid(const struct memphis_parsing *parsing, char *value)
{
	int *pid = memphis_option_target(parsing);
	char *end;
	long number = strtol(value, &end, 10);

	if (*pid || *end == ',') {
		fputs("memphis record: -p: one process at a time; start memphis record once for each\n",
		      stderr);
		return false;
	}
	if (!*value || *end || number <= 0 || number > INT_MAX) {
		fprintf(stderr, "memphis record: -p: \"%s\" is not the number of a process\n", value);
		return false;
	}
	*pid = (int)number;
	return true;
}

static bool parse_duration(const struct memphis_parsing *parsing, char *value)
{
	char *end;
	const double seconds = strtod(value, &end);

	if (!*value || *end || !(seconds >= 0.001 && seconds <= 1e9))
		return memphis_option_refuse(parsing, value, "is not a number of seconds");
	*(double *)memphis_option_target(parsing) = seconds;
	return true;
}

#define AT(member) offsetof(struct options, member)
/* Options with a variable are passed to the library as this environment variable. */
static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("output", "DIR", "directory of the sample files (default memphis-HOST-PID)",
		       parse_setting, 0, .variable = "MEMPHIS_OUTPUT", .letter = 'o'),
	MEMPHIS_OPTION("backend", "device|perf|none|auto",
		       "sample with the module, with perf, not at all, or with what is available",
		       parse_setting, 0, .variable = "MEMPHIS_BACKEND"),
	MEMPHIS_OPTION("period", "N", "sample one in N", parse_setting, 0, .variable = "MEMPHIS_PERIOD"),
	MEMPHIS_OPTION("count", "ops|cycles|loads", "what the period counts", parse_setting, 0,
		       .variable = "MEMPHIS_COUNT"),
	MEMPHIS_OPTION("filter", "LIST", "keep only these: remote,dram,loads,stores", parse_setting, 0,
		       .variable = "MEMPHIS_FILTER"),
	MEMPHIS_OPTION("event", "LIST",
		       "Intel: load-latency,local-dram,remote-dram,remote-hitm,remote-forward", parse_setting,
		       0, .variable = "MEMPHIS_EVENT"),
	MEMPHIS_OPTION("hardware-filter", "WHICH",
		       "AMD: l3-miss, latency: the CPU drops all but (slow) L3 misses", parse_setting, 0,
		       .variable = "MEMPHIS_HARDWARE_FILTER"),
	MEMPHIS_OPTION("min-latency", "CYCLES", "keep only loads that took at least this long", parse_setting,
		       0, .variable = "MEMPHIS_MIN_LATENCY"),
	MEMPHIS_OPTION("ring-records", "N", "samples that each thread's ring holds", parse_setting, 0,
		       .variable = "MEMPHIS_RING_RECORDS"),
	MEMPHIS_OPTION("alloc-min-bytes", "N|off", "do not track smaller blocks", parse_setting, 0,
		       .variable = "MEMPHIS_ALLOC_MIN_BYTES"),
	MEMPHIS_OPTION("small-bytes", "N",
		       "of smaller blocks, record one in N bytes (default: 2048; 0: none)", parse_setting, 0,
		       .variable = "MEMPHIS_SMALL_BYTES"),
	MEMPHIS_OPTION("stack-depth", "N", "callers kept for each allocation", parse_setting, 0,
		       .variable = "MEMPHIS_STACK_DEPTH"),
	MEMPHIS_OPTION("callers", "BYTES|off",
		       "stack copied with samples in libraries, to find their callers", parse_setting, 0,
		       .variable = "MEMPHIS_CALLERS"),
	MEMPHIS_OPTION("program", "PATHS", "the program's own code, whose samples need no callers",
		       parse_setting, 0, .variable = "MEMPHIS_PROGRAM"),
	MEMPHIS_OPTION("counters", "LIST",
		       "also read these counters: numastat,vmstat,net,io,uncore,pcp:...,papi:...",
		       parse_setting, 0, .variable = "MEMPHIS_COUNTERS"),
	MEMPHIS_OPTION("region-counters", NULL, "count cycles and instructions of regions", parse_setting, 0,
		       .variable = "MEMPHIS_REGION_COUNTERS"),
	MEMPHIS_OPTION("region-events", "LIST", "also these events: cache-misses,r81d0,papi:PAPI_L2_TCM ...",
		       parse_setting, 0, .variable = "MEMPHIS_REGION_COUNTERS"),
	MEMPHIS_OPTION("spans", "DEPTH", "record when calipers begin and end, down to DEPTH (0: none)",
		       parse_setting, 0, .variable = "MEMPHIS_SPANS"),
	MEMPHIS_OPTION("mpi-events", NULL, "with --mpi: record each message and collective call, for traces",
		       parse_setting, 0, .variable = "MEMPHIS_MPI_EVENTS"),
	MEMPHIS_OPTION("counters-depth", "N", "also at the calipers inside the outermost one, to depth N",
		       parse_setting, 0, .variable = "MEMPHIS_COUNTERS_DEPTH"),
	MEMPHIS_OPTION("mpi", NULL, "measure calls of MPI functions, and waiting for other ranks; also I/O",
		       parse_mpi, 0),
	MEMPHIS_OPTION("io", NULL, "measure calls of I/O functions", memphis_parse_flag, AT(io)),
	MEMPHIS_OPTION("calipers", NULL, "sample only between memphis_begin() and memphis_end()",
		       memphis_parse_flag, AT(calipers)),
	MEMPHIS_OPTION("pid", "PID", "sample this running process", parse_pid, AT(attachment.pid),
		       .letter = 'p'),
	MEMPHIS_OPTION("duration", "SECONDS", "with -p: stop after this time", parse_duration,
		       AT(attachment.seconds)),
	MEMPHIS_OPTION("keep-going", NULL, "run COMMAND even if it can't be sampled", memphis_parse_flag,
		       AT(keep_going)),
	MEMPHIS_OPTION("quiet", NULL, "print no summary at the end", memphis_parse_flag, AT(attachment.quiet),
		       .letter = 'q'),
	{.name = NULL},
};
_Static_assert(sizeof(option_rows) / sizeof(*option_rows) <= OPTIONS, "a value for each row");

static bool parse_setting(const struct memphis_parsing *parsing, char *value)
{
	struct options *options = parsing->options;

	options->values[parsing->option - option_rows] = value ? value : "1";
	return true;
}

static void put_library(FILE *to)
{
	fputs("MEMPHIS_LIB=FILE replaces the tool's own " MEMPHIS_LIBRARY ".\n", to);
}

static const struct memphis_usage usage = {
	.command = "memphis record",
	.text = "usage: memphis record [options] [--] COMMAND [ARGUMENT...]\n"
		"       memphis record [options] -p PID\n"
		"Runs COMMAND with all its threads sampled from start to end, or with --calipers inside calipers.\n"
		"Its exit status is COMMAND's.\n"
		"Or samples a running process, until it ends or Ctrl-C; its allocations are not known.\n\n",
	.options = option_rows,
	.put_rest = put_library,
	.width = 26,
	.has_command = true,
};

/*
 * libmemphis is loaded into the tool for three purposes: for -p, which shares the sampling code, for checking
 * option values, and for probing the sampling hardware, so that the tool gets the same result as the command.
 */

/* Must match libsampler/control/attach_process.h. */
typedef int (*watch_fn)(pid_t pid, int stop, void (*begun)(unsigned int threads));
enum { WATCHED_FAILED = -1, WATCHED_STOPPED, WATCHED_ENDED, WATCHED_EXECUTED };

static const struct attachment *attachment; /* used by say_begun() */

static void *find(const char *library, const char *function)
{
	struct memphis_error error;
	void *found = memphis_library_function(library, function, &error);

	if (!found)
		fprintf(stderr, "memphis record: %s\n", error.text);
	return found;
}

/*
 * Asks the library whether the value of a setting is valid. Sets *accepts to NULL if it is, otherwise to a
 * description of valid values. Returns false after an error message if the library cannot be called.
 */
static bool refuses(const char *library, const char *variable, const char *value, const char **accepts)
{
	void *found = find(library, "memphis_refuses");
	const char *(*ask)(const char *, const char *);

	memcpy(&ask, &found, sizeof(ask));
	if (ask)
		*accepts = ask(variable, value);
	return ask;
}

/* Returns true if the library can sample on this machine. Otherwise, the library has printed the reason. */
static bool can_sample(const char *library)
{
	void *found = find(library, "memphis_probe");
	int (*probe)(void);

	memcpy(&probe, &found, sizeof(probe));
	return probe && !probe();
}

/* Returns a file descriptor that becomes readable on Ctrl-C, on other terminating signals, and when the duration has elapsed. */
static int stop_descriptor(void)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
	struct itimerval timer = {{0, 0}, {0, 0}};
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	timer.it_value.tv_sec = (time_t)attachment->seconds;
	timer.it_value.tv_usec =
		(suseconds_t)((attachment->seconds - (double)timer.it_value.tv_sec) * 1000000);
	if (fd >= 0)
		setitimer(ITIMER_REAL, &timer, NULL);
	return fd;
}

static void say_begun(unsigned int threads)
{
	if (!attachment->quiet)
		fprintf(stderr,
			"memphis record: process %d is sampled, %u thread%s so far; allocations are not known\n",
			attachment->pid, threads, threads == 1 ? "" : "s");
}

/*
 * Samples a running process with the library at `library`. Unless quiet, reports progress, and at the end the
 * sum over the files of this launch. Returns the exit status.
 */
static int attach(const struct attachment *asked, const char *library, const char *launch)
{
	void *found = find(library, "memphis_watch");
	watch_fn watch;
	int stop, how;

	memcpy(&watch, &found, sizeof(watch));
	if (!watch)
		return MEMPHIS_EXIT_ERROR;
	attachment = asked;
	stop = stop_descriptor();
	if (stop < 0) {
		fprintf(stderr, "memphis record: signalfd: %s\n", strerror(errno));
		return MEMPHIS_EXIT_ERROR;
	}
	how = watch(asked->pid, stop, say_begun);
	if (how == WATCHED_FAILED)
		return MEMPHIS_EXIT_ERROR;
	if (how == WATCHED_EXECUTED)
		fprintf(stderr,
			"memphis record: process %d executes another program, which is not sampled; memphis record -p %d samples it\n",
			asked->pid, asked->pid);
	if (!asked->quiet)
		memphis_summary_print(getenv("MEMPHIS_OUTPUT"), launch, stderr);
	return 0;
}

/* Checks that either a command or -p was given. Returns -1 to continue, otherwise the exit status. */
static int check_command(const struct options *options, bool has_command)
{
	const char *problem = NULL;

	if (options->attachment.pid && has_command)
		problem = "either -p PID or a COMMAND, not both";
	else if (!options->attachment.pid && options->attachment.seconds > 0)
		problem = "--duration needs -p PID; use timeout(1) for a command";
	else if (options->attachment.pid && options->calipers)
		problem = "--calipers needs a COMMAND; -p samples the process until it ends";
	else if (options->attachment.pid && options->io)
		problem = "--mpi and --io need a COMMAND; layers can't be loaded into a running process";
	else if (!options->attachment.pid && !has_command)
		problem = "no command; usage: memphis record [options] -- COMMAND [ARGUMENT...]";
	if (!problem)
		return -1;
	fprintf(stderr, "memphis record: %s\n", problem);
	return MEMPHIS_EXIT_USAGE;
}

/*
 * Exports the options as environment variables if the library accepts their values. Returns -1 to continue,
 * otherwise the exit status.
 */
static int pass(const struct options *options, const char *library)
{
	struct memphis_error error;
	const char *accepts, *value;
	char *translated;
	bool checks = true;
	const struct memphis_option *option;

	for (option = option_rows; option->name; option++) {
		value = options->values[option - option_rows];
		if (!value)
			continue;
		translated = NULL;
		if (!strcmp(option->name, "region-events") &&
		    memphis_record_counters(library, value, &translated, &error)) {
			fprintf(stderr, "memphis record: %s\n", error.text);
			return MEMPHIS_EXIT_USAGE;
		}
		value = translated ? translated : value;
		accepts = NULL;
		if (checks)
			checks = refuses(library, option->variable, value, &accepts);
		if (!checks && !options->keep_going)
			return MEMPHIS_EXIT_ERROR;
		if (accepts) {
			fprintf(stderr, "memphis record: --%s: \"%s\" is not accepted; use %s\n",
				option->name, value, accepts);
			return MEMPHIS_EXIT_USAGE;
		}
		setenv(option->variable, value, 1);
		free(translated);
	}
	return -1;
}

/* Sets `path` to the file that execvp() would execute. Returns false if there is none. */
static bool find_command(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH"), *end;
	struct stat status;

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return !access(path, F_OK);
	}
	for (list = list ? list : "/usr/bin:/bin"; *list; list = *end ? end + 1 : end) {
		end = list + strcspn(list, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - list), end == list ? "." : list, name);
		if (!access(path, X_OK) && !stat(path, &status) && S_ISREG(status.st_mode))
			return true;
	}
	return false;
}

/* Returns true if the program has a segment of this type. */
static bool has_segment(int fd, const Elf64_Ehdr *header, uint32_t type)
{
	Elf64_Phdr segment;
	int i;

	for (i = 0; i < header->e_phnum; i++) {
		off_t at = (off_t)(header->e_phoff + (uint64_t)i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) == sizeof(segment) && segment.p_type == type)
			return true;
	}
	return false;
}

/* Returns the reason why a library cannot be preloaded into this program, or NULL if it can. */
static const char *obstacle(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *reason = NULL;
	struct stat status;
	Elf64_Ehdr header;

	if (fd < 0)
		return NULL;
	/* Do not check scripts, because the kernel loads their interpreter instead. */
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		goto close;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
		reason = "is not an x86-64 program";
	else if (header.e_phentsize != sizeof(Elf64_Phdr) || !has_segment(fd, &header, PT_INTERP))
		reason =
			"is statically linked, so the library can't be loaded into it; link it dynamically, or link libmemphis.a into it and put calipers around the code of interest";
	else if (!fstat(fd, &status) && ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
					 (status.st_mode & S_ISGID && status.st_gid != getegid())))
		reason =
			"changes its user or group when started, and no library may be loaded into such programs";
close:
	close(fd);
	return reason;
}

/* Prepends `value` to the list in the environment variable. */
static int prepend(const char *variable, const char *value)
{
	const char *before = getenv(variable);
	char *list;
	int rc = asprintf(&list, "%s%s%s", value, before && *before ? ":" : "", before ? before : "");

	if (rc < 0)
		return -1;
	rc = setenv(variable, list, 1);
	free(list);
	return rc;
}

/* Without this setting, the library samples only inside calipers. */
static int choose_part(bool calipers)
{
	return calipers ? unsetenv("MEMPHIS_RECORD") : setenv("MEMPHIS_RECORD", "all", 1);
}

/*
 * Sets up the environment of the command. A program that was built with AddressSanitizer refuses to start
 * with a preloaded library unless verify_asan_link_order is 0. The library detects such programs and does not
 * sample them. The variable is always set, because the command may start such a program.
 */
static int preload(const char *library, const char *io, const char *mpi)
{
	return prepend("LD_PRELOAD", library) || (*io && prepend("LD_PRELOAD", io)) ||
	       (*mpi && prepend("LD_PRELOAD", mpi)) || prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
}

/* Prints that the command could not be started. Returns the exit status for this case. */
static int refuse_start(const char *command, int err)
{
	fprintf(stderr, "memphis record: %s: cannot start: %s\n", command, strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

/* Runs the command. Without a summary, nothing has to be done after the command, so the command replaces this process. */
static int run_command(char **command, const struct options *options, const struct output *output)
{
	int status, err;

	if (options->attachment.quiet)
		return refuse_start(*command, memphis_program_become(command));
	err = memphis_program_run(command, &status);
	if (err)
		return refuse_start(*command, err);
	memphis_summary_print(output->given, output->launch, stderr);
	return memphis_program_end_as(status);
}

/*
 * Sets the output directory explicitly, so that the summary can name it. The default is the library's default
 * directory. Its name contains the pid of this process or of the process of -p.
 */
static void choose_output(struct output *output, int pid)
{
	const char *given = getenv("MEMPHIS_OUTPUT");
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (given && *given)
		snprintf(output->given, sizeof(output->given), "%s", given);
	else
		snprintf(output->given, sizeof(output->given), "memphis-%s-%d", host, pid);
	setenv("MEMPHIS_OUTPUT", output->given, 1);
}

/* Creates the output directory. Returns true if files can be written there, otherwise false after an error message. */
static bool make_output(const struct output *output)
{
	char absolute[MEMPHIS_OUTPUT_BYTES];
	struct memphis_error error;

	if (memphis_directory_resolve(absolute, output->given, &error) ||
	    memphis_directory_try(absolute, &error)) {
		fprintf(stderr, "memphis record: %s\n", error.text);
		return false;
	}
	setenv("MEMPHIS_OUTPUT", absolute, 1);
	return true;
}

static int run(int count, char **arguments)
{
	struct options options = {.keep_going = false};
	struct output output = {.launch = ""};
	char library[PATH_MAX], path[PATH_MAX], mpi[PATH_MAX] = "", io[PATH_MAX] = "";
	struct memphis_error error;
	const char *reason;
	int rc = memphis_options_parse(&usage, count, arguments, &options);

	if (rc < 0)
		rc = check_command(&options, optind < count);
	if (rc >= 0)
		return rc;
	arguments += optind;
	if (!options.attachment.quiet) {
		memphis_launch_name(output.launch);
		/* Must be set before the library is loaded into this process. */
		setenv("MEMPHIS_LAUNCH", output.launch, 1);
	}
	if (memphis_library_find(library, &error)) {
		fprintf(stderr, "memphis record: %s\n", error.text);
		return MEMPHIS_EXIT_ERROR;
	}
	rc = pass(&options, library);
	if (rc >= 0)
		return rc;
	choose_output(&output, options.attachment.pid ? options.attachment.pid : (int)getpid());
	if (options.attachment.pid)
		return attach(&options.attachment, library, output.launch);
	if (!find_command(*arguments, path)) {
		fprintf(stderr, "memphis record: %s: no such command\n", *arguments);
		return 127;
	}
	reason = obstacle(path);
	if (reason)
		fprintf(stderr, "memphis record: %s %s\n", path, reason);
	if (!options.keep_going && (reason || !can_sample(library)))
		return MEMPHIS_EXIT_ERROR;
	if ((options.mpi && memphis_library_find_mpi(path, library, mpi, &error)) ||
	    (options.io && memphis_library_find_io(library, io, &error))) {
		fprintf(stderr, "memphis record: %s\n", error.text);
		return MEMPHIS_EXIT_ERROR;
	}
	if (!make_output(&output) && !options.keep_going)
		return MEMPHIS_EXIT_ERROR;
	if (preload(library, io, mpi) || choose_part(options.calipers)) {
		fputs("memphis record: out of memory\n", stderr);
		return MEMPHIS_EXIT_ERROR;
	}
	return run_command(arguments, &options, &output);
}

const struct memphis_command memphis_record = {"record", "runs a program and samples it", run};
