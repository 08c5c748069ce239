// SPDX-License-Identifier: BSD-3-Clause
/* memphis record: runs a program with the library preloaded, sampled from its start to its end. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "base/library.h"
#include "cmd/record_attach.h"
#include "cmd/record_counters.h"
#include "cmd/summary.h"
#include "launch/directory.h"
#include "launch/program.h"

/* Options that are passed to the library, each as an environment variable. An option without an argument sets it to 1. */
static const struct passed {
	const char *option, *variable, *argument, *help;
} passed[] = {
	{"output", "MEMPHIS_OUTPUT", "DIR", "directory of the sample files (default memphis-HOST-PID)"},
	{"backend", "MEMPHIS_BACKEND", "device|perf|none|auto",
	 "sample with the module, with perf, not at all, or with what is available"},
	{"period", "MEMPHIS_PERIOD", "N", "sample one in N"},
	{"count", "MEMPHIS_COUNT", "ops|cycles|loads", "what the period counts"},
	{"filter", "MEMPHIS_FILTER", "LIST", "keep only these: remote,dram,loads,stores"},
	{"event", "MEMPHIS_EVENT", "LIST",
	 "Intel: load-latency,local-dram,remote-dram,remote-hitm,remote-forward"},
	{"hardware-filter", "MEMPHIS_HARDWARE_FILTER", "WHICH",
	 "AMD: l3-miss, latency: the CPU drops all but (slow) L3 misses"},
	{"min-latency", "MEMPHIS_MIN_LATENCY", "CYCLES", "keep only loads that took at least this long"},
	{"ring-records", "MEMPHIS_RING_RECORDS", "N", "samples that each thread's ring holds"},
	{"alloc-min-bytes", "MEMPHIS_ALLOC_MIN_BYTES", "N|off", "do not track smaller blocks"},
	{"small-bytes", "MEMPHIS_SMALL_BYTES", "N", "of smaller blocks, record one in N bytes (0: none)"},
	{"stack-depth", "MEMPHIS_STACK_DEPTH", "N", "callers kept for each allocation"},
	{"callers", "MEMPHIS_CALLERS", "BYTES|off",
	 "stack copied with samples in libraries, to find their callers"},
	{"program", "MEMPHIS_PROGRAM", "PATHS", "the program's own code, whose samples need no callers"},
	{"counters", "MEMPHIS_COUNTERS", "LIST",
	 "also read these counters: numastat,vmstat,net,io,uncore,pcp:...,papi:..."},
	{"region-counters", "MEMPHIS_REGION_COUNTERS", "", "count cycles and instructions of regions"},
	{"region-events", "MEMPHIS_REGION_COUNTERS", "LIST",
	 "also these events: cache-misses,r81d0,papi:PAPI_L2_TCM ..."},
	{"spans", "MEMPHIS_SPANS", "DEPTH", "record when calipers begin and end, down to DEPTH (0: none)"},
	{"mpi-events", "MEMPHIS_MPI_EVENTS", "",
	 "with --mpi: record each message and collective call, for traces"},
	{"counters-depth", "MEMPHIS_COUNTERS_DEPTH", "N",
	 "also at the calipers inside the outermost one, to depth N"},
};
#define PASSED (sizeof(passed) / sizeof(*passed))

static void usage(FILE *to)
{
	char head[64];
	size_t i;

	fputs("usage: memphis record [options] [--] COMMAND [ARGUMENT...]\n"
	      "       memphis record [options] -p PID\n"
	      "Runs COMMAND with all its threads sampled from start to end. Its exit status is COMMAND's.\n"
	      "Or samples a running process, until it ends or Ctrl-C; its allocations are not known.\n\n",
	      to);
	for (i = 0; i < PASSED; i++) {
		snprintf(head, sizeof(head), "%s--%s %s", i ? "" : "-o, ", passed[i].option,
			 passed[i].argument);
		fprintf(to, "  %-26s %s\n", head, passed[i].help);
	}
	fputs("  --mpi                      measure calls of MPI functions, and waiting for other ranks; also I/O\n"
	      "  --io                       measure calls of I/O functions\n"
	      "  -p, --pid PID              sample this running process\n"
	      "  --duration SECONDS         with -p: stop after this time\n"
	      "  --keep-going               run COMMAND even if it can't be sampled\n"
	      "  -q, --quiet                print no summary at the end\n"
	      "MEMPHIS_LIB=FILE replaces the tool's own " MEMPHIS_LIBRARY ".\n",
	      to);
}

struct output {
	char given[PATH_MAX]; /* the directory, as the user has named it */
	char launch[MEMPHIS_LAUNCH_BYTES];
};

struct options {
	const char *values[PASSED]; /* NULL: not given */
	bool keep_going, mpi, io;
	struct memphis_attachment attachment; /* pid 0: a command is run */
};

/* The library can attach to only one process. */
static bool parse_pid(struct options *options, const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	if (options->attachment.pid || *end == ',') {
		fputs("memphis record: -p: one process at a time; start memphis record once for each\n",
		      stderr);
		return false;
	}
	if (!*text || *end || pid <= 0 || pid > INT_MAX) {
		fprintf(stderr, "memphis record: -p: \"%s\" is not the number of a process\n", text);
		return false;
	}
	options->attachment.pid = (int)pid;
	return true;
}

static bool parse_duration(struct options *options, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!*text || *end || !(seconds >= 0.001 && seconds <= 1e9)) {
		fprintf(stderr, "memphis record: --duration: \"%s\" is not a number of seconds\n", text);
		return false;
	}
	options->attachment.seconds = seconds;
	return true;
}

/* Checks the operands: a command, or nothing with -p. Returns -1 to continue, else the exit status. */
static int check_command(const struct options *options, bool has_command)
{
	const char *problem = NULL;

	if (options->attachment.pid && has_command)
		problem = "either -p PID or a COMMAND, not both";
	else if (!options->attachment.pid && options->attachment.seconds > 0)
		problem = "--duration needs -p PID; use timeout(1) for a command";
	else if (options->attachment.pid && options->io)
		problem = "--mpi and --io need a COMMAND; layers can't be loaded into a running process";
	else if (!options->attachment.pid && !has_command)
		problem = "no command; usage: memphis record [options] -- COMMAND [ARGUMENT...]";
	if (!problem)
		return -1;
	fprintf(stderr, "memphis record: %s\n", problem);
	return MEMPHIS_EXIT_USAGE;
}

/* Returns -1 to continue, else the exit status (0 after --help). */
static int parse(int count, char **arguments, struct options *options)
{
	struct option list[PASSED + 8] = {{0}};
	int option;
	size_t i;

	for (i = 0; i < PASSED; i++)
		list[i] = (struct option){passed[i].option,
					  *passed[i].argument ? required_argument : no_argument, NULL,
					  256 + (int)i};
	/* The first option, --output, has a short form. */
	list[0].val = 'o';
	list[i++] = (struct option){"mpi", no_argument, NULL, 'm'};
	list[i++] = (struct option){"io", no_argument, NULL, 'i'};
	list[i++] = (struct option){"keep-going", no_argument, NULL, 'k'};
	list[i++] = (struct option){"quiet", no_argument, NULL, 'q'};
	list[i++] = (struct option){"pid", required_argument, NULL, 'p'};
	list[i++] = (struct option){"duration", required_argument, NULL, 'd'};
	list[i] = (struct option){"help", no_argument, NULL, 'h'};
	/* "+" stops parsing at the first operand; the rest are the arguments of the command. */
	while ((option = getopt_long(count, arguments, "+o:p:qh", list, NULL)) != -1) {
		if (option == 'o')
			option = 256;
		if (option >= 256) {
			options->values[option - 256] = optarg ? optarg : "1";
		} else if (option == 'k') {
			options->keep_going = true;
		} else if (option == 'm') {
			options->mpi = options->io = true;
		} else if (option == 'i') {
			options->io = true;
		} else if (option == 'q') {
			options->attachment.quiet = true;
		} else if (option == 'p' || option == 'd') {
			if (!(option == 'p' ? parse_pid : parse_duration)(options, optarg))
				return MEMPHIS_EXIT_USAGE;
		} else if (option == 'h') {
			usage(stdout);
			return 0;
		} else {
			fputs("run 'memphis record --help' for usage\n", stderr);
			return MEMPHIS_EXIT_USAGE;
		}
	}
	return check_command(options, optind < count);
}

/* Exports the options as environment variables if the library accepts their values. Returns -1 to continue, else the exit status. */
static int pass(const struct options *options, const char *library)
{
	struct memphis_error error;
	const char *accepts, *value;
	char *translated;
	bool checks = true;
	size_t i;

	for (i = 0; i < PASSED; i++) {
		value = options->values[i];
		if (!value)
			continue;
		translated = NULL;
		if (!strcmp(passed[i].option, "region-events") &&
		    memphis_record_counters(library, value, &translated, &error)) {
			fprintf(stderr, "memphis record: %s\n", error.text);
			return MEMPHIS_EXIT_USAGE;
		}
		value = translated ? translated : value;
		accepts = NULL;
		if (checks)
			checks = memphis_record_refuses(library, passed[i].variable, value, &accepts);
		if (!checks && !options->keep_going)
			return MEMPHIS_EXIT_ERROR;
		if (accepts) {
			fprintf(stderr, "memphis record: --%s: \"%s\" is not accepted; use %s\n",
				passed[i].option, value, accepts);
			return MEMPHIS_EXIT_USAGE;
		}
		setenv(passed[i].variable, value, 1);
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

/* Returns whether the program has a segment of this type. */
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

/* Returns why a library can't be preloaded into this program, or NULL. */
static const char *obstacle(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *reason = NULL;
	struct stat status;
	Elf64_Ehdr header;

	if (fd < 0)
		return NULL;
	/* Scripts are not checked, because the kernel loads their interpreter instead. */
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

/*
 * Sets up the environment of the command. A program built with AddressSanitizer refuses to start with a preloaded library unless
 * verify_asan_link_order is 0; the library detects such programs and does not sample them. The variable is always set, because the command
 * may start such a program.
 */
static int preload(const char *library, const char *io, const char *mpi)
{
	return prepend("LD_PRELOAD", library) || (*io && prepend("LD_PRELOAD", io)) ||
	       (*mpi && prepend("LD_PRELOAD", mpi)) || prepend("ASAN_OPTIONS", "verify_asan_link_order=0") ||
	       setenv("MEMPHIS_RECORD", "all", 1);
}

/* Returns the status of a command that could not be started. */
static int refuse_start(const char *command, int err)
{
	fprintf(stderr, "memphis record: %s: cannot start: %s\n", command, strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

/* Without a summary, nothing is left to do after the command, which thus takes the place of this process. */
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

/* Sets the library's default directory explicitly, with the pid of this process or of -p, so that the summary can name it. */
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

/* Makes the directory of the command. Returns whether files can be written there; if not, a message has been printed. */
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
	int rc = parse(count, arguments, &options);

	if (rc >= 0)
		return rc;
	arguments += optind;
	if (!options.attachment.quiet) {
		memphis_launch_name(output.launch);
		/* Before the library is loaded into this process. */
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
		return memphis_record_attach(&options.attachment, library, output.launch);
	if (!find_command(*arguments, path)) {
		fprintf(stderr, "memphis record: %s: no such command\n", *arguments);
		return 127;
	}
	reason = obstacle(path);
	if (reason)
		fprintf(stderr, "memphis record: %s %s\n", path, reason);
	if (!options.keep_going && (reason || !memphis_record_can_sample(library)))
		return MEMPHIS_EXIT_ERROR;
	if ((options.mpi && memphis_library_find_mpi(path, library, mpi, &error)) ||
	    (options.io && memphis_library_find_io(library, io, &error))) {
		fprintf(stderr, "memphis record: %s\n", error.text);
		return MEMPHIS_EXIT_ERROR;
	}
	if (!make_output(&output) && !options.keep_going)
		return MEMPHIS_EXIT_ERROR;
	if (preload(library, io, mpi)) {
		fputs("memphis record: out of memory\n", stderr);
		return MEMPHIS_EXIT_ERROR;
	}
	return run_command(arguments, &options, &output);
}

const struct memphis_command memphis_record = {"record", "runs a program and samples it", run};
