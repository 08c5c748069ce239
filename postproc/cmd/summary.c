// SPDX-License-Identifier: BSD-3-Clause
/* The two-line summary at the end of a recording. It uses the same accounting as the report. */
#include "cmd/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/order.h"
#include "view/accounting.h"
#include "base/text.h"

#define PREFIX "memphis record: "

/* Explanation for the most frequent filter reason. It is printed if no sample was kept. */
static const char *const hints[MEMPHIS_REASONS] = {
	[MEMPHIS_REASON_KERNEL_PC] = "most of the time was spent in the kernel",
	[MEMPHIS_REASON_NOT_MEMORY] = "too few interrupts for one to hit an access: try a shorter --period",
	[MEMPHIS_REASON_LOADS] = "--filter keeps no loads",
	[MEMPHIS_REASON_STORES] = "--filter keeps no stores",
	[MEMPHIS_REASON_NOT_DRAM] = "the data came from caches, and --filter keeps only DRAM",
	[MEMPHIS_REASON_LOCAL] =
		"the data was on the threads' own nodes, and --filter keeps only remote accesses: the sampled code has no NUMA problem",
	[MEMPHIS_REASON_LATENCY] = "no access took as long as --min-latency requires",
};

struct summary {
	struct memphis_processes processes;
	struct memphis_accounting_total accounting;
	uint64_t unsampled; /* number of threads that were not sampled */
	uint64_t paused;    /* number of processes that paused sampling */
	uint64_t untracked; /* number of processes with an allocator that the library could not track */
	const char *period;
	char **paths; /* paths of the files of the launch */
	size_t files, room;
	uint64_t bytes;
};

static void add_up(struct summary *summary)
{
	const struct memphis_selection all = {.node = -1};
	struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < summary->processes.count; i++) {
		process = &summary->processes.list[i];
		for (j = 0; j < process->thread_count; j++)
			process->threads[j].read = process->threads[j].samples;
		summary->unsampled += memphis_setting_number(&process->losses, "threads_unsampled", 0);
		summary->paused += memphis_setting_number(&process->settings, "pauses", 0) != 0;
		summary->untracked += memphis_setting(&process->settings, "allocator_ahead") ||
				      memphis_setting(&process->settings, "allocator_sizeless") ||
				      memphis_setting(&process->settings, "allocator_operators");
		if (!summary->period)
			summary->period = memphis_setting(&process->settings, "period");
	}
	memphis_account(&summary->processes, &all, &summary->accounting);
}

/* Adds the path of a file to the list of files to read. Returns 0 or -ENOMEM. */
static int add_file(struct summary *summary, const char *directory, const char *name)
{
	char **added, *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	added = memphis_append(summary->paths, summary->files, summary->room);
	if (added)
		*added = path;
	else
		free(path);
	return added ? 0 : -ENOMEM;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void forget(struct summary *summary)
{
	while (summary->files)
		free(summary->paths[--summary->files]);
	summary->bytes = 0;
	memphis_processes_close(&summary->processes);
	summary->processes.accounting_only = true;
}

/* Finds the files of the launch by their names, and adds up their sizes. Returns 0 or a negative errno. */
static int list_files(struct summary *summary, const char *directory, const char *launch)
{
	const size_t suffix = strlen(MEMPHIS_FILE_SUFFIX);
	DIR *files = opendir(directory);
	struct dirent *entry;
	struct stat status;
	char part[32];
	int rc = 0;

	snprintf(part, sizeof(part), ".%s.", launch);
	while (files && !rc && (entry = readdir(files))) {
		size_t bytes = strlen(entry->d_name);

		if (bytes < suffix || strcmp(entry->d_name + bytes - suffix, MEMPHIS_FILE_SUFFIX) ||
		    !strstr(entry->d_name, part) || fstatat(dirfd(files), entry->d_name, &status, 0))
			continue;
		summary->bytes += (uint64_t)status.st_size;
		rc = add_file(summary, directory, entry->d_name);
	}
	if (files)
		closedir(files);
	memphis_sort(summary->paths, summary->files, compare_paths);
	return rc;
}

/* Finds the files and loads their metadata. Returns 0, or a negative errno: -ENODATA if there is no file. */
static int load(struct summary *summary, const char *directory, const char *launch,
		struct memphis_error *error)
{
	int rc = list_files(summary, directory, launch);

	if (rc)
		return memphis_fail(error, rc, "%s: out of memory", directory);
	return summary->files
		       ? memphis_processes_load(&summary->processes, summary->paths, summary->files, error)
		       : -ENODATA;
}

/* Returns true if the process is on this host and is still running, or is a zombie that has not been reaped. */
static bool is_running(const struct memphis_process *process)
{
	const char *on = memphis_setting(&process->settings, "host");
	struct utsname host;

	uname(&host);
	return on && !strcmp(on, host.nodename) && (!kill((pid_t)process->pid, 0) || errno == EPERM);
}

/* Returns true if all files of the process have their final contents. */
static bool is_complete(const struct memphis_process *process)
{
	bool closed = process->closed;
	size_t i;

	for (i = 0; i < process->thread_count; i++)
		closed &= process->threads[i].closed;
	return closed || memphis_process_has_executed(process) || is_running(process);
}

/* Returns true if the file ends with an END chunk. */
static bool has_end(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct memphis_chunk chunk = {.magic = 0};
	struct stat status;
	bool end;

	end = fd >= 0 && !fstat(fd, &status) && status.st_size >= (off_t)sizeof(chunk) &&
	      pread(fd, &chunk, sizeof(chunk), status.st_size - (off_t)sizeof(chunk)) == sizeof(chunk) &&
	      chunk.magic == MEMPHIS_CHUNK_MAGIC && chunk.type == MEMPHIS_CHUNK_END;
	if (fd >= 0)
		close(fd);
	return end;
}

/*
 * After a process was killed, another process completes its files within half a second, unless that process
 * was killed too. Up to LOOKS checks are made, with LOOK_NS between them.
 */
enum { LOOKS = 100, LOOK_NS = 10000000 };

/* Waits until the file has its end. Returns the number of remaining checks. */
static unsigned int await_end(const char *path, unsigned int looks)
{
	const struct timespec between = {0, LOOK_NS};

	for (; looks && !has_end(path); looks--)
		nanosleep(&between, NULL);
	return looks;
}

/* Waits for incomplete files. Returns true if it waited, so that the files must be loaded again. */
static bool await_files(const struct memphis_processes *processes)
{
	const struct memphis_process *process;
	unsigned int looks = LOOKS;
	bool waited = false;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (is_complete(process))
			continue;
		waited = true;
		if (!process->closed)
			looks = await_end(process->path, looks);
		for (j = 0; j < process->thread_count; j++)
			if (!process->threads[j].closed)
				looks = await_end(process->threads[j].path, looks);
	}
	return waited;
}

static void put_count(struct memphis_text *text, uint64_t count, const char *what, const char *plural)
{
	memphis_text_print(text, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : plural);
}

static void put_where(const struct summary *summary, struct memphis_text *text)
{
	put_count(text, summary->accounting.sum.interrupts, "interrupt", "s");
	memphis_text_put(text, " in ");
	put_count(text, summary->accounting.threads, "thread", "s");
	if (summary->processes.count > 1)
		memphis_text_print(text, " of %zu processes", summary->processes.count);
}

/*
 * Prints the share of samples that were captured, of those that the period predicts. The prediction is the
 * sum of kept and lost samples. It is extrapolated to the time in which another user had the hardware, and to
 * the CPU time of threads that were found too late. If perf paused sampling, the share is an upper bound,
 * because the length of a pause is not known.
 */
static void put_capture(const struct summary *summary, struct memphis_text *text)
{
	const struct memphis_accounting_total *accounting = &summary->accounting;
	const struct memphis_accounting *sum = &accounting->sum;
	double captured = (double)sum->kept / (double)(sum->kept + sum->lost);
	double starved =
		accounting->enabled_ns ? (double)accounting->starved_ns / (double)accounting->enabled_ns : 0;
	double unseen = accounting->cpu_ns ? (double)accounting->unseen_ns / (double)accounting->cpu_ns : 0;

	memphis_text_print(text, ": %s%.1f %% of what the period predicts", sum->throttled ? "at most " : "",
			   100 * captured * (1 - starved) * (1 - unseen));
	if (accounting->starved_ns)
		memphis_text_print(text, ", another user had the hardware for %.1f %% of the time",
				   100 * starved);
	if (unseen > 0.01)
		memphis_text_print(text, ", threads that were not found in time had %.1f %% of the CPU time",
				   100 * unseen);
	if (sum->throttled)
		memphis_text_print(text, ", perf paused sampling %" PRIu64 " time%s",
				   (uint64_t)sum->throttled, sum->throttled == 1 ? "" : "s");
}

/* Returns the most frequent filter reason in [first, end). Returns MEMPHIS_REASONS_MAX if all counts are 0. */
static unsigned int most_filtered(const struct memphis_accounting *sum, unsigned int first, unsigned int end)
{
	unsigned int most = MEMPHIS_REASONS_MAX, i;

	for (i = first; i < end; i++)
		if (sum->filtered[i] &&
		    (most == MEMPHIS_REASONS_MAX || sum->filtered[i] > sum->filtered[most]))
			most = i;
	return most;
}

static void put_nothing(const struct summary *summary, struct memphis_text *text)
{
	const struct memphis_accounting *sum = &summary->accounting.sum;
	unsigned int most = most_filtered(sum, MEMPHIS_REASON_LOADS, MEMPHIS_REASON_LATENCY + 1);
	const char *what = "most accesses among them were filtered as";
	char room[24];

	/* Prefer filters that the user chose. They are more informative than the reason that interrupts hit no memory access. */
	if (most == MEMPHIS_REASONS_MAX) {
		most = most_filtered(sum, 0, MEMPHIS_REASONS_MAX);
		what = "most were filtered as";
	}

	memphis_text_put(text, "no sample was kept of ");
	put_where(summary, text);
	if (sum->lost)
		memphis_text_print(text, ", %" PRIu64 " were lost: try more --ring-records",
				   (uint64_t)sum->lost);
	else if (most < MEMPHIS_REASONS_MAX)
		memphis_text_print(text, ", %s %s%s%s", what, memphis_reason_label(most, room),
				   most < MEMPHIS_REASONS && hints[most] ? ": " : "",
				   most < MEMPHIS_REASONS && hints[most] ? hints[most] : "");
	else if (!sum->interrupts && summary->paused)
		memphis_text_put(text, ": the program paused sampling by memphis_pause()");
	else if (!summary->period)
		memphis_text_put(text, ": nothing is sampled with --backend none");
	else
		memphis_text_print(text,
				   ": the program did too little for the period %s; try a shorter --period",
				   summary->period);
}

/* Findings need 20 samples. If there were many interrupts, the cause of too few samples is a filter, not the period. */
enum { FEW_SAMPLES = 20, FEW_INTERRUPTS = 1000 };

static void put_few(const struct summary *summary, struct memphis_text *text)
{
	const struct memphis_accounting *sum = &summary->accounting.sum;

	if (sum->kept < FEW_SAMPLES && sum->interrupts < FEW_INTERRUPTS)
		memphis_text_print(text,
				   "; too few for findings: run longer, or with a --period shorter than %s",
				   summary->period ? summary->period : "this one");
}

static void put_samples(const struct summary *summary, struct memphis_text *text)
{
	const struct memphis_accounting *sum = &summary->accounting.sum;

	memphis_text_put(text, PREFIX);
	if (sum->kept) {
		put_count(text, sum->kept, "sample", "s");
		memphis_text_print(text, " kept, %" PRIu64 " lost, of ", (uint64_t)sum->lost);
		put_where(summary, text);
		put_capture(summary, text);
		put_few(summary, text);
	} else {
		put_nothing(summary, text);
	}
	if (summary->unsampled) {
		memphis_text_put(text, "; ");
		put_count(text, summary->unsampled, "thread", "s");
		memphis_text_put(text, " could not be sampled");
	}
	if (summary->untracked) {
		memphis_text_put(text, "; allocations of ");
		put_count(text, summary->untracked, "process", "es");
		memphis_text_put(text, " were not all tracked: see the notes of the report");
	}
	if (summary->accounting.unbalanced)
		memphis_text_print(text, "; THE BOOKS DO NOT BALANCE for %zu of them",
				   summary->accounting.unbalanced);
	memphis_text_put(text, "\n");
}

static void put_files(const struct summary *summary, const char *directory, struct memphis_text *text)
{
	const uint64_t kept = summary->accounting.sum.kept;

	memphis_text_print(text, PREFIX "files in %s (%zu, %" PRIu64 " KiB", directory, summary->files,
			   (summary->bytes + 1023) / 1024);
	if (kept)
		memphis_text_print(text, ", %.1f bytes per sample", (double)summary->bytes / (double)kept);
	memphis_text_print(text, "); next: memphis report %s\n", directory);
}

void memphis_summary_print(const char *directory, const char *launch, FILE *to)
{
	struct summary summary = {.processes = {.accounting_only = true}};
	struct memphis_error error = {""};
	struct memphis_text text = {0};
	int rc = load(&summary, directory, launch, &error);

	if (!rc && await_files(&summary.processes)) {
		forget(&summary);
		rc = load(&summary, directory, launch, &error);
	}
	/* The directories are not known here, because each process expands patterns such as %p itself. */
	if (strchr(directory, '%')) {
		fprintf(to, PREFIX "samples are in the directories %s; next: memphis report on them\n",
			directory);
	} else if (!summary.files && !*error.text) {
		fprintf(to,
			PREFIX
			"nothing was captured: there are no sample files of this run in %s\n" PREFIX
			"a line with \"not sampling\" says why; without one, the library was not loaded (a static program, a script's #! line that clears the environment ...), or with --calipers none was reached\n",
			directory);
	} else if (rc) {
		fprintf(to, PREFIX "%s\n" PREFIX "files in %s\n", error.text, directory);
	} else {
		add_up(&summary);
		put_samples(&summary, &text);
		put_files(&summary, directory, &text);
		if (!text.failed)
			fwrite(text.text, 1, text.bytes, to);
	}
	memphis_text_close(&text);
	forget(&summary);
	free(summary.paths);
}
