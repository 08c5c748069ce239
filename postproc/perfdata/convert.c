// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a file that perf recorded to sample files. Reads the records in the order of their times, and
 * derives processes, threads and maps from them.
 */
#include "perfdata/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perfdata/images.h"
#include "perfdata/parts.h"
#include "perfdata/sample.h"

/* PID of the kernel's own threads, and PID of samples that perf cannot assign to a process. */
#define NO_PID  0
#define ANY_PID UINT32_MAX

/*
 * A list of all maps is written when samples arrive and a file was mapped since the last list. The total size
 * of the lists is limited to this number of bytes, because no real program loads so many libraries. After
 * that, only one more list is written, at the end.
 */
#define LISTS_BYTES_MAX (256u << 20)

bool memphis_perfdata_is(const char *path)
{
	return memphis_perfdata_parts_are(path);
}

static int no_memory(const struct memphis_perfdata_recording *recording, struct memphis_error *error)
{
	return memphis_fail(error, -ENOMEM, "%s: out of memory", recording->path);
}

static int damaged(const struct memphis_perfdata_recording *recording, const char *what,
		   struct memphis_error *error)
{
	return memphis_fail(
		error, -EBADMSG,
		"%s: %s is too short; the file is damaged: take a fresh copy from where perf recorded it",
		recording->path, what);
}

/* Extends the time range of the process by the time of a record. */
static void see(struct memphis_perfdata_image *image, uint64_t time_ns)
{
	if (!time_ns)
		return;
	if (!image->start_ns || time_ns < image->start_ns)
		image->start_ns = time_ns;
	if (time_ns > image->last_ns)
		image->last_ns = time_ns;
}

static void see_thread(struct memphis_perfdata_thread *thread, uint64_t time_ns)
{
	if (!thread->start_ns)
		thread->start_ns = time_ns;
	if (time_ns > thread->last_ns)
		thread->last_ns = time_ns;
}

static int take_map(struct memphis_perfdata_recording *recording,
		    const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_image *image;
	struct memphis_perfdata_map map;
	uint32_t pid;
	int rc = memphis_perfdata_map_read(record->event, record->header, &recording->strings, &map, &pid);

	if (rc == -EBADMSG)
		return damaged(recording, "a record of a map", error);
	if (rc <= 0)
		return rc ? no_memory(recording, error) : 0;
	image = memphis_perfdata_image_of(&recording->tasks, pid);
	if (!image || memphis_perfdata_space_add(&image->space, &map))
		return no_memory(recording, error);
	see(image, record->time_ns);
	return 0;
}

/* The record contains PID, TID, and the NUL-terminated name. */
static int take_name(struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	const uint8_t *body = (const uint8_t *)(record->header + 1);
	const size_t bytes = record->header->size - sizeof(*record->header);
	struct memphis_perfdata_thread *thread;
	struct memphis_perfdata_image *image;
	uint32_t ids[2];
	size_t length;

	if (bytes < sizeof(ids) + 1)
		return damaged(recording, "a record of a name", error);
	memcpy(ids, body, sizeof(ids));
	image = record->header->misc & MEMPHIS_PERFDATA_MISC_COMM_EXEC
			? memphis_perfdata_image_exec(&recording->tasks, ids[0])
			: memphis_perfdata_image_of(&recording->tasks, ids[0]);
	if (!image)
		return no_memory(recording, error);
	see(image, record->time_ns);
	length = strnlen((const char *)body + sizeof(ids), bytes - sizeof(ids));
	if (length >= MEMPHIS_PERFDATA_NAME)
		length = MEMPHIS_PERFDATA_NAME - 1;
	if (ids[0] == ids[1]) {
		memset(image->name, 0, sizeof(image->name));
		memcpy(image->name, body + sizeof(ids), length);
	}
	thread = memphis_perfdata_thread_of(&recording->tasks, ids[0], ids[1]);
	if (!thread)
		return no_memory(recording, error);
	memset(thread->name, 0, sizeof(thread->name));
	memcpy(thread->name, body + sizeof(ids), length);
	return 0;
}

/* Contents of FORK and EXIT records. */
struct task_record {
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time_ns;
};

static int take_fork(struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_thread *thread;
	struct memphis_perfdata_image *image;
	struct task_record task;

	if (record->header->size < sizeof(*record->header) + sizeof(task))
		return damaged(recording, "a record of a thread", error);
	memcpy(&task, record->header + 1, sizeof(task));
	/*
	 * The bit COMM_EXEC in a FORK record means that perf lists a process that was already running. Its
	 * maps follow in other records, so it does not inherit those of its parent.
	 */
	if (task.pid == task.parent || record->header->misc & MEMPHIS_PERFDATA_MISC_COMM_EXEC)
		image = memphis_perfdata_image_of(&recording->tasks, task.pid);
	else
		image = memphis_perfdata_image_fork(&recording->tasks, task.pid, task.parent);
	if (!image)
		return no_memory(recording, error);
	see(image, record->time_ns);
	thread = memphis_perfdata_thread_add(&recording->tasks, task.pid, task.tid);
	if (!thread)
		return no_memory(recording, error);
	see_thread(thread, record->time_ns);
	return 0;
}

static int take_exit(struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_thread *thread;
	struct task_record task;

	if (record->header->size < sizeof(*record->header) + sizeof(task))
		return damaged(recording, "a record of a thread", error);
	memcpy(&task, record->header + 1, sizeof(task));
	thread = memphis_perfdata_thread_of(&recording->tasks, task.pid, task.tid);
	if (!thread)
		return no_memory(recording, error);
	see(&recording->tasks.images[thread->image], record->time_ns);
	see_thread(thread, record->time_ns);
	memphis_perfdata_thread_end(&recording->tasks, thread);
	return 0;
}

/* Finds the thread in which a record of losses or throttling was written. Sets *thread to NULL if the record does not name it. */
static int thread_of(struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_record *record, struct memphis_perfdata_thread **thread,
		     struct memphis_error *error)
{
	struct memphis_perfdata_sample trailer;

	*thread = NULL;
	if (!memphis_perfdata_trailer_read(&record->event->attribute, record->header, &trailer) ||
	    !(record->event->attribute.sample_type & PERF_SAMPLE_TID) || trailer.pid == ANY_PID ||
	    !record->time_ns)
		return 0;
	*thread = memphis_perfdata_thread_of(&recording->tasks, trailer.pid, trailer.tid);
	return *thread ? 0 : no_memory(recording, error);
}

/* The record contains an id and the number of lost records. */
static int take_lost(struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_thread *thread;
	uint64_t words[2];
	int rc;

	if (record->header->size < sizeof(*record->header) + sizeof(words))
		return damaged(recording, "a record of losses", error);
	memcpy(words, record->header + 1, sizeof(words));
	record->event->lost += words[1];
	if (record->event->kind == MEMPHIS_PERFDATA_OTHER)
		return 0;
	rc = thread_of(recording, record, &thread, error);
	if (rc)
		return rc;
	if (!thread) {
		recording->unowned_lost += words[1];
		return 0;
	}
	thread->accounting.lost += words[1];
	thread->accounting.interrupts += words[1];
	return 0;
}

/*
 * The record contains the number of lost samples of the event. perf writes it at the end. The number includes
 * all losses that LOST records have counted, and further ones.
 */
static int take_lost_samples(struct memphis_perfdata_recording *recording,
			     const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	uint64_t lost;

	if (record->header->size < sizeof(*record->header) + sizeof(lost))
		return damaged(recording, "a record of losses", error);
	memcpy(&lost, record->header + 1, sizeof(lost));
	if (!(record->header->misc & MEMPHIS_PERFDATA_MISC_LOST_BPF) &&
	    record->event->kind != MEMPHIS_PERFDATA_OTHER)
		record->event->lost_samples += lost;
	return 0;
}

static int take_throttle(struct memphis_perfdata_recording *recording,
			 const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_thread *thread;
	int rc = record->event->kind == MEMPHIS_PERFDATA_OTHER ? 0
							       : thread_of(recording, record, &thread, error);

	if (!rc && record->event->kind != MEMPHIS_PERFDATA_OTHER && thread)
		thread->accounting.throttled++;
	return rc;
}

/* Adds the period of a kept sample to those of its event, or of stores. */
static void add_period(struct memphis_perfdata_recording *recording,
		       const struct memphis_perfdata_event *event, const struct memphis_sample *sample,
		       uint64_t period)
{
	struct memphis_perfdata_periods *periods =
		&recording->periods[sample->flags & MEMPHIS_FLAG_STORE       ? MEMPHIS_EVENTS
				    : sample->flags & MEMPHIS_FLAG_BY_SOURCE ? event->source
									     : MEMPHIS_EVENT_ACCESS];

	periods->sum += period;
	periods->count += period > 0;
}

static int keep_sample(struct memphis_perfdata_recording *recording, struct memphis_perfdata_thread *thread,
		       const struct memphis_sample *sample, const struct memphis_perfdata_sample *from,
		       struct memphis_error *error)
{
	struct memphis_perfdata_image *image = &recording->tasks.images[thread->image];
	const bool wanted = image->space.changed && recording->list_bytes < LISTS_BYTES_MAX;
	int rc = wanted ? memphis_perfdata_maps_keep(recording, image, sample->time_ns, error) : 0;

	recording->placeless |= !from->has_cpu;
	thread->accounting.kept++;
	image->kept++;
	return rc ? rc : memphis_perfdata_sample_keep(recording, thread, sample, from, error);
}

static int take_sample(struct memphis_perfdata_recording *recording,
		       const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	struct memphis_perfdata_sample from;
	struct memphis_perfdata_thread *thread;
	struct memphis_perfdata_image *image;
	struct memphis_sample sample;
	unsigned int reason;
	uint64_t period;

	if (record->event->kind == MEMPHIS_PERFDATA_OTHER)
		return 0;
	if (!memphis_perfdata_sample_read(&record->event->attribute, &record->event->layout, record->header,
					  &from))
		return damaged(recording, "a sample", error);
	/* If the sample has no CPU field, use the CPU of the buffer that contained it. */
	if (!from.has_cpu && record->cpu != MEMPHIS_PERFDATA_NO_CPU) {
		from.has_cpu = true;
		from.cpu = record->cpu;
	}
	thread = memphis_perfdata_thread_of(&recording->tasks, from.pid, from.tid);
	if (!thread)
		return no_memory(recording, error);
	image = &recording->tasks.images[thread->image];
	see(image, from.time_ns);
	see_thread(thread, from.time_ns);
	period = record->event->attribute.freq ? from.period : record->event->attribute.sample_period;
	record->event->periods += period;
	record->event->period_count += period > 0;
	image->interrupts++;
	thread->accounting.interrupts++;
	reason = memphis_perfdata_translate(&recording->translator, record->event, record->header, &from,
					    &sample);
	if (reason != MEMPHIS_REASON_NONE) {
		thread->accounting.filtered[reason]++;
		return 0;
	}
	add_period(recording, record->event, &sample, period);
	return keep_sample(recording, thread, &sample, &from, error);
}

/* The functions that handle the records of the kernel. */
static const struct {
	uint32_t type;
	int (*take)(struct memphis_perfdata_recording *recording,
		    const struct memphis_perfdata_record *record, struct memphis_error *error);
} records[] = {
	{PERF_RECORD_SAMPLE, take_sample},     {PERF_RECORD_MMAP, take_map},
	{PERF_RECORD_MMAP2, take_map},         {PERF_RECORD_COMM, take_name},
	{PERF_RECORD_FORK, take_fork},         {PERF_RECORD_EXIT, take_exit},
	{PERF_RECORD_LOST, take_lost},         {PERF_RECORD_LOST_SAMPLES, take_lost_samples},
	{PERF_RECORD_THROTTLE, take_throttle},
};

static int take_record(struct memphis_perfdata_recording *recording,
		       const struct memphis_perfdata_record *record, struct memphis_error *error)
{
	size_t i;

	/* Ignore records of events that the file does not describe. */
	for (i = 0; record->event && i < sizeof(records) / sizeof(*records); i++)
		if (records[i].type == record->header->type)
			return records[i].take(recording, record, error);
	return 0;
}

static int refuse_events(const struct memphis_perfdata_recording *recording, struct memphis_error *error)
{
	const struct memphis_perfdata_events *events = &recording->header.events;
	const char *name = events->count ? events->list[0].name : NULL;

	return memphis_fail(
		error, -EINVAL,
		"%s: no event of accesses to memory with their addresses was recorded (%s); record with perf mem record, or on AMD with perf record -d -e ibs_op// --raw-samples",
		recording->path, events->count ? (name ? name : "an event without a name") : "no event");
}

static int take_records(struct memphis_perfdata_recording *recording, struct memphis_perfdata_parts *parts,
			struct memphis_error *error)
{
	const struct memphis_perfdata_record *record;
	int rc;

	while ((rc = memphis_perfdata_parts_next(parts, &record, error)) > 0) {
		rc = take_record(recording, record, error);
		if (rc)
			return rc;
	}
	return rc;
}

/* perf's final count may exceed the sum of the LOST records. The difference cannot be assigned to threads. */
static void count_lost(struct memphis_perfdata_recording *recording)
{
	const struct memphis_perfdata_event *event = recording->header.events.list;
	const struct memphis_perfdata_event *end = event + recording->header.events.count;

	for (; event < end; event++)
		if (event->lost_samples > event->lost)
			recording->unowned_lost += event->lost_samples - event->lost;
}

static int add_path(struct memphis_perfdata *made, char *path)
{
	char **added = memphis_append(made->paths, made->count, made->room);

	if (!path || !added) {
		made->count -= !!added;
		free(path);
		return -ENOMEM;
	}
	*added = path;
	return 0;
}

/* Returns true if all events were recorded with CLOCK_MONOTONIC, the clock of sample files. */
static bool has_clock(const struct memphis_perfdata_recording *recording)
{
	const struct memphis_perfdata_events *events = &recording->header.events;
	size_t i;

	for (i = 0; i < events->count; i++)
		if (events->list[i].kind != MEMPHIS_PERFDATA_OTHER &&
		    (!events->list[i].attribute.use_clockid ||
		     events->list[i].attribute.clockid != CLOCK_MONOTONIC))
			return false;
	return true;
}

/* Returns true if both strings are known and differ. */
static bool differ(const char *one, const char *other)
{
	return one && other && strcmp(one, other);
}

/*
 * Returns true if the partner may be the process, without comparing their times. Another process with the
 * same PID may have run on another machine, or after the recording. If host or clock are unknown, the paths
 * of the programs are compared.
 */
static bool may_be(const struct memphis_perfdata_recording *recording,
		   const struct memphis_perfdata_image *image, const struct memphis_perfdata_partner *partner)
{
	const struct memphis_perfdata_origin *origin = &recording->header.origin;
	const bool clock = has_clock(recording);

	if (partner->pid != image->pid || differ(origin->host, partner->host))
		return false;
	if (clock && origin->host && partner->host)
		return true;
	return !differ(memphis_perfdata_space_program(&image->space, &recording->strings),
		       partner->program) &&
	       (clock || partner->start_realtime_ns <= origin->recorded_ns);
}

/* Finds the partner of the process, if it has one. Returns 0, or -EINVAL if the times of the two cannot be compared. */
static int find_partner(const struct memphis_perfdata_recording *recording,
			const struct memphis_perfdata_image *image,
			const struct memphis_perfdata_partners *partners,
			const struct memphis_perfdata_partner **found, struct memphis_error *error)
{
	const struct memphis_perfdata_partner *partner;
	size_t i;

	*found = NULL;
	for (i = 0; partners && i < partners->count; i++) {
		partner = &partners->list[i];
		if (!may_be(recording, image, partner))
			continue;
		if (!has_clock(recording))
			return memphis_fail(
				error, -EINVAL,
				"%s: process %u was also recorded by memphis record --backend none, but the times of both can't be compared: record with perf record -k mono (memphis-perf-data(5))",
				recording->path, image->pid);
		/* Check the times, because another process may have had the same PID before or after. */
		if (image->start_ns <= partner->stop_ns && image->last_ns >= partner->start_ns)
			*found = partner;
	}
	return 0;
}

/*
 * Chooses the processes that have a partner. Their threads become part of the partner's run. Returns 1 if
 * there are any, 0 if not, or a negative errno.
 */
static int choose_joined(struct memphis_perfdata_recording *recording,
			 const struct memphis_perfdata_partners *partners, struct memphis_error *error)
{
	const struct memphis_perfdata_partner *partner;
	struct memphis_perfdata_image *image = recording->tasks.images;
	const struct memphis_perfdata_image *end = image + recording->tasks.image_count;
	int chosen = 0, rc;

	for (; image < end; image++) {
		if (!image->interrupts)
			continue;
		rc = find_partner(recording, image, partners, &partner, error);
		if (rc)
			return rc;
		image->chosen = partner;
		image->run = partner ? partner->run : NULL;
		chosen |= image->chosen;
	}
	return chosen;
}

/*
 * Chooses the processes that have samples which were not filtered out. Most processes of a machine have none,
 * and are of no interest. If no process has any, chooses all with samples except the kernel (PID 0), because
 * their accounting tells why the samples were filtered out.
 */
static void choose_own(struct memphis_perfdata_tasks *tasks)
{
	struct memphis_perfdata_image *image;
	const struct memphis_perfdata_image *end = tasks->images + tasks->image_count;
	bool kept = false;

	for (image = tasks->images; image < end; image++)
		kept |= image->kept > 0;
	for (image = tasks->images; image < end; image++)
		image->chosen = kept ? image->kept > 0 : image->interrupts > 0 && image->pid != NO_PID;
}

/* Numbers the chosen images that had the same PID, in the order in which they ran. */
static void number_chosen(struct memphis_perfdata_tasks *tasks)
{
	struct memphis_perfdata_image *image = tasks->images;
	const struct memphis_perfdata_image *end = image + tasks->image_count, *before;

	for (; image < end; image++) {
		before = image->before ? &tasks->images[image->before - 1] : NULL;
		image->number = before ? before->number + before->chosen : 0;
	}
}

/* Losses in a thread of a process that is not chosen may belong to another process. Count them for the whole recording. */
static void count_left_out(struct memphis_perfdata_recording *recording)
{
	const struct memphis_perfdata_thread *thread = recording->tasks.threads;
	const struct memphis_perfdata_thread *end = thread + recording->tasks.thread_count;

	for (; thread < end; thread++)
		if (!recording->tasks.images[thread->image].chosen) {
			recording->unowned_lost += thread->accounting.lost;
			recording->left_out += thread->accounting.interrupts - thread->accounting.lost;
		}
}

static int write_image(struct memphis_perfdata_recording *recording, size_t image,
		       struct memphis_perfdata *made, struct memphis_error *error)
{
	char *paths[2] = {NULL, NULL};
	size_t i;
	int rc = memphis_perfdata_image_write(recording, image, paths, error);

	for (i = 0; i < 2; i++) {
		/* A process with a partner gets no process file: the partner has one. */
		if (rc || (!i && recording->tasks.images[image].run))
			free(paths[i]);
		else if (add_path(made, paths[i]))
			rc = no_memory(recording, error);
	}
	return rc;
}

/* Makes the files of the processes that have a partner. If there are none, makes the files of the processes with samples. */
static int write_images(struct memphis_perfdata_recording *recording,
			const struct memphis_perfdata_partners *partners, struct memphis_perfdata *made,
			struct memphis_error *error)
{
	struct memphis_perfdata_tasks *tasks = &recording->tasks;
	const size_t before = made->count;
	size_t i;
	int rc = choose_joined(recording, partners, error);

	if (rc < 0)
		return rc;
	if (!rc)
		choose_own(tasks);
	number_chosen(tasks);
	count_left_out(recording);
	for (i = 0, rc = 0; !rc && i < tasks->image_count; i++)
		if (tasks->images[i].chosen)
			rc = write_image(recording, i, made, error);
	if (!rc && made->count == before)
		return memphis_fail(
			error, -ENODATA,
			"%s: no samples of programs; was the program run while perf recorded, and long enough?",
			recording->path);
	return rc;
}

int memphis_perfdata_convert(struct memphis_perfdata *made, const char *path,
			     const struct memphis_perfdata_partners *partners, struct memphis_error *error)
{
	struct memphis_perfdata_recording recording = {.path = path};
	struct memphis_perfdata_parts parts = {0};
	int rc = memphis_spool_begin(&recording.spool, error);

	if (!rc)
		rc = memphis_perfdata_parts_open(&parts, &recording.header, path, error);
	recording.translator.origin = &recording.header.origin;
	/* Add the empty string as number 0, which means "no path". */
	if (!rc && memphis_strings_add(&recording.strings, "", 0))
		rc = no_memory(&recording, error);
	if (!rc)
		rc = take_records(&recording, &parts, error);
	memphis_perfdata_unwinders_close(&recording.unwinders); /* before sample files are opened */
	if (!rc && !recording.header.events.accesses)
		rc = refuse_events(&recording, error);
	recording.unfinished = memphis_perfdata_parts_unfinished(&parts);
	recording.end_lost = memphis_perfdata_parts_end_lost(&parts);
	if (!rc) {
		count_lost(&recording);
		rc = write_images(&recording, partners, made, error);
	}
	memphis_perfdata_parts_close(&parts);
	memphis_perfdata_tasks_close(&recording.tasks);
	memphis_strings_close(&recording.strings);
	memphis_spool_close(&recording.spool);
	memphis_perfdata_header_close(&recording.header);
	return rc;
}

int memphis_perfdata_expand(struct memphis_perfdata *made, char *const *paths, size_t count,
			    struct memphis_error *error)
{
	size_t i;
	int rc = 0;

	memset(made, 0, sizeof(*made));
	for (i = 0; !rc && i < count; i++)
		if (memphis_perfdata_is(paths[i]))
			rc = memphis_perfdata_convert(made, paths[i], NULL, error);
		else if (add_path(made, strdup(paths[i])))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", paths[i]);
	return rc;
}

void memphis_perfdata_close(struct memphis_perfdata *made)
{
	size_t i;

	for (i = 0; i < made->count; i++)
		free(made->paths[i]);
	free(made->paths);
	memset(made, 0, sizeof(*made));
}
