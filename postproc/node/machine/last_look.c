// SPDX-License-Identifier: BSD-3-Clause
/* Saves and loads the counts of errors of the last look, and computes the number of errors since then. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "node/machine/errors.h"
#include "node/machine/machine.h"

#define HEADING "memphis-errors 1"

static const struct memphis_error_count *find_count(const struct memphis_error_counts *counts,
						    const struct memphis_error_count *like)
{
	size_t i;

	for (i = 0; i < counts->count; i++)
		if (counts->list[i].row->class == like->row->class &&
		    !strcmp(counts->list[i].row->word, like->row->word) &&
		    !strcmp(counts->list[i].device, like->device))
			return &counts->list[i];
	return NULL;
}

uint64_t memphis_errors_since(const struct memphis_error_counts *now, const struct memphis_error_count *count,
			      const struct memphis_error_counts *before)
{
	const struct memphis_error_count *then = find_count(before, count);
	const bool booted = *now->boot && *before->boot && strcmp(now->boot, before->boot);

	if (!then || then->value > count->value ||
	    (booted && memphis_error_classes[count->row->class].from_boot))
		return count->value;
	return count->value - then->value;
}

int memphis_error_counts_save(const struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error)
{
	const struct memphis_error_count *count;
	struct memphis_text text = {0};

	memphis_text_print(&text, HEADING "\nhost %s\nboot %s\ntime %" PRIu64 "\n", counts->host,
			   counts->boot, counts->time);
	for (count = counts->list; count < memphis_error_counts_end(counts); count++)
		if (count->value)
			memphis_text_print(&text, "%s %s %s %" PRIu64 "\n",
					   memphis_error_classes[count->row->class].name, count->device,
					   count->row->word, count->value);
	return memphis_outfile_write(path, &text, error);
}

static int parse_count(struct memphis_error_counts *counts, struct memphis_span class,
		       struct memphis_span line)
{
	const struct memphis_error_row *row;
	struct memphis_error_count *count;
	struct memphis_span device, word;
	uint64_t value;

	if (!memphis_next_field(&line, &device) || !memphis_next_field(&line, &word) ||
	    !memphis_next_number(&line, false, &value))
		return -EINVAL;
	row = memphis_error_row_find(class, word);
	/* Ignore unknown counters, which later versions may write. */
	if (!row)
		return 0;
	count = memphis_append(counts->list, counts->count, counts->room);
	if (!count)
		return -ENOMEM;
	count->row = row;
	count->value = value;
	snprintf(count->device, sizeof(count->device), "%.*s", (int)device.bytes, device.text);
	return 0;
}

static int parse_line(struct memphis_error_counts *counts, struct memphis_span line)
{
	struct memphis_span key;

	if (!memphis_next_field(&line, &key))
		return 0;
	if (memphis_span_is(key, "host"))
		snprintf(counts->host, sizeof(counts->host), "%.*s", (int)line.bytes, line.text);
	else if (memphis_span_is(key, "boot"))
		snprintf(counts->boot, sizeof(counts->boot), "%.*s", (int)line.bytes, line.text);
	else if (memphis_span_is(key, "time"))
		return memphis_next_number(&line, false, &counts->time) ? 0 : -EINVAL;
	else
		return parse_count(counts, key, line);
	return 0;
}

int memphis_error_counts_load(struct memphis_error_counts *counts, const char *path,
			      struct memphis_error *error)
{
	char *text = memphis_root_read("", "%s", path);
	struct memphis_span rest = {text, text ? strlen(text) : 0}, line;
	unsigned int number = 1;
	int rc = 0;

	memset(counts, 0, sizeof(*counts));
	if (!text) {
		rc = errno ? -errno : -EIO;
		return memphis_fail(error, rc, "%s: %s", path, strerror(-rc));
	}
	if (!memphis_next_line(&rest, &line) || !memphis_span_is(line, HEADING))
		rc = memphis_fail(error, -EINVAL, "%s: not a file of memphis node --since", path);
	while (!rc && memphis_next_line(&rest, &line)) {
		number++;
		rc = parse_line(counts, line);
		if (rc)
			memphis_fail(error, rc, "%s, line %u: %s", path, number,
				     rc == -ENOMEM ? "out of memory"
						   : "not what memphis node --since writes");
	}
	free(text);
	if (rc)
		memphis_error_counts_close(counts);
	return rc;
}
