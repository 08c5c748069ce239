// SPDX-License-Identifier: BSD-3-Clause
/* Reads /proc/interrupts: a line for each interrupt, with a count for each CPU that is online, and a description. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/machine/machine.h"

/* Parses the header line, which lists the online CPUs. Returns their numbers in a malloc'ed array. */
static unsigned int *parse_columns(char *line, size_t *count)
{
	unsigned int *columns = NULL, number;
	size_t capacity = 0;
	char *word;

	while ((word = strsep(&line, " \t"))) {
		if (sscanf(word, "CPU%u", &number) != 1)
			continue;
		if (memphis_grow(&columns, &capacity, *count + 1, sizeof(*columns)))
			break;
		columns[(*count)++] = number;
	}
	return columns;
}

/* Parses the counts of a line. Returns the rest of the line. */
static char *parse_counts(char *line, const unsigned int *columns, size_t column_count, uint64_t *counts,
			  size_t cpus)
{
	uint64_t value;
	size_t i;
	char *end;

	for (i = 0; i < column_count; i++, line = end) {
		value = strtoull(line, &end, 10);
		if (end == line)
			break;
		if (columns[i] < cpus)
			counts[columns[i]] = value;
	}
	return line;
}

/*
 * Copies the description. The description of a device's interrupt consists of the chip, a number with the
 * kind of trigger, and the names of its users, as in "IR-PCI-MSIX-0000:41:00.0 12-edge mlx5_comp3". Copies
 * only the names after the kind of trigger.
 */
static void parse_name(struct memphis_interrupt_line *line, char *text)
{
	const size_t size = sizeof(line->name);
	size_t used = 0;
	char *word;

	while ((word = strsep(&text, " \t"))) {
		const char *trigger = isdigit((unsigned char)*line->label) ? strrchr(word, '-') : NULL;

		if (!*word)
			continue;
		if (trigger && (!strcmp(trigger, "-edge") || !strcmp(trigger, "-level") ||
				!strcmp(trigger, "-fasteoi"))) {
			if (text && text[strspn(text, " \t")])
				used = 0;
			continue;
		}
		used += (size_t)snprintf(line->name + used, size - used, "%s%s", used ? " " : "", word);
		if (used >= size)
			break;
	}
}

static int parse_line(struct memphis_interrupts *interrupts, char *text, const unsigned int *columns,
		      size_t column_count)
{
	char *label = text + strspn(text, " "), *colon = strchr(label, ':');
	struct memphis_interrupt_line *line;
	uint64_t *counts;

	if (!colon)
		return 0;
	line = memphis_append(interrupts->lines, interrupts->count, interrupts->room);
	if (!line || memphis_grow(&interrupts->counts, &interrupts->counts_room,
				  interrupts->count * interrupts->cpus, sizeof(*counts)))
		return -ENOMEM;
	snprintf(line->label, sizeof(line->label), "%.*s", (int)(colon - label), label);
	counts = interrupts->counts + (interrupts->count - 1) * interrupts->cpus;
	memset(counts, 0, interrupts->cpus * sizeof(*counts));
	parse_name(line, parse_counts(colon + 1, columns, column_count, counts, interrupts->cpus));
	return 0;
}

int memphis_interrupts_read(struct memphis_interrupts *interrupts, const char *root, size_t cpus)
{
	char *text = memphis_root_read(root, "/proc/interrupts"), *rest = text, *line;
	unsigned int *columns;
	size_t column_count = 0;
	int rc = 0;

	*interrupts = (struct memphis_interrupts){.cpus = cpus};
	columns = parse_columns(strsep(&rest, "\n"), &column_count);
	while (!rc && columns && cpus && (line = strsep(&rest, "\n")))
		rc = parse_line(interrupts, line, columns, column_count);
	free(columns);
	free(text);
	return rc;
}

void memphis_interrupts_close(struct memphis_interrupts *interrupts)
{
	free(interrupts->lines);
	free(interrupts->counts);
	memset(interrupts, 0, sizeof(*interrupts));
}

/*
 * Returns the counts of the line with this label, or NULL. The search begins at index `place`, because a line
 * is mostly at the same place in both readings.
 */
static const uint64_t *find_counts(const struct memphis_interrupts *interrupts, const char *label,
				   size_t place)
{
	size_t i, line;

	for (i = 0; i < interrupts->count; i++) {
		line = (place + i) % interrupts->count;
		if (!strcmp(interrupts->lines[line].label, label))
			return interrupts->counts + line * interrupts->cpus;
	}
	return NULL;
}

uint64_t memphis_busiest_interrupt(const struct memphis_interrupts *before,
				   const struct memphis_interrupts *after, size_t *line, size_t *cpu)
{
	const uint64_t *now = after->counts, *then;
	uint64_t most = 0, moved;
	size_t i, j;

	for (i = 0; i < after->count; i++, now += after->cpus) {
		then = find_counts(before, after->lines[i].label, i);
		for (j = 0; j < after->cpus; j++) {
			moved = then && j < before->cpus ? now[j] - then[j] : now[j];
			/* If a count has decreased, it was reset. */
			if (then && j < before->cpus && now[j] < then[j])
				moved = now[j];
			if (moved <= most)
				continue;
			most = moved;
			*line = i;
			*cpu = j;
		}
	}
	return most;
}
