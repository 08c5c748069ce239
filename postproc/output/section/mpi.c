// SPDX-License-Identifier: BSD-3-Clause
/* What MPI ranks wait for, and their I/O: findings and tables, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "output/section/section.h"
#include "output/section/waiting.h"
#include "read/thread.h"
#include "view/counters_table.h"

#define RANKS_NAMED 8  /* maximum number of ranks listed in a sentence */
#define PAGE_RANKS  32 /* maximum number of ranks, and of files, on the page of a job */
#define LABEL       "   %-10s"
#define HANGING     10

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Appends a share of the time, or "?" if the time is not known. */
static void put_share(struct memphis_text *text, uint64_t part, uint64_t whole)
{
	if (whole)
		memphis_text_print(text, " %6.1f %%", percent(part, whole));
	else
		memphis_text_print(text, " %8s", "?");
}

static void put_value_cell(struct memphis_text *text, uint64_t value, const char *unit)
{
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, " %9s", value ? memphis_counters_print(buffer, (double)value, unit) : "-");
}

static void put_count_cell(struct memphis_text *text, uint64_t count)
{
	memphis_text_print(text, " %9" PRIu64, count);
}

/* Appends the time waited. Appends "?" if the length of no wait is known. */
static void put_waited(struct memphis_text *text, const struct memphis_mpi_sum *sum)
{
	if (sum->waits && !sum->known)
		memphis_text_print(text, " %9s", "?");
	else
		put_value_cell(text, sum->waited_ns, "ns");
}

static void put_rank(struct memphis_text *text, const struct memphis_mpi_rank *rank, bool io, bool remote)
{
	const struct memphis_mpi_sum *sum = &rank->sum;
	const uint64_t outside = sum->ns + rank->io.ns;
	int place;

	memphis_text_print(text, "%6" PRIu32, rank->rank);
	put_share(text, rank->ns > outside ? rank->ns - outside : 0, rank->ns);
	put_share(text, sum->ns, rank->ns);
	if (io)
		put_share(text, rank->io.ns, rank->ns);
	put_share(text, sum->waited_ns, sum->waits && !sum->known ? 0 : rank->ns);
	put_value_cell(text, sum->ns, "ns");
	put_count_cell(text, sum->calls);
	put_value_cell(text, sum->sent_bytes, "bytes");
	put_value_cell(text, sum->received_bytes, "bytes");
	if (io) {
		put_value_cell(text, rank->io.sent_bytes, "bytes");
		put_value_cell(text, rank->io.received_bytes, "bytes");
	}
	for (place = 0; remote && place < MEMPHIS_MPI_PLACES; place++)
		put_value_cell(text, (uint64_t)rank->remote[place].value, "count");
	memphis_text_put(text, "\n");
}

static bool has_remote(const struct memphis_mpi_waits *waits)
{
	size_t i;
	int place;

	for (i = 0; i < waits->rank_count; i++)
		for (place = 0; place < MEMPHIS_MPI_PLACES; place++)
			if (waits->ranks[i].remote[place].value > 0)
				return true;
	return false;
}

static struct memphis_mpi_sum sum_ranks(const struct memphis_mpi_waits *waits, struct memphis_mpi_sum *io,
					uint64_t *ns, size_t *compared)
{
	struct memphis_mpi_sum sum = {0};
	size_t i;

	*ns = *compared = 0;
	*io = sum;
	for (i = 0; i < waits->rank_count; i++) {
		memphis_mpi_sum_add(&sum, &waits->ranks[i].sum);
		memphis_mpi_sum_add(io, &waits->ranks[i].io);
		*ns += waits->ranks[i].ns;
		*compared += waits->ranks[i].compared;
	}
	return sum;
}

/* Returns the number of MPI functions, or of I/O functions, that were called. */
static size_t count_functions(const struct memphis_mpi_waits *waits, bool io)
{
	size_t count = 0, i;

	for (i = 0; i < waits->call_count; i++)
		count += waits->calls[i].io == io;
	return count;
}

static void put_ranks(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const size_t shown = memphis_shown(waits->rank_count, report->view->top);
	const bool remote = has_remote(waits), io = count_functions(waits, true) > 0;
	size_t i;

	memphis_text_print(text, "%6s %8s %8s", "rank", "compute", "MPI");
	if (io)
		memphis_text_print(text, " %8s", "I/O");
	memphis_text_print(text, " %8s %9s %9s %9s %9s", "waiting", "in MPI", "calls", "sent", "received");
	if (io)
		memphis_text_print(text, " %9s %9s", "written", "read");
	if (remote)
		memphis_text_print(text, " %9s %9s", "remote", "in MPI");
	memphis_text_put(text, "\n");
	for (i = 0; i < shown; i++)
		put_rank(text, &waits->ranks[i], io, remote);
	if (shown < waits->rank_count)
		memphis_text_print(text, "... %zu more ranks\n", waits->rank_count - shown);
	if (remote)
		memphis_text_put(text, "remote: cycles of waiting for remote DRAM, outside MPI and in MPI\n");
	memphis_text_put(text, "\n");
}

static void put_region(const struct memphis_report *report, struct memphis_text *text, uint32_t call)
{
	const char *region = memphis_mpi_call_region(&report->mpi, call);

	if (*region)
		memphis_text_put_plain(text, region);
	else
		memphis_text_put(text, report->mpi.calls[call].inside ? "(no region)" : "(not sampled)");
}

/* Appends the table of MPI functions or of I/O functions. */
static void put_calls(const struct memphis_report *report, struct memphis_text *text, bool io)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const size_t count = count_functions(waits, io);
	const struct memphis_mpi_call *call;
	size_t shown = 0, i;

	if (!count)
		return;
	if (io)
		memphis_text_print(text, "%9s %9s %9s %9s %6s  function, region\n", "in I/O", "calls",
				   "written", "read", "ranks");
	else
		memphis_text_print(text, "%9s %9s %9s %9s %9s %6s  function, region\n", "in MPI", "waited",
				   "calls", "sent", "received", "ranks");
	for (i = 0; i < waits->call_count && !(report->view->top && shown == report->view->top); i++) {
		call = &waits->calls[waits->shown[i]];
		if (call->io != io)
			continue;
		shown++;
		put_value_cell(text, call->sum.ns, "ns");
		if (!io)
			put_waited(text, &call->sum);
		put_count_cell(text, call->sum.calls);
		put_value_cell(text, call->sum.sent_bytes, "bytes");
		put_value_cell(text, call->sum.received_bytes, "bytes");
		memphis_text_print_plain(text, " %6" PRIu32 "  %s, ", call->ranks,
					 memphis_mpi_call_function(waits, waits->shown[i]));
		put_region(report, text, waits->shown[i]);
		memphis_text_put(text, "\n");
	}
	if (shown < count)
		memphis_text_print(text, "... %zu more\n", count - shown);
	memphis_text_put(text, "\n");
}

static void put_files(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const size_t shown = memphis_shown(waits->file_count, report->view->top);
	const struct memphis_mpi_file *file;
	size_t i;

	if (!waits->file_count)
		return;
	memphis_text_print(text, "%9s %9s %9s %9s %6s  file\n", "in I/O", "calls", "written", "read",
			   "ranks");
	for (i = 0; i < shown; i++) {
		file = &waits->files[i];
		put_value_cell(text, file->sum.ns, "ns");
		put_count_cell(text, file->sum.calls);
		put_value_cell(text, file->sum.sent_bytes, "bytes");
		put_value_cell(text, file->sum.received_bytes, "bytes");
		memphis_text_print_plain(text, " %6" PRIu32 "  %s\n", file->ranks,
					 file->path ? file->path : "(none or unknown)");
	}
	if (shown < waits->file_count)
		memphis_text_print(text, "... %zu more files\n", waits->file_count - shown);
	memphis_text_put(text, "\n");
}

/* Appends the time that all ranks together spent in I/O, and its share of their time. */
static void put_io(struct memphis_text *text, const struct memphis_mpi_sum *io, uint64_t ns)
{
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, "%s in I/O", memphis_counters_print(buffer, (double)io->ns, "ns"));
	if (ns)
		memphis_text_print(text, ", %.1f %%", percent(io->ns, ns));
	if (io->sent_bytes)
		memphis_text_print(text, ", %s written",
				   memphis_counters_print(buffer, (double)io->sent_bytes, "bytes"));
	if (io->received_bytes)
		memphis_text_print(text, ", %s read",
				   memphis_counters_print(buffer, (double)io->received_bytes, "bytes"));
}

/*
 * Appends the time that all ranks together spent in MPI and in I/O, its share of their time, and the number
 * of waits of unknown length.
 */
static void put_summary(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const bool mpi = count_functions(waits, false) > 0;
	struct memphis_text lines = {0};
	struct memphis_mpi_sum io;
	size_t compared;
	uint64_t ns;
	const struct memphis_mpi_sum sum = sum_ranks(waits, &io, &ns, &compared);
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(&lines, "%zu %s%s: ", waits->rank_count, mpi ? "rank" : "process",
			   waits->rank_count == 1 ? ""
			   : mpi                  ? "s"
						  : "es");
	if (mpi)
		memphis_text_print(&lines, "%s in MPI", memphis_counters_print(buffer, (double)sum.ns, "ns"));
	if (mpi && ns)
		memphis_text_print(&lines, ", %.1f %% of their time", percent(sum.ns, ns));
	if (sum.known) {
		memphis_text_print(&lines, "; %s waiting for other ranks",
				   memphis_counters_print(buffer, (double)sum.waited_ns, "ns"));
		if (ns)
			memphis_text_print(&lines, ", %.1f %%", percent(sum.waited_ns, ns));
	}
	if (io.calls) {
		memphis_text_put(&lines, mpi ? "; " : "");
		put_io(&lines, &io, ns);
	}
	memphis_text_put(&lines, "\n");
	if (sum.known < sum.waits)
		memphis_text_print(
			&lines, "waits: %llu of %llu messages and collective calls are not known: %s\n",
			sum.waits - sum.known, sum.waits,
			compared < waits->rank_count
				? "ranks ended without MPI_Finalize()"
				: "beyond the limit of the log, or between calls that can't be compared");
	if (waits->clock_error_ns)
		memphis_text_print(&lines, "clocks: times of different machines may be wrong by %s\n",
				   memphis_counters_print(buffer, (double)waits->clock_error_ns, "ns"));
	memphis_layout_wrap(text, &lines, 4);
	memphis_text_close(&lines);
	memphis_text_put(text, "\n");
}

/* Appends "rank 2" or "ranks 2, 4 and 5 more". */
static void put_waiting_ranks(const struct memphis_report *report, struct memphis_text *text,
			      const struct memphis_mpi_finding *finding)
{
	const size_t named = finding->rank_count <= RANKS_NAMED ? finding->rank_count : RANKS_NAMED;
	size_t i;

	memphis_text_put(text, finding->rank_count == 1 ? "rank " : "ranks ");
	for (i = 0; i < named; i++)
		memphis_text_print(text, "%s%" PRIu32, i ? ", " : "",
				   report->mpi.ranks[finding->ranks[i]].rank);
	if (named < finding->rank_count)
		memphis_text_print(text, " and %zu more", finding->rank_count - named);
	memphis_text_put(text, finding->rank_count == 1 ? " waits" : " wait");
}

/*
 * Texts for each pattern: the event for which the waiting ranks wait, and advice. '#' is replaced by the
 * number of the late rank.
 */
static const struct words {
	const char *waiting, *advice;
} words[MEMPHIS_MPI_PATTERNS] = {
	[MEMPHIS_MPI_LATE_SENDER] =
		{"for messages that rank # begins to send late",
		 "let rank # send earlier; or let the others work while they wait, with MPI_Irecv() before and MPI_Wait() after the work"},
	[MEMPHIS_MPI_LATE_RANK] =
		{"for rank #, which comes last",
		 "give rank # less work before the call: memphis report --by region --process 'rank #' shows its regions"},
	[MEMPHIS_MPI_IMBALANCE] = {"for the rank that comes last, which differs",
				   "divide the work before the call evenly among the ranks"},
	[MEMPHIS_MPI_WRITER] =
		{"for rank #, which writes",
		 "let each rank write its part: MPI_File_write_at_all() on one file, or a file for each rank or node; or let rank # write while the others go on"},
};

static void put_with_rank(struct memphis_text *text, const char *pattern, int32_t late)
{
	for (; *pattern; pattern++) {
		if (*pattern == '#')
			memphis_text_print(text, "%" PRId32, late);
		else
			memphis_text_add(text, pattern, 1);
	}
}

static void put_finding_sentence(const struct memphis_report *report, struct memphis_text *text,
				 const struct memphis_mpi_finding *finding)
{
	put_waiting_ranks(report, text, finding);
	memphis_text_print(text, " %.1f %% of %s time ", 100 * finding->share,
			   finding->rank_count == 1 ? "its" : "their");
	if (*memphis_mpi_call_region(&report->mpi, finding->call)) {
		memphis_text_put(text, "in region ");
		put_region(report, text, finding->call);
		memphis_text_put(text, " ");
	}
	memphis_text_print_plain(text, "in %s ", memphis_mpi_call_function(&report->mpi, finding->call));
	put_with_rank(text, words[finding->pattern].waiting, finding->late);
	if (finding->pattern == MEMPHIS_MPI_WRITER)
		memphis_text_print(text, " %.0f %% of the bytes", 100 * finding->bytes_share);
}

static void put_finding(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_mpi_finding *finding = &report->mpi.findings[number];
	const struct memphis_mpi_sum *sum = &report->mpi.calls[finding->call].sum;
	struct memphis_text lines = {0};
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print_plain(&lines, "%zu. %s: %s", number + 1,
				 memphis_mpi_pattern_names[finding->pattern],
				 memphis_mpi_call_function(&report->mpi, finding->call));
	memphis_text_print(&lines, "\n" LABEL, "what:");
	put_finding_sentence(report, &lines, finding);
	memphis_text_print(&lines, "\n" LABEL "%s of waiting; known of %llu of %llu %s",
			   "evidence:", memphis_counters_print(buffer, (double)finding->waited_ns, "ns"),
			   sum->known, sum->waits, sum->received ? "messages" : "calls");
	if (finding->pattern == MEMPHIS_MPI_WRITER) {
		memphis_text_print(&lines, "; rank %" PRId32 " writes %s", finding->late,
				   memphis_counters_print(buffer, (double)finding->bytes, "bytes"));
		memphis_text_print(&lines, " and is in I/O for %s",
				   memphis_counters_print(buffer, (double)finding->write_ns, "ns"));
	}
	memphis_text_put(&lines, "\n");
	memphis_text_print(&lines, LABEL, "try:");
	put_with_rank(&lines, words[finding->pattern].advice, finding->late);
	memphis_text_put(&lines, "\n");
	memphis_layout_wrap(text, &lines, HANGING);
	memphis_text_close(&lines);
}

void memphis_output_mpi_gist(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->mpi.finding_count) {
		memphis_text_put(text, "MPI: ");
		put_finding_sentence(report, text, report->mpi.findings);
		memphis_text_put(text, "; more: --by mpi");
	} else if (report->mpi.rank_count) {
		memphis_text_put(text, "times and bytes of MPI and I/O: --by mpi");
	}
}

void memphis_output_mpi_text(const struct memphis_report *report, struct memphis_text *text)
{
	size_t i;

	if (!report->mpi.rank_count)
		return;
	memphis_layout_put_head(text, !count_functions(&report->mpi, false) ? "I/O"
				      : count_functions(&report->mpi, true) ? "MPI AND I/O"
									    : "MPI");
	put_summary(report, text);
	for (i = 0; i < report->mpi.finding_count; i++)
		put_finding(report, text, i);
	if (report->mpi.finding_count)
		memphis_text_put(text, "\n");
	if (!report->view->mpi)
		return;
	put_ranks(report, text);
	put_calls(report, text, false);
	put_calls(report, text, true);
	put_files(report, text);
}

static void put_sum_json(struct memphis_json *json, const struct memphis_mpi_sum *sum)
{
	memphis_json_number(json, "calls", sum->calls);
	memphis_json_number(json, "sent", sum->sent);
	memphis_json_number(json, "received", sum->received);
	memphis_json_number(json, "sent_bytes", sum->sent_bytes);
	memphis_json_number(json, "received_bytes", sum->received_bytes);
	memphis_json_number(json, "mpi_ns", sum->ns);
	memphis_json_number(json, "waits", sum->waits);
	memphis_json_number(json, "known", sum->known);
	memphis_json_number(json, "waited_ns", sum->waited_ns);
}

/* Appends the sum over calls of I/O functions. */
static void put_io_json(struct memphis_json *json, const struct memphis_mpi_sum *sum)
{
	memphis_json_number(json, "io_calls", sum->calls);
	memphis_json_number(json, "io_ns", sum->ns);
	memphis_json_number(json, "written_bytes", sum->sent_bytes);
	memphis_json_number(json, "read_bytes", sum->received_bytes);
}

static void put_call_json(struct memphis_json *json, const struct memphis_report *report, uint32_t call)
{
	const char *region = memphis_mpi_call_region(&report->mpi, call);

	memphis_json_string(json, "function", memphis_mpi_call_function(&report->mpi, call));
	memphis_json_string(json, "region", *region ? region : NULL);
}

static void put_findings_json(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const struct memphis_mpi_finding *finding;
	struct memphis_text what = {0};
	size_t i, j;

	memphis_json_open(json, "findings", '[');
	for (i = 0; i < waits->finding_count; i++) {
		finding = &waits->findings[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "pattern", memphis_mpi_pattern_names[finding->pattern]);
		put_call_json(json, report, finding->call);
		memphis_json_known(json, "late", finding->late >= 0, (uint64_t)finding->late);
		memphis_json_open(json, "ranks", '[');
		for (j = 0; j < finding->rank_count && !(report->job && j == PAGE_RANKS); j++)
			memphis_json_number(json, NULL, waits->ranks[finding->ranks[j]].rank);
		memphis_json_close(json, ']');
		memphis_json_real(json, "share", finding->share);
		memphis_json_number(json, "waited_ns", finding->waited_ns);
		if (finding->pattern == MEMPHIS_MPI_WRITER) {
			memphis_json_real(json, "bytes_share", finding->bytes_share);
			memphis_json_number(json, "written_bytes", finding->bytes);
			memphis_json_number(json, "io_ns", finding->write_ns);
		}
		put_finding_sentence(report, &what, finding);
		memphis_json_string(json, "what", what.text);
		json->text->failed |= what.failed;
		memphis_text_close(&what);
		what = (struct memphis_text){0};
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static int compare_waited(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * Returns the shortest waiting time with which a rank is shown on the page. PAGE_RANKS ranks waited at least
 * this long, or more if several ranks waited equally long.
 */
static uint64_t least_time_shown(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	uint64_t *waited, least = 0;
	size_t i;

	if (!report->job || waits->rank_count <= PAGE_RANKS)
		return 0;
	waited = calloc(waits->rank_count, sizeof(*waited));
	json->text->failed |= !waited;
	for (i = 0; waited && i < waits->rank_count; i++)
		waited[i] = waits->ranks[i].sum.waited_ns;
	if (waited) {
		qsort(waited, waits->rank_count, sizeof(*waited), compare_waited);
		least = waited[PAGE_RANKS - 1];
	}
	free(waited);
	return least;
}

/* Writes the MPI functions or the I/O functions. */
static void put_calls_json(struct memphis_json *json, const struct memphis_report *report, bool io)
{
	const struct memphis_mpi_call *call;
	size_t i;

	memphis_json_open(json, io ? "io_calls" : "calls", '[');
	for (i = 0; i < report->mpi.call_count; i++) {
		call = &report->mpi.calls[report->mpi.shown[i]];
		if (call->io != io)
			continue;
		memphis_json_open(json, NULL, '{');
		put_call_json(json, report, report->mpi.shown[i]);
		memphis_json_bool(json, "sampled", call->inside);
		memphis_json_number(json, "ranks", call->ranks);
		(io ? put_io_json : put_sum_json)(json, &call->sum);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_files_json(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_mpi_file *file = report->mpi.files, *first = file,
				      *end = file + report->mpi.file_count;

	memphis_json_open(json, "files", '[');
	for (; file < end && !(report->job && file - first == PAGE_RANKS); file++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "file", file->path);
		memphis_json_number(json, "ranks", file->ranks);
		put_io_json(json, &file->sum);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

void memphis_output_mpi_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_mpi_waits *waits = &report->mpi;
	const uint64_t least = least_time_shown(report, json);
	uint64_t unknown = 0;
	size_t shown = 0, i;

	memphis_json_open(json, "mpi", '{');
	memphis_json_open(json, "ranks", '[');
	for (i = 0; i < waits->rank_count; i++) {
		unknown += waits->ranks[i].sum.waits - waits->ranks[i].sum.known;
		if (report->job && (waits->ranks[i].sum.waited_ns < least || shown >= (size_t)2 * PAGE_RANKS))
			continue;
		shown++;
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "process", waits->ranks[i].process);
		memphis_json_number(json, "rank", waits->ranks[i].rank);
		memphis_json_number(json, "ns", waits->ranks[i].ns);
		put_sum_json(json, &waits->ranks[i].sum);
		put_io_json(json, &waits->ranks[i].io);
		memphis_json_bool(json, "compared", waits->ranks[i].compared);
		memphis_json_real(json, "remote_cycles", waits->ranks[i].remote[MEMPHIS_MPI_COMPUTING].value);
		memphis_json_real(json, "mpi_remote_cycles",
				  waits->ranks[i].remote[MEMPHIS_MPI_COMMUNICATING].value);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	put_calls_json(json, report, false);
	put_calls_json(json, report, true);
	put_files_json(json, report);
	put_findings_json(json, report);
	memphis_json_number(json, "rank_count", waits->rank_count);
	memphis_json_number(json, "unknown", unknown);
	memphis_json_number(json, "clock_error_ns", waits->clock_error_ns);
	memphis_json_number(json, "left_out", waits->left_out);
	memphis_json_close(json, '}');
}
