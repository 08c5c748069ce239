/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the process file: settings, maps, regions, counters, holders of blocks, and counts of dropped records. */
#include "backend/backend.h"
#include "core/names.h"
#include "core/stamp.h"
#include "base/clock.h"
#include "data/region.h"
#include "data/taken.h"
#include "counters/reader.h"
#include "record/allocations.h"
#include "record/chunk.h"
#include "record/jit.h"
#include "record/maps.h"
#include "record/metadata.h"
#include "data/mpi_records.h"
#include "record/pass.h"
#include "record/pointer_scan.h"
#include "record/process_file.h"
#include "record/program.h"
#include "record/thread_file.h"
#include "unwind/python.h"

/* minimum interval for writing the number of threads without data */
#define THREADS_INTERVAL_NS 500000000u

static struct process_file {
	struct memphis_region_node *regions_written, *part_names_written, *files_written,
		*python_lines_written;
	__u64 maps_version; /* version of the list of maps written last, plus 1; 0: no list is written yet */
	__u64 losses_sum;   /* sum of all loss counts when they were last written */
	__u64 holders_left_out;
	__u64 threads_without_data; /* number that was written last, and the time when it was written */
	__u64 threads_written_ns;
	bool is_executing; /* the latest exec_time_ns in the file is not 0 */
} process_file;

void memphis_process_file_open(void)
{
	process_file = (struct process_file){0};
}

/* Writes the list of maps. If the dynamic loader is at work, leaves the list to a later pass, unless it `must` be written now. */
static void write_maps(__u64 version, int must)
{
	int rc = memphis_maps_add_lines(&memphis_lines, must);

	if (rc < 0)
		return;
	memphis_chunk_write_lines(&memphis_session.output.process_file, MEMPHIS_CHUNK_MAPS);
	process_file.maps_version = rc ? UINT64_MAX : version;
}

void memphis_process_file_write_metadata(unsigned int what)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_sample_file *file = &s->output.process_file;
	__u64 version = memphis_maps_version() + 1;
	int first = !process_file.maps_version;
	/* In the first pass, in the last one, and before an exec, write the list even while the loader is at work. */
	int must = first || (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_EXEC));

	if (first) {
		memphis_metadata_add_settings(&memphis_lines, s);
		memphis_chunk_write_lines(file, MEMPHIS_CHUNK_SETTINGS);
		memphis_metadata_add_topology(&memphis_lines, "/sys/devices/system/node");
		memphis_chunk_write_lines(file, MEMPHIS_CHUNK_TOPOLOGY);
		memphis_jit_begin();
	}
	if (s->config.stack_bytes && version != process_file.maps_version) {
		memphis_program_list();
		if (s->identity.other)
			memphis_maps_copy_cfi();
	}
	if (!s->identity.other)
		memphis_python_look(version != process_file.maps_version);
	if (memphis_maps_change_unseen() || version != process_file.maps_version ||
	    (what & MEMPHIS_DRAIN_CLOSE))
		write_maps(version, must);
	/* Copy these files after writing the list of maps, which may reveal further files. */
	if (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_EXEC))
		memphis_jit_keep(file);
	memphis_counters_take_snapshot(); /* before the regions are listed, since marks refer to regions */
	memphis_region_list(&memphis_lines, &process_file.regions_written);
	memphis_chunk_write_lines(file, MEMPHIS_CHUNK_REGIONS);
	memphis_names_list(&memphis_part_names, &memphis_lines, &process_file.part_names_written);
	memphis_chunk_write_lines(file, MEMPHIS_CHUNK_PART_NAMES);
	memphis_names_list(&memphis_file_names, &memphis_lines, &process_file.files_written);
	memphis_chunk_write_lines(file, MEMPHIS_CHUNK_FILES);
	memphis_names_list(&memphis_python_lines, &memphis_lines, &process_file.python_lines_written);
	memphis_chunk_write_lines(file, MEMPHIS_CHUNK_PYTHON_LINES);
	memphis_counters_write(&memphis_lines, file);
	memphis_chunk_commit(file);
}

__u32 memphis_process_file_last_region(void)
{
	return process_file.regions_written ? process_file.regions_written->id : 0;
}

void memphis_process_file_write_activity(unsigned int what)
{
	struct memphis_session *s = &memphis_session;
	const bool is_executing = what & MEMPHIS_DRAIN_EXEC;

	/* A number of 0 takes back the previous one, after an exec that has failed. */
	if (is_executing || process_file.is_executing)
		memphis_text_add(&memphis_lines, "exec_time_ns %llu\n", is_executing ? now_ns() : 0);
	process_file.is_executing = is_executing;
	memphis_mpi_facts_add(&memphis_lines);
	memphis_metadata_add_activity(&memphis_lines, s, !!(what & MEMPHIS_DRAIN_CLOSE));
	memphis_chunk_write_lines(&s->output.process_file, MEMPHIS_CHUNK_SETTINGS);
	memphis_chunk_commit(&s->output.process_file);
}

void memphis_process_file_write_thread_count(int now)
{
	const __u64 count = memphis_thread_file_without_data(), time = now_ns();

	if (count == process_file.threads_without_data ||
	    (!now && time - process_file.threads_written_ns < THREADS_INTERVAL_NS))
		return;
	process_file.threads_without_data = count;
	process_file.threads_written_ns = time;
	memphis_text_add(&memphis_lines, "threads_without_data %llu\n", count);
	memphis_chunk_write_lines(&memphis_session.output.process_file, MEMPHIS_CHUNK_SETTINGS);
	memphis_chunk_commit(&memphis_session.output.process_file);
}

static void add_loss(const char *key, __u64 count, __u64 *sum)
{
	*sum += count;
	if (count)
		memphis_text_add(&memphis_lines, "%s %llu\n", key, count);
}

void memphis_process_file_write_losses(void)
{
	const struct memphis_counters_losses counters = memphis_counters_losses();
	const struct memphis_sample_file *ended = memphis_thread_file_of_ended();
	struct memphis_session *s = &memphis_session;
	struct memphis_losses all = memphis_retired;
	struct memphis_thread_record *thread;
	const __u64 lost = memphis_taken_lost;
	__u64 sum = 0;

	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done)
			memphis_thread_add_losses(&all, thread);
	add_loss("allocations_left_out", memphis_allocations_left_out() + all.left_out.allocations, &sum);
	add_loss("releases_left_out", all.left_out.releases, &sum);
	add_loss("small_blocks_left_out", memphis_allocations_small_left_out() + all.left_out.small, &sum);
	if (lost)
		memphis_text_add(&memphis_lines, "small_blocks_lost_ns %llu\n", memphis_clock_ns(lost));
	add_loss("stacks_left_out", all.stacks_left_out, &sum);
	add_loss("regions_left_out", memphis_regions_left_out, &sum);
	add_loss("region_changes_left_out", memphis_backend->regions_left_out(), &sum);
	add_loss("spans_lost", all.spans_lost, &sum);
	add_loss("spans_left_out", all.spans_left_out, &sum);
	add_loss("mpi_events_lost", all.mpi_events_lost, &sum);
	add_loss("calipers_too_deep", memphis_calipers_too_deep, &sum);
	add_loss("calipers_left", memphis_calipers_left, &sum);
	add_loss("names_left_out", memphis_names_left_out() + memphis_name_list_left_out(&memphis_part_names),
		 &sum);
	add_loss("python_lines_left_out", memphis_name_list_left_out(&memphis_python_lines), &sum);
	add_loss("threads_unsampled", s->threads_unsampled, &sum);
	add_loss("writers_not_made", (__u64)s->output.drain_missing, &sum);
	add_loss("ends_unseen", (__u64)s->output.finished_early, &sum);
	add_loss("write_errors", all.write_errors + (ended->error != 0), &sum);
	add_loss("bytes_left_out", all.bytes_left_out + ended->bytes_left_out, &sum);
	add_loss("holders_left_out", process_file.holders_left_out, &sum);
	add_loss("jit_bytes_left_out", memphis_jit_left_out(), &sum);
	add_loss("counters_values_left_out", counters.values_left_out, &sum);
	add_loss("counters_marks_left_out", counters.marks_left_out, &sum);
	add_loss("counters_metrics_left_out", counters.metrics_left_out, &sum);
	add_loss("counters_metrics_refused", counters.metrics_refused, &sum);
	add_loss("counters_readings_late", counters.readings_late, &sum);
	if (sum == process_file.losses_sum) {
		memphis_text_clear(&memphis_lines);
		return;
	}
	process_file.losses_sum = sum;
	memphis_chunk_write_lines(&s->output.process_file, MEMPHIS_CHUNK_LOSSES);
	memphis_chunk_commit(&s->output.process_file);
}

static void write_holders(UNUSED void *data, const struct memphis_holder *holders, size_t count)
{
	memphis_file_write_chunk(&memphis_session.output.process_file, MEMPHIS_CHUNK_HOLDERS, holders,
				 count * sizeof(*holders), (__u32)count);
}

void memphis_process_file_search_holders(void)
{
	const struct memphis_scanned scanned = {memphis_allocations_blocks(), memphis_allocations_parts()};

	process_file.holders_left_out = memphis_pointer_scan(&scanned, write_holders, NULL);
	memphis_chunk_commit(&memphis_session.output.process_file);
}
