// SPDX-License-Identifier: BSD-3-Clause
/* Reads each source file once, and stores the offsets of its lines. */
#include "source/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define SOURCE_BYTES_MAX (64L << 20)

/*
 * Returns the contents of the file as a malloc'ed string, or NULL on failure. Stores the size and the
 * modification time in *file.
 */
static char *read_text(const char *path, struct memphis_source_file *file)
{
	struct stat status;
	char *text = NULL;
	ssize_t got;
	off_t have = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > SOURCE_BYTES_MAX)
		goto close;
	file->changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	text = malloc((size_t)status.st_size + 1);
	while (text && have < status.st_size) {
		got = read(fd, text + have, (size_t)(status.st_size - have));
		if (got <= 0)
			break;
		have += got;
	}
	if (text)
		text[have] = 0;
	file->bytes = (size_t)have;
close:
	close(fd);
	return text;
}

static char *read_from_directories(struct memphis_sources *sources, const char *path,
				   struct memphis_source_file *file)
{
	const char *tail;
	char *candidate, *text;
	size_t i;

	for (i = 0; i < sources->directory_count; i++) {
		for (tail = path; tail && *tail; tail = strchr(tail, '/')) {
			tail += strspn(tail, "/");
			if (asprintf(&candidate, "%s/%s", sources->directories[i], tail) < 0)
				return NULL;
			text = read_text(candidate, file);
			file->found = candidate;
			if (text)
				return text;
			free(candidate);
		}
	}
	file->found = strdup(path);
	return read_text(path, file);
}

static int index_lines(struct memphis_source_file *file)
{
	size_t room = 0;
	const char *at = file->text;

	while (*at) {
		if (memphis_grow(&file->lines, &room, file->line_count + 1, sizeof(*file->lines)))
			return -1;
		file->lines[file->line_count++] = (size_t)(at - file->text);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return 0;
}

const struct memphis_source_file *memphis_source_file(struct memphis_sources *sources, const char *path)
{
	struct memphis_source_file *file;
	size_t i;

	for (i = 0; i < sources->count; i++)
		if (!strcmp(sources->list[i].path, path))
			return sources->list[i].text ? &sources->list[i] : NULL;
	file = memphis_append(sources->list, sources->count, sources->room);
	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path) {
		sources->count--;
		return NULL;
	}
	file->text = read_from_directories(sources, path, file);
	if (file->text && index_lines(file)) {
		free(file->text);
		file->text = NULL;
	}
	return file->text ? file : NULL;
}

const char *memphis_source_line(const struct memphis_source_file *file, unsigned int line, size_t *bytes)
{
	const char *text;

	if (!line || line > file->line_count)
		return NULL;
	text = file->text + file->lines[line - 1];
	*bytes = strcspn(text, "\n");
	return text;
}

void memphis_sources_close(struct memphis_sources *sources)
{
	size_t i;

	for (i = 0; i < sources->count; i++) {
		free(sources->list[i].path);
		free(sources->list[i].found);
		free(sources->list[i].text);
		free(sources->list[i].lines);
	}
	free(sources->list);
	memset(sources, 0, sizeof(*sources));
}
