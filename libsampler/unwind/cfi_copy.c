/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of call frame information. Files of others are not trusted: memphis_cfi_copy_add() checks the table of functions and the
 * bounds of the entries that it refers to, and cfi.c stays within an entry. The bytes after a copy are zero, so that texts and numbers of
 * variable length end there.
 */
#include <string.h>
#include <unistd.h>

#include "unwind/cfi_copy.h"

#define COPIES_MAX 4096
#define BYTES_MAX  (256u << 20) /* of one object */
#define ZEROS      4096         /* after a copy */
#define ENTRY_MIN  16           /* bytes; no linker writes smaller entries */

static struct memphis_cfi_copy *copies;
static size_t copy_count;
static bool are_used;

void memphis_cfi_copies_use(void)
{
	are_used = true;
}

bool memphis_cfi_copies_are_used(void)
{
	return are_used;
}

void memphis_cfi_copies_clear(void)
{
	while (copy_count--)
		sys_unmap(copies[copy_count].bytes, copies[copy_count].size);
	copy_count = 0;
}

const struct memphis_cfi_copy *memphis_cfi_copy_at(__u64 pc)
{
	size_t i;

	for (i = 0; i < copy_count; i++)
		if (pc >= copies[i].start && pc < copies[i].end)
			return &copies[i];
	return NULL;
}

static const Elf64_Phdr *segment_of(const Elf64_Phdr *segments, size_t count, __u64 vaddr)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && vaddr >= segments[i].p_vaddr &&
		    vaddr - segments[i].p_vaddr < segments[i].p_filesz)
			return &segments[i];
	return NULL;
}

/* Reads all bytes; a file that is shorter than its headers say is damaged. */
static int read_all(int fd, unsigned char *to, size_t bytes, __u64 offset)
{
	ssize_t got;

	while (bytes) {
		got = pread(fd, to, bytes, (off_t)offset);
		if (got <= 0)
			return got ? -EIO : -EBADMSG;
		to += got;
		offset += (__u64)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/* Returns the address of .eh_frame in the object, from the header of .eh_frame_hdr; 0 if its encodings are not those of linkers. */
static __u64 eh_frame_of(const unsigned char *header, __u64 vaddr)
{
	__s32 distance;

	/* Version; then .eh_frame relative to its own place, a count and pairs relative to the header, of 32 bits each. */
	if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b)
		return 0;
	memcpy(&distance, header + 4, 4);
	return vaddr + 4 + (__u64)(__s64)distance;
}

/* Returns true if an entry lies in the first `bytes` bytes. Stores the offset of what follows its length in *body. */
static bool has_entry(const unsigned char *bytes, __u64 size, __u64 at, __u64 *body)
{
	__u32 length;

	if (at > size || size - at < ENTRY_MIN)
		return false;
	memcpy(&length, bytes + at, 4);
	*body = at + 4;
	return length >= ENTRY_MIN - 4 && length <= size - *body;
}

/* Checks the table, the FDEs it refers to, and the CIEs these refer to. */
static bool is_sound(const unsigned char *bytes, __u64 size, __u64 header)
{
	__u64 fde, cie;
	__s32 distance;
	__u32 count, i, back;

	if (header > size || size - header < 12)
		return false;
	memcpy(&count, bytes + header + 8, 4);
	if (count > (size - header - 12) / 8)
		return false;
	for (i = 0; i < count; i++) {
		memcpy(&distance, bytes + header + 12 + 8 * (__u64)i + 4, 4);
		if (!has_entry(bytes, size, header + (__u64)(__s64)distance, &fde))
			return false;
		memcpy(&back, bytes + fde, 4);
		if (back > fde || !has_entry(bytes, size, fde - back, &cie))
			return false;
	}
	return true;
}

static void cover(struct memphis_cfi_copy *copy, const Elf64_Phdr *segments, size_t count, __u64 bias)
{
	size_t i;

	copy->start = UINT64_MAX;
	copy->end = 0;
	for (i = 0; i < count; i++) {
		if (segments[i].p_type != PT_LOAD)
			continue;
		if (bias + segments[i].p_vaddr < copy->start)
			copy->start = bias + segments[i].p_vaddr;
		if (bias + segments[i].p_vaddr + segments[i].p_memsz > copy->end)
			copy->end = bias + segments[i].p_vaddr + segments[i].p_memsz;
	}
}

int memphis_cfi_copy_add(int fd, const Elf64_Phdr *segments, size_t count, __u64 bias)
{
	const Elf64_Phdr *header = NULL, *segment = NULL;
	struct memphis_cfi_copy copy;
	unsigned char begin[8];
	__u64 low, bytes;
	size_t i;
	int err;

	for (i = 0; i < count; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			header = &segments[i];
	if (header)
		segment = segment_of(segments, count, header->p_vaddr);
	if (!segment || copy_count == COPIES_MAX)
		return -ENOENT;
	err = read_all(fd, begin, sizeof(begin), segment->p_offset + (header->p_vaddr - segment->p_vaddr));
	if (err)
		return err;
	low = eh_frame_of(begin, header->p_vaddr);
	if (!low || segment_of(segments, count, low) != segment)
		return -ENOENT;
	if (header->p_vaddr < low)
		low = header->p_vaddr;
	bytes = segment->p_filesz - (low - segment->p_vaddr);
	if (bytes > BYTES_MAX)
		return -ENOENT;
	if (!copies)
		copies = sys_map(COPIES_MAX * sizeof(*copies));
	copy.size = bytes + ZEROS;
	copy.bytes = copies ? sys_map(copy.size) : NULL;
	if (!copy.bytes)
		return -ENOMEM;
	err = read_all(fd, copy.bytes, bytes, segment->p_offset + (low - segment->p_vaddr));
	if (!err && !is_sound(copy.bytes, bytes, header->p_vaddr - low))
		err = -EBADMSG;
	if (err) {
		sys_unmap(copy.bytes, copy.size);
		return err;
	}
	cover(&copy, segments, count, bias);
	copy.eh_frame_hdr = copy.bytes + (header->p_vaddr - low);
	copy.shift = (__u64)(uintptr_t)copy.bytes - (bias + low);
	copies[copy_count++] = copy;
	return 0;
}
