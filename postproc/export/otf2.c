// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exports events over time as an OTF2 archive, for Vampir, Scalasca and other tools that read the traces of
 * Score-P. The nodes of the system tree are hosts. Each process is a location group, and each of its threads
 * is a location. The spans of calipers are regions. Samples and counters are metrics.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memphis/version.h>

#include "base/pool.h"
#include "export/export.h"
#include "export/otf2_events.h"
#include "read/process_name.h"

#define ARCHIVE     "traces" /* name of the archive's files, as other tools expect it */
#define EVENT_BYTES (1u << 20)
#define DEFS_BYTES  (4u << 20)
#define NO_STRING   OTF2_UNDEFINED_STRING
#define SAMPLES     0 /* metric class of samples; the classes of counters follow */
#define MACHINE     0 /* root of the system tree; the hosts follow */

/* Locations of a process: one for each thread, in order. The last one is for its counters, if there are any. */
struct place {
	OTF2_LocationRef first;
	uint32_t counters; /* metric class of its first counter */
	OTF2_SystemTreeNodeRef host;
};

struct otf2 {
	const struct memphis_export *export;
	const struct memphis_processes *processes;
	struct memphis_axis axis;
	struct place *places; /* indexed by process */
	uint64_t *events;     /* number of events, indexed by location */
	size_t locations;
	uint64_t last_ns;
	/* names of regions; the reference of a region is the number of its name minus 1 */
	struct memphis_strings regions;
	struct memphis_strings strings; /* strings that have been defined; the number is the reference */
	struct memphis_otf2_comms comms;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_SystemTreeNodeRef hosts; /* reference of the next host to be defined */
	OTF2_ErrorCode failed;        /* error of the first definition that could not be written */
};

static OTF2_FlushType allow_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
				  bool final)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* Error callback of OTF2 that prints nothing. memphis_otf2_check() reports the error code. */
static OTF2_ErrorCode ignore_message(void *data, const char *file, uint64_t line, const char *function,
				     OTF2_ErrorCode code, const char *format, va_list list)
{
	(void)data;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)list;
	return code;
}

static bool has_counters(const struct memphis_process *process)
{
	return process->counters && process->counters->metric_count;
}

static int report_no_memory(struct memphis_error *error)
{
	return memphis_fail(error, -ENOMEM, "out of memory");
}

/* Returns true if the metric has readings. Metrics that were refused or lost have none. */
static bool has_readings(const struct memphis_counter_metric *metric)
{
	return metric->kind <= MEMPHIS_COUNTER_GAUGE;
}

/*
 * Numbers the locations, the metric classes of counters, and the hosts. Readers expect numbers without gaps.
 * Also collects the names of the regions.
 */
static int number_locations(struct otf2 *otf2, struct memphis_error *error)
{
	const struct memphis_processes *processes = otf2->processes;
	const struct memphis_process *process;
	uint32_t counters = SAMPLES + 1, hosts = MACHINE + 1;
	size_t i, j;

	otf2->places = calloc(processes->count + 1, sizeof(*otf2->places));
	if (!otf2->places || memphis_strings_add(&otf2->regions, "", 0) == MEMPHIS_NO_STRING)
		return report_no_memory(error);
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		otf2->places[i] = (struct place){otf2->locations, counters, hosts};
		for (j = 0; j < i && otf2->places[i].host == hosts; j++)
			if (memphis_process_same_host(&processes->list[j], process))
				otf2->places[i].host = otf2->places[j].host;
		hosts += otf2->places[i].host == hosts;
		for (j = 0; has_counters(process) && j < process->counters->metric_count; j++)
			counters += has_readings(&process->counters->metrics[j]);
		otf2->locations += process->thread_count + has_counters(process);
		for (j = 0; j < process->region_count; j++)
			if (memphis_strings_add_text(&otf2->regions, process->regions[j].name) ==
			    MEMPHIS_NO_STRING)
				return report_no_memory(error);
	}
	otf2->events = calloc(otf2->locations + 1, sizeof(*otf2->events));
	return otf2->events ? 0 : report_no_memory(error);
}

static uint32_t region_reference(const struct otf2 *otf2, const char *name)
{
	return memphis_strings_find(&otf2->regions, name, strlen(name)) - 1;
}

/* Writes the events of a thread to its location. If `thread` is NULL, writes the readings of the process's counters. */
static int write_location(struct otf2 *otf2, struct memphis_otf2_location *to, OTF2_LocationRef location,
			  const struct memphis_thread *thread, struct memphis_error *error)
{
	int rc;

	to->last_ns = 0;
	to->writer = OTF2_Archive_GetEvtWriter(otf2->archive, location);
	if (!to->writer)
		return memphis_fail(error, -EIO, "OTF2: cannot open the events of location %" PRIu64,
				    location);
	rc = thread ? memphis_otf2_write_thread(to, thread, error) : memphis_otf2_write_counters(to, error);
	if (!rc)
		rc = memphis_otf2_check(OTF2_EvtWriter_GetNumberOfEvents(to->writer, &otf2->events[location]),
					error);
	if (rc)
		return rc;
	if (to->last_ns > otf2->last_ns)
		otf2->last_ns = to->last_ns;
	return memphis_otf2_check(OTF2_Archive_CloseEvtWriter(otf2->archive, to->writer), error);
}

static int write_process(struct otf2 *otf2, size_t index, struct memphis_error *error)
{
	const struct memphis_process *process = &otf2->processes->list[index];
	const struct place *place = &otf2->places[index];
	const size_t metrics = has_counters(process) ? process->counters->metric_count : 0;
	uint32_t *regions = calloc(process->region_count + 1, sizeof(*regions));
	uint32_t *counters = calloc(metrics + 1, sizeof(*counters)), counter = place->counters;
	struct memphis_otf2_location to = {.axis = &otf2->axis,
					   .selection = otf2->export->selection,
					   .process = process,
					   .index = index,
					   .refs = {regions, counters, SAMPLES},
					   .comms = &otf2->comms};
	int rc = regions && counters ? 0 : report_no_memory(error);
	size_t i;

	for (i = 0; !rc && i < process->region_count; i++)
		regions[i] = region_reference(otf2, process->regions[i].name);
	for (i = 0; !rc && i < metrics; i++)
		counters[i] = has_readings(&process->counters->metrics[i]) ? counter++ : 0;
	for (i = 0; !rc && i < process->thread_count; i++)
		rc = write_location(otf2, &to, place->first + i, &process->threads[i], error);
	if (!rc && metrics)
		rc = write_location(otf2, &to, place->first + process->thread_count, NULL, error);
	free(regions);
	free(counters);
	return rc;
}

/* Writes the local definitions of each location. Readers require them. They are empty, because all references are global. */
static int write_local_definitions(struct otf2 *otf2, struct memphis_error *error)
{
	OTF2_DefWriter *writer;
	size_t i;
	int rc = memphis_otf2_check(OTF2_Archive_OpenDefFiles(otf2->archive), error);

	for (i = 0; !rc && i < otf2->locations; i++) {
		writer = OTF2_Archive_GetDefWriter(otf2->archive, i);
		rc = writer ? memphis_otf2_check(OTF2_Archive_CloseDefWriter(otf2->archive, writer), error)
			    : memphis_fail(error, -EIO, "OTF2: cannot open definitions");
	}
	return rc ? rc : memphis_otf2_check(OTF2_Archive_CloseDefFiles(otf2->archive), error);
}

/* Stores the result of writing a definition. Keeps only the first error. */
static void note_error(struct otf2 *otf2, OTF2_ErrorCode code)
{
	if (otf2->failed == OTF2_SUCCESS)
		otf2->failed = code;
}

/* Returns the reference of the string. Defines the string on first use. */
static OTF2_StringRef define_string(struct otf2 *otf2, const char *text)
{
	const size_t before = otf2->strings.count;
	const uint32_t number = memphis_strings_add_text(&otf2->strings, text);

	if (number == MEMPHIS_NO_STRING)
		note_error(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
	else if (otf2->strings.count > before)
		note_error(otf2, OTF2_GlobalDefWriter_WriteString(otf2->defs, number, text));
	return number;
}

/*
 * Defines the string in a text buffer and closes the buffer. If memory was exhausted, defines "?" instead.
 * Returns the reference of the string.
 */
static OTF2_StringRef define_text(struct otf2 *otf2, struct memphis_text *made)
{
	OTF2_StringRef ref = define_string(otf2, made->failed || !made->text ? "?" : made->text);

	memphis_text_close(made);
	return ref;
}

/* Defines the regions. Regions whose name begins with "MPI_" are calls of MPI functions. */
static void define_regions(struct otf2 *otf2)
{
	OTF2_StringRef ref;
	const char *name;
	uint32_t i;
	bool mpi;

	for (i = 1; i < otf2->regions.count; i++) {
		name = memphis_strings_get(&otf2->regions, i);
		mpi = !strncmp(name, "MPI_", 4);
		ref = define_string(otf2, name);
		note_error(otf2, OTF2_GlobalDefWriter_WriteRegion(
					 otf2->defs, i - 1, ref, ref, NO_STRING,
					 mpi ? OTF2_REGION_ROLE_FUNCTION : OTF2_REGION_ROLE_CODE,
					 mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
					 NO_STRING, 0, 0));
	}
}

static OTF2_StringRef define_comm_name(void *state, const char *name)
{
	return define_string(state, name);
}

static int define_comms(struct otf2 *otf2, struct memphis_error *error)
{
	const struct memphis_processes *processes = otf2->processes;
	struct memphis_otf2_rank *ranks = calloc(processes->count + 1, sizeof(*ranks));
	const struct memphis_settings *settings;
	uint64_t rank;
	size_t i, count = 0;
	int rc;

	for (i = 0; ranks && i < processes->count; i++) {
		settings = &processes->list[i].settings;
		rank = memphis_setting_number(settings, "mpi_rank", UINT64_MAX);
		if (rank != UINT64_MAX)
			ranks[count++] = (struct memphis_otf2_rank){
				processes->list[i].path, rank, otf2->places[i].first,
				memphis_setting_number(settings, "mpi_world", 0)};
	}
	rc = ranks ? memphis_otf2_define_comms(otf2->defs, &otf2->comms, ranks, count, define_comm_name, otf2,
					       &otf2->failed, error)
		   : report_no_memory(error);
	free(ranks);
	return rc;
}

static void define_sample_metrics(struct otf2 *otf2)
{
	OTF2_MetricMemberRef refs[MEMPHIS_OTF2_MEMBERS];
	const struct memphis_otf2_member *member;
	OTF2_StringRef name, description, unit;
	uint32_t i;

	for (i = 0; i < MEMPHIS_OTF2_MEMBERS; i++) {
		member = &memphis_otf2_members[i];
		refs[i] = i;
		name = define_string(otf2, member->name);
		description = define_string(otf2, member->description);
		unit = define_string(otf2, member->unit);
		note_error(otf2,
			   OTF2_GlobalDefWriter_WriteMetricMember(
				   otf2->defs, i, name, description, OTF2_METRIC_TYPE_OTHER,
				   OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, unit));
	}
	note_error(otf2,
		   OTF2_GlobalDefWriter_WriteMetricClass(otf2->defs, SAMPLES, MEMPHIS_OTF2_MEMBERS, refs,
							 OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

static void define_counter(struct otf2 *otf2, const struct memphis_counter_metric *metric, uint32_t class)
{
	/* The metric members of samples have the lowest numbers. */
	const OTF2_MetricMemberRef member = class - 1 + MEMPHIS_OTF2_MEMBERS;
	const bool gauge = metric->kind == MEMPHIS_COUNTER_GAUGE;
	struct memphis_text made = {0};
	OTF2_StringRef name, description, unit;

	memphis_text_print(&made, "%s %s", metric->source, metric->name);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(&made, " on node %u", metric->node);
	name = define_text(otf2, &made);
	description = define_string(otf2, metric->host ? "of the whole host" : "of the process");
	unit = define_string(otf2, strcmp(metric->unit, "-") != 0 ? metric->unit : "#");
	note_error(otf2, OTF2_GlobalDefWriter_WriteMetricMember(
				 otf2->defs, member, name, description, OTF2_METRIC_TYPE_OTHER,
				 gauge ? OTF2_METRIC_ABSOLUTE_POINT : OTF2_METRIC_ACCUMULATED_START,
				 OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, unit));
	note_error(otf2, OTF2_GlobalDefWriter_WriteMetricClass(otf2->defs, class, 1, &member,
							       OTF2_METRIC_ASYNCHRONOUS,
							       OTF2_RECORDER_KIND_UNKNOWN));
}

static void define_host(struct otf2 *otf2, OTF2_SystemTreeNodeRef node, const char *host)
{
	const OTF2_StringRef name = define_string(otf2, host ? host : "unknown host"),
			     kind = define_string(otf2, "node");

	note_error(otf2, OTF2_GlobalDefWriter_WriteSystemTreeNode(otf2->defs, node, name, kind, MACHINE));
	note_error(otf2, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
				 otf2->defs, node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
}

static void define_thread(struct otf2 *otf2, const struct memphis_thread *thread, OTF2_LocationRef location,
			  OTF2_LocationGroupRef group)
{
	const char *name = memphis_setting(&thread->metadata, "name");
	struct memphis_text made = {0};
	OTF2_StringRef ref;

	memphis_text_print(&made, "thread %" PRIu32, thread->tid);
	if (name)
		memphis_text_print(&made, " (%s)", name);
	ref = define_text(otf2, &made);
	note_error(otf2, OTF2_GlobalDefWriter_WriteLocation(otf2->defs, location, ref,
							    OTF2_LOCATION_TYPE_CPU_THREAD,
							    otf2->events[location], group));
}

static void define_process(struct otf2 *otf2, size_t index)
{
	const struct memphis_process *process = &otf2->processes->list[index];
	const struct place *place = &otf2->places[index];
	const char *rank = memphis_setting(&process->settings, "rank");
	const OTF2_LocationGroupRef group = (OTF2_LocationGroupRef)index;
	struct memphis_text made = {0};
	OTF2_StringRef name;
	OTF2_LocationRef counters = place->first + process->thread_count;
	uint32_t counter = place->counters;
	size_t i;

	if (place->host == otf2->hosts) {
		define_host(otf2, place->host, memphis_setting(&process->settings, "host"));
		otf2->hosts++;
	}
	if (rank)
		memphis_text_print(&made, "rank %s", rank);
	else
		memphis_text_print(&made, "process %" PRIu32, process->pid);
	name = define_text(otf2, &made);
	note_error(otf2, OTF2_GlobalDefWriter_WriteLocationGroup(otf2->defs, group, name,
								 OTF2_LOCATION_GROUP_TYPE_PROCESS,
								 place->host, OTF2_UNDEFINED_LOCATION_GROUP));
	for (i = 0; i < process->thread_count; i++)
		define_thread(otf2, &process->threads[i], place->first + i, group);
	if (!has_counters(process))
		return;
	for (i = 0; i < process->counters->metric_count; i++)
		if (has_readings(&process->counters->metrics[i]))
			define_counter(otf2, &process->counters->metrics[i], counter++);
	name = define_string(otf2, "counters");
	note_error(otf2,
		   OTF2_GlobalDefWriter_WriteLocation(otf2->defs, counters, name, OTF2_LOCATION_TYPE_METRIC,
						      otf2->events[counters], group));
}

static int write_global_definitions(struct otf2 *otf2, struct memphis_error *error)
{
	OTF2_StringRef machine;
	size_t i;
	int rc;

	otf2->defs = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
	if (!otf2->defs)
		return memphis_fail(error, -EIO, "OTF2: cannot open the global definitions");
	note_error(otf2, OTF2_GlobalDefWriter_WriteClockProperties(otf2->defs, 1000000000, 0,
								   otf2->last_ns + 1, otf2->axis.first_ns));
	define_string(otf2, ""); /* takes number 0 of the string pool */
	machine = define_string(otf2, "machine");
	note_error(otf2, OTF2_GlobalDefWriter_WriteSystemTreeNode(otf2->defs, MACHINE, machine, machine,
								  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	otf2->hosts = MACHINE + 1;
	define_regions(otf2);
	define_sample_metrics(otf2);
	for (i = 0; i < otf2->processes->count; i++)
		define_process(otf2, i);
	rc = define_comms(otf2, error);
	return rc ? rc : memphis_otf2_check(otf2->failed, error);
}

static int write_archive(struct otf2 *otf2, struct memphis_error *error)
{
	static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = allow_flush};
	size_t i;
	int rc = memphis_otf2_check(OTF2_Archive_SetFlushCallbacks(otf2->archive, &flushes, NULL), error);

	if (!rc)
		rc = memphis_otf2_check(OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive), error);
	if (!rc)
		rc = memphis_otf2_check(OTF2_Archive_SetCreator(otf2->archive, "memphis " MEMPHIS_VERSION),
					error);
	if (!rc)
		rc = memphis_otf2_check(OTF2_Archive_OpenEvtFiles(otf2->archive), error);
	for (i = 0; !rc && i < otf2->processes->count; i++)
		rc = write_process(otf2, i, error);
	if (!rc)
		rc = memphis_otf2_check(OTF2_Archive_CloseEvtFiles(otf2->archive), error);
	if (!rc)
		rc = write_local_definitions(otf2, error);
	return rc ? rc : write_global_definitions(otf2, error);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

/*
 * Writes the archive to a new directory and renames this directory to `path`. A directory of this name may
 * exist only if it is empty.
 */
static int write_directory(struct otf2 *otf2, const char *path, struct memphis_error *error)
{
	const mode_t mask = umask(0);
	size_t bytes = strlen(path);
	char *made = NULL;
	int rc;

	umask(mask);
	while (bytes > 1 && path[bytes - 1] == '/')
		bytes--;
	if (asprintf(&made, "%.*s.XXXXXX", (int)bytes, path) < 0)
		return report_no_memory(error);
	if (!mkdtemp(made)) {
		rc = memphis_fail(error, -errno, "%s: cannot write: %s", path, strerror(errno));
		free(made);
		return rc;
	}
	otf2->archive = OTF2_Archive_Open(made, ARCHIVE, OTF2_FILEMODE_WRITE, EVENT_BYTES, DEFS_BYTES,
					  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	rc = otf2->archive ? write_archive(otf2, error)
			   : memphis_fail(error, -EIO, "%s: OTF2 cannot open an archive there", path);
	if (otf2->archive) {
		struct memphis_error closing;
		const int failed = memphis_otf2_check(OTF2_Archive_Close(otf2->archive), &closing);

		if (failed && !rc) {
			rc = failed;
			*error = closing;
		}
	}
	if (!rc && (chmod(made, 0777 & ~mask) || rename(made, path)))
		rc = memphis_fail(error, -errno, "%s: cannot write: %s", path, strerror(errno));
	if (rc)
		nftw(made, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(made);
	return rc;
}

/* Returns an error if a process is from a profile, as profiles contain no events. */
static int check_inputs(const struct memphis_processes *processes, struct memphis_error *error)
{
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++)
			if (!processes->list[i].threads[j].log)
				return memphis_fail(
					error, -EINVAL,
					"profiles (.mprof) contain no samples over time, which OTF2 needs; give the sample files");
	return 0;
}

int memphis_export_otf2(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct otf2 otf2 = {.export = export, .processes = &export->profile->processes};
	int rc = check_inputs(otf2.processes, error);

	if (rc)
		return rc;
	OTF2_Error_RegisterCallback(ignore_message, NULL);
	if (memphis_axis_open(&otf2.axis, otf2.processes))
		rc = report_no_memory(error);
	if (!rc)
		rc = number_locations(&otf2, error);
	if (!rc)
		rc = write_directory(&otf2, path, error);
	if (!rc && otf2.comms.unknown)
		fprintf(stderr,
			"memphis export: %" PRIu64
			" messages are left out: the partner or the communicator is unknown\n",
			otf2.comms.unknown);
	free(otf2.places);
	free(otf2.events);
	memphis_strings_close(&otf2.regions);
	memphis_strings_close(&otf2.strings);
	memphis_strings_close(&otf2.comms.identities);
	memphis_axis_close(&otf2.axis);
	return rc;
}
