// SPDX-License-Identifier: BSD-3-Clause
/* Reads the file tables in DWARF 5's line tables, because libdw does not return the digests. */
#include "dwarf/source_digests.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define VERSION      5
#define FORMATS_MAX  16
#define ENTRIES_MAX  65536u
#define PATH_MAXIMUM 4096u

struct digest {
	uint8_t bytes[MEMPHIS_MD5_BYTES];
	bool is_ambiguous;
};

struct memphis_source_digests {
	struct memphis_strings paths; /* number of a path is its index in `list` */
	struct digest *list;
	size_t room;
};

/* The unread part of a section or of a line table. It is empty after an error. */
struct cursor {
	const uint8_t *at, *end;
	bool failed;
	bool is_64; /* the table has 64-bit offsets */
};

struct sections {
	struct cursor line, line_str, str;
};

static const uint8_t *read_bytes(struct cursor *cursor, uint64_t bytes)
{
	const uint8_t *at = cursor->at;

	if (cursor->failed || bytes > (uint64_t)(cursor->end - at)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += bytes;
	return at;
}

static uint64_t read_number(struct cursor *cursor, size_t bytes)
{
	const uint8_t *at = read_bytes(cursor, bytes);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, bytes);
	return number;
}

static uint64_t read_uleb(struct cursor *cursor)
{
	uint64_t number = 0;
	unsigned int shift;
	const uint8_t *at;

	for (shift = 0; shift < 64; shift += 7) {
		at = read_bytes(cursor, 1);
		if (!at)
			return 0;
		number |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at & 0x80))
			return number;
	}
	cursor->failed = true;
	return 0;
}

static uint64_t read_offset(struct cursor *cursor)
{
	return read_number(cursor, cursor->is_64 ? 8 : 4);
}

static const char *string_at(const struct cursor *section, uint64_t offset)
{
	const uint64_t bytes = (uint64_t)(section->end - section->at);

	if (offset >= bytes || !memchr(section->at + offset, 0, bytes - offset))
		return NULL;
	return (const char *)section->at + offset;
}

static const char *read_string(struct cursor *cursor)
{
	const uint8_t *at = cursor->at,
		      *end = cursor->failed ? NULL : memchr(at, 0, (size_t)(cursor->end - at));

	if (!end) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at = end + 1;
	return (const char *)at;
}

struct format {
	uint64_t content, form;
};

/* An entry of the directory table or the file table. */
struct entry {
	const char *path;
	uint64_t directory;
	const uint8_t *digest;
};

static void read_field(struct cursor *table, const struct sections *sections, const struct format *format,
		       struct entry *entry)
{
	const uint8_t *bytes = NULL;
	const char *text = NULL;
	uint64_t number = 0;

	switch (format->form) {
	case DW_FORM_string:
		text = read_string(table);
		break;
	case DW_FORM_line_strp:
		text = string_at(&sections->line_str, read_offset(table));
		break;
	case DW_FORM_strp:
		text = string_at(&sections->str, read_offset(table));
		break;
	case DW_FORM_udata:
		number = read_uleb(table);
		break;
	case DW_FORM_data1:
		number = read_number(table, 1);
		break;
	case DW_FORM_data2:
		number = read_number(table, 2);
		break;
	case DW_FORM_data4:
		number = read_number(table, 4);
		break;
	case DW_FORM_data8:
		number = read_number(table, 8);
		break;
	case DW_FORM_data16:
		bytes = read_bytes(table, MEMPHIS_MD5_BYTES);
		break;
	case DW_FORM_block:
		read_bytes(table, read_uleb(table));
		break;
	default:
		table->failed = true;
	}
	if (format->content == DW_LNCT_path)
		entry->path = text;
	else if (format->content == DW_LNCT_directory_index)
		entry->directory = number;
	else if (format->content == DW_LNCT_MD5)
		entry->digest = bytes;
}

static size_t read_formats(struct cursor *table, struct format formats[FORMATS_MAX])
{
	const size_t count = read_number(table, 1);
	size_t i;

	table->failed |= count > FORMATS_MAX;
	for (i = 0; !table->failed && i < count; i++) {
		formats[i].content = read_uleb(table);
		formats[i].form = read_uleb(table);
	}
	return count;
}

/* Reads a table of entries. Returns it malloc'ed, or NULL if it is damaged or empty, or if memory is exhausted. */
static struct entry *read_entries(struct cursor *table, const struct sections *sections, size_t *count)
{
	struct format formats[FORMATS_MAX];
	const size_t format_count = read_formats(table, formats);
	struct entry *list;
	size_t i, j;

	*count = read_uleb(table);
	if (table->failed || !*count || *count > ENTRIES_MAX)
		return NULL;
	list = calloc(*count, sizeof(*list));
	for (i = 0; list && i < *count; i++)
		for (j = 0; j < format_count; j++)
			read_field(table, sections, &formats[j], &list[i]);
	if (table->failed) {
		free(list);
		return NULL;
	}
	return list;
}

/*
 * Stores the path in the form that libdw returns. Relative directories start in the first directory of the
 * table, which is the compilation directory.
 */
static bool join_path(char path[PATH_MAXIMUM], const struct entry *directories, size_t count,
		      const struct entry *file)
{
	const char *directory = file->directory < count ? directories[file->directory].path : NULL,
		   *base = directories->path;
	int bytes;

	if (!file->path || !directory || !base)
		return false;
	if (*file->path == '/')
		bytes = snprintf(path, PATH_MAXIMUM, "%s", file->path);
	else if (*directory == '/' || !file->directory)
		bytes = snprintf(path, PATH_MAXIMUM, "%s/%s", directory, file->path);
	else
		bytes = snprintf(path, PATH_MAXIMUM, "%s/%s/%s", base, directory, file->path);
	return bytes < (int)PATH_MAXIMUM;
}

static int keep_digest(struct memphis_source_digests *digests, const char *path, const uint8_t *bytes)
{
	const size_t known = digests->paths.count;
	const uint32_t number = memphis_strings_add_text(&digests->paths, path);
	struct digest *digest;

	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&digests->list, &digests->room, (size_t)number + 1, sizeof(*digest)))
		return -1;
	digest = &digests->list[number];
	if (digests->paths.count == known) {
		digest->is_ambiguous |= memcmp(digest->bytes, bytes, sizeof(digest->bytes)) != 0;
		return 0;
	}
	*digest = (struct digest){.is_ambiguous = false};
	memcpy(digest->bytes, bytes, sizeof(digest->bytes));
	return 0;
}

/* Reads a line table, beginning with the part of its header after the version. */
static int read_table(struct memphis_source_digests *digests, const struct sections *sections,
		      struct cursor *table)
{
	struct entry *directories, *files = NULL;
	size_t directory_count, file_count = 0, i;
	char path[PATH_MAXIMUM];
	int rc = 0;

	read_bytes(table, 2); /* skip the sizes of addresses and segment selectors */
	read_offset(table);
	read_bytes(table, 5); /* skip parameters of the line number program */
	read_bytes(table, (read_number(table, 1) - 1) & 0xff);
	directories = read_entries(table, sections, &directory_count);
	if (directories)
		files = read_entries(table, sections, &file_count);
	for (i = 0; files && !rc && i < file_count; i++)
		if (files[i].digest && join_path(path, directories, directory_count, &files[i]))
			rc = keep_digest(digests, path, files[i].digest);
	free(directories);
	free(files);
	return rc;
}

static int read_tables(struct memphis_source_digests *digests, struct sections *sections)
{
	struct cursor *line = &sections->line, table;
	uint64_t bytes;
	int rc = 0;

	while (!rc && !line->failed && line->at < line->end) {
		bytes = read_number(line, 4);
		table = (struct cursor){.is_64 = bytes == 0xffffffff};
		if (table.is_64)
			bytes = read_number(line, 8);
		table.at = read_bytes(line, bytes);
		if (!table.at)
			break;
		table.end = table.at + bytes;
		if (read_number(&table, 2) == VERSION)
			rc = read_table(digests, sections, &table);
	}
	return rc;
}

static void find_sections(Elf *elf, struct sections *sections)
{
	const struct {
		const char *name;
		struct cursor *cursor;
	} wanted[] = {{".debug_line", &sections->line},
		      {".debug_line_str", &sections->line_str},
		      {".debug_str", &sections->str}};
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	const char *name;
	Elf_Data *data;
	size_t names, i;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		for (i = 0; name && i < sizeof(wanted) / sizeof(*wanted); i++) {
			if (strcmp(name, wanted[i].name) || header.sh_type == SHT_NOBITS ||
			    header.sh_flags & SHF_COMPRESSED)
				continue;
			data = elf_getdata(scn, NULL);
			if (data && data->d_buf)
				*wanted[i].cursor = (struct cursor){
					.at = data->d_buf, .end = (uint8_t *)data->d_buf + data->d_size};
		}
	}
}

const uint8_t *memphis_source_digest_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
					  const char *path)
{
	struct sections sections = {.line.failed = false};
	uint32_t number;
	Dwarf *dwarf;

	if (!binary->digests) {
		binary->digests = calloc(1, sizeof(*binary->digests));
		pthread_mutex_lock(&binary->lock);
		dwarf = memphis_binary_dwarf(binaries, binary);
		pthread_mutex_unlock(&binary->lock);
		if (binary->digests && dwarf) {
			find_sections(dwarf_getelf(dwarf), &sections);
			/* If memory is exhausted, use the digests read so far. */
			read_tables(binary->digests, &sections);
		}
	}
	number = binary->digests ? memphis_strings_find(&binary->digests->paths, path, strlen(path))
				 : MEMPHIS_NO_STRING;
	if (number == MEMPHIS_NO_STRING || binary->digests->list[number].is_ambiguous)
		return NULL;
	return binary->digests->list[number].bytes;
}

void memphis_source_digests_close(struct memphis_binary *binary)
{
	if (!binary->digests)
		return;
	memphis_strings_close(&binary->digests->paths);
	free(binary->digests->list);
	free(binary->digests);
	binary->digests = NULL;
}
