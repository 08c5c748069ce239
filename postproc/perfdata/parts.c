// SPDX-License-Identifier: BSD-3-Clause
/* Merges the files of a recording into one sequence of records. */
#include "perfdata/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/*
 * Files in the directory of a recording. The first one has the header and the records of processes that ran
 * already. Each of the others has the records that one thread of perf wrote.
 */
#define HEADER_FILE "%s/data"
#define PART_FILE   "%s/data.%u"

static bool is_directory(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

bool memphis_perfdata_parts_are(const char *path)
{
	char file[PATH_MAX];

	if (!is_directory(path))
		return memphis_perfdata_stream_is(path);
	return snprintf(file, sizeof(file), HEADER_FILE, path) < (int)sizeof(file) &&
	       memphis_perfdata_stream_is(file);
}

static struct memphis_perfdata_part *add_part(struct memphis_perfdata_parts *parts, const char *path,
					      struct memphis_error *error)
{
	struct memphis_perfdata_part *part = memphis_append(parts->list, parts->count, parts->room);

	if (!part)
		memphis_fail(error, -ENOMEM, "%s: out of memory", path);
	return part;
}

/* Raises the limit of open files to the hard limit. perf has a thread for each CPU by default. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opens the files of perf's threads. They are numbered from 0 without gaps. */
static int open_threads(struct memphis_perfdata_parts *parts, struct memphis_perfdata_header *header,
			const char *path, struct memphis_error *error)
{
	struct memphis_perfdata_part *part;
	char file[PATH_MAX];
	const bool may_be_cut = parts->list->stream.input.unfinished;
	struct stat status;
	unsigned int number;
	int rc = 0;

	allow_descriptors();
	for (number = 0; !rc; number++) {
		if (snprintf(file, sizeof(file), PART_FILE, path, number) >= (int)sizeof(file) ||
		    stat(file, &status))
			break;
		part = add_part(parts, file, error);
		if (!part)
			return -ENOMEM;
		rc = memphis_perfdata_stream_open_part(&part->stream, header, file, may_be_cut, error);
	}
	return rc;
}

int memphis_perfdata_parts_open(struct memphis_perfdata_parts *parts, struct memphis_perfdata_header *header,
				const char *path, struct memphis_error *error)
{
	const bool many = is_directory(path);
	struct memphis_perfdata_part *part;
	char file[PATH_MAX];
	int rc;

	memset(parts, 0, sizeof(*parts));
	if (snprintf(file, sizeof(file), many ? HEADER_FILE : "%s", path) >= (int)sizeof(file))
		return memphis_fail(error, -ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	part = add_part(parts, path, error);
	if (!part)
		return -ENOMEM;
	rc = memphis_perfdata_stream_open(&part->stream, header, file, error);
	if (rc)
		return rc;
	return many ? open_threads(parts, header, path, error) : 0;
}

void memphis_perfdata_parts_close(struct memphis_perfdata_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		memphis_perfdata_stream_close(&parts->list[i].stream);
	free(parts->list);
	memset(parts, 0, sizeof(*parts));
}

bool memphis_perfdata_parts_unfinished(const struct memphis_perfdata_parts *parts)
{
	bool unfinished = false;
	size_t i;

	for (i = 0; i < parts->count; i++)
		unfinished |= parts->list[i].stream.input.unfinished;
	return unfinished;
}

bool memphis_perfdata_parts_end_lost(const struct memphis_perfdata_parts *parts)
{
	bool lost = false;
	size_t i;

	for (i = 0; i < parts->count; i++)
		lost |= parts->list[i].stream.end_lost;
	return lost;
}

/* Reads the part's next record, unless it was read already. Returns 0 or a negative errno. */
static int look_ahead(struct memphis_perfdata_part *part, struct memphis_error *error)
{
	int rc;

	if (part->has_next || part->ended)
		return 0;
	rc = memphis_perfdata_stream_next(&part->stream, &part->next, error);
	part->has_next = rc > 0;
	part->ended = !rc;
	return rc < 0 ? rc : 0;
}

/*
 * Returns the record with the earliest time. Records without a time come first. The next record of a part is
 * read only at the next call, because this makes the previous one invalid.
 */
int memphis_perfdata_parts_next(struct memphis_perfdata_parts *parts,
				const struct memphis_perfdata_record **record, struct memphis_error *error)
{
	struct memphis_perfdata_part *part, *first = NULL;
	int rc;

	for (part = parts->list; part < parts->list + parts->count; part++) {
		rc = look_ahead(part, error);
		if (rc)
			return rc;
		if (part->has_next && (!first || part->next.time_ns < first->next.time_ns))
			first = part;
	}
	if (!first)
		return 0;
	*record = &first->next;
	first->has_next = false;
	return 1;
}
