/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of call frame information, compared with that in memory. If this fails, the callers of samples in a process that memphis record
 * -p attached to are wrong or missing, or a damaged file ends the tool.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/cfi.h"

#include "../../tap.h"

#define FAR       0x100000000000ull /* distance of the objects of "the other process" */
#define ADDRESSES 4096
#define SEGMENTS  64
#define DAMAGES   100
#define ENTRIES   5000 /* damaged at a time */

static struct answer {
	__u64 pc, start, end;
	struct memphis_rule rule;
} answers[ADDRESSES];

static union memphis_cfi_work work;
static Elf64_Phdr segments[SEGMENTS];
static size_t segment_count;
static const char *path;
static __u64 bias, code, code_bytes;
static unsigned char *file;
static size_t file_bytes;

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	int i;

	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	path = info->dlpi_name;
	bias = info->dlpi_addr;
	segment_count = info->dlpi_phnum;
	memcpy(segments, info->dlpi_phdr, segment_count * sizeof(*segments));
	for (i = 0; i < info->dlpi_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X) {
			code = bias + segments[i].p_vaddr;
			code_bytes = segments[i].p_filesz;
		}
	return 1;
}

static void load(void)
{
	int fd = open(path, O_RDONLY);

	file_bytes = (size_t)lseek(fd, 0, SEEK_END);
	file = malloc(file_bytes);
	if (!file || pread(fd, file, file_bytes, 0) != (ssize_t)file_bytes)
		exit(99);
	close(fd);
}

/* Asks for addresses all over the code, at `distance` from those of this process. */
static void ask(__u64 distance, struct answer *to)
{
	size_t i;

	for (i = 0; i < ADDRESSES; i++) {
		to[i] = (struct answer){.pc = code + i * (code_bytes / ADDRESSES)};
		to[i].rule = memphis_cfi_rule(to[i].pc + distance, &work);
		if (memphis_cfi_function(to[i].pc + distance, &to[i].start, &to[i].end)) {
			to[i].start -= distance;
			to[i].end -= distance;
		}
	}
}

/* Copies from `bytes`, as if they were those of the file. */
static int copy_from(const unsigned char *bytes, size_t size)
{
	int fd = memfd_create("object", 0), rc;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(99);
	memphis_cfi_copies_clear();
	rc = memphis_cfi_copy_add(fd, segments, segment_count, bias + FAR);
	close(fd);
	return rc;
}

static void equals_memory(void)
{
	static struct answer copied[ADDRESSES];
	unsigned int rules = 0, i;
	__u64 start, end;

	ask(0, answers);
	for (i = 0; i < ADDRESSES; i++)
		rules += answers[i].rule.kind != MEMPHIS_RULE_NONE;
	ok(rules > ADDRESSES / 2, "more than half of the C library's code has rules (%u of %u)", rules,
	   ADDRESSES);
	memphis_cfi_copies_use();
	is(memphis_cfi_rule(answers[ADDRESSES / 2].pc, &work).kind, MEMPHIS_RULE_NONE,
	   "without a copy there is no rule, although this process has code there");
	is(copy_from(file, file_bytes), 0, "the information is copied");
	ask(FAR, copied);
	ok(!memcmp(answers, copied, sizeof(answers)), "rules and bounds of functions are those in memory");
	is(memphis_cfi_rule(answers[ADDRESSES / 2].pc, &work).kind, MEMPHIS_RULE_NONE,
	   "code of this process has no rule");
	ok(!memphis_cfi_function(answers[ADDRESSES / 2].pc, &start, &end), "nor bounds");
	memphis_cfi_copies_clear();
	ask(FAR, copied);
	for (i = rules = 0; i < ADDRESSES; i++)
		rules += copied[i].rule.kind != MEMPHIS_RULE_NONE;
	is(rules, 0, "without the copy there is no rule");
}

static __u64 offset_of(__u32 type)
{
	size_t i;

	for (i = 0; i < segment_count; i++)
		if (segments[i].p_type == type)
			return segments[i].p_offset;
	exit(99);
}

static unsigned int next(unsigned int below)
{
	static unsigned int seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Changes bytes of a function's entry, or of the common one that it refers to, except for length and reference. */
static void damage_entry(unsigned char *bytes, __u64 header, bool common)
{
	__u32 count, length, back, at;
	unsigned char *entry;
	__s32 distance;

	memcpy(&count, file + header + 8, 4);
	memcpy(&distance, file + header + 12 + 8 * (__u64)next(count) + 4, 4);
	entry = bytes + header + distance;
	memcpy(&back, entry + 4, 4);
	if (common)
		entry = entry + 4 - back;
	memcpy(&length, entry, 4);
	at = next(length - 4);
	/* A number that goes on for many bytes is a length beyond everything. */
	if (next(2))
		memset(entry + 8 + at, 0xff, length - 4 - at);
	else
		entry[8 + at] = (unsigned char)next(256);
}

static void refuses_damage(void)
{
	static struct answer damaged[ADDRESSES];
	const __u64 header = offset_of(PT_GNU_EH_FRAME);
	unsigned char *bytes = malloc(file_bytes);
	unsigned int refused = 0, i, j;

	memcpy(bytes, file, file_bytes);
	is(copy_from(bytes, header + 100), -EBADMSG, "a file that ends in the table is damaged");
	is(copy_from(bytes, 64), -EBADMSG, "a file that ends before the table is damaged");
	memset(bytes + header + 8, 0xff, 4);
	is(copy_from(bytes, file_bytes), -EBADMSG, "a table that is longer than its segment is damaged");
	memcpy(bytes, file, file_bytes);
	memset(bytes + header + 12 + 4, 0x7f, 4);
	is(copy_from(bytes, file_bytes), -EBADMSG, "an entry outside of the segment is damage");
	memcpy(bytes, file, file_bytes);
	bytes[header + 3] = 0x3c;
	is(copy_from(bytes, file_bytes), -ENOENT, "a table of another encoding is not used");
	for (i = 0; i < DAMAGES; i++) {
		memcpy(bytes, file, file_bytes);
		for (j = 0; j < ENTRIES; j++)
			damage_entry(bytes, header, i % 4 == 0);
		refused += copy_from(bytes, file_bytes) != 0;
		ask(FAR, damaged);
	}
	is(refused, 0, "entries that are damaged inside are copied");
	ok(1, "damaged entries do not end the process");
	free(bytes);
}

int main(void)
{
	memphis_cfi_setup();
	dl_iterate_phdr(find_libc, NULL);
	if (!path)
		return 99;
	load();
	equals_memory();
	refuses_damage();
	free(file);
	return finish();
}
