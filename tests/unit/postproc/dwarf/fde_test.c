// SPDX-License-Identifier: BSD-3-Clause
/* Ranges of functions from .eh_frame, also from sections that are damaged. If this fails, such a binary crashes the tool. */
#include "dwarf/cfa.h"

#include "../../tap.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ADDRESS 0x1000

/* A CIE with augmentation "zR" and pointers of 4 bytes relative to their place, and an FDE of 0x20 bytes at ADDRESS + 0x1000. */
static const uint8_t good[] = {
	0x14, 0, 0, 0, 0,    0, 0, 0, 1,    'z',  'R', 0, 1,    0x78, 0x10, 1, 0x1b, 0x0c, 7, 8,
	0x90, 1, 0, 0,                                                                           /* CIE */
	0x10, 0, 0, 0, 0x1c, 0, 0, 0, 0xe0, 0x0f, 0,   0, 0x20, 0,    0,    0, 0,    0,    0, 0, /* FDE */
	0,    0, 0, 0,
};

/* Looks up an address in a section with these bytes. */
static bool range_in(const uint8_t *bytes, size_t count, uint64_t vaddr, uint64_t *low, uint64_t *high)
{
	struct memphis_segment segment = {.vaddr = ADDRESS, .file_bytes = count};
	struct memphis_section section = {.name = "eh_frame", .low = ADDRESS, .high = ADDRESS + count};
	struct memphis_binary binary = {.fd = memfd_create("section", 0),
					.segments = &segment,
					.segment_count = 1,
					.sections = &section,
					.section_count = 1};
	bool found;

	if (write(binary.fd, bytes, count) != (ssize_t)count)
		exit(1);
	found = memphis_function_find_bounds(&binary, vaddr, low, high);
	free(binary.fdes);
	close(binary.fd);
	return found;
}

int main(void)
{
	static const uint8_t short_entry[] = {4, 0, 0, 0, 1, 0, 0, 0};
	uint64_t low = 0, high = 0;
	uint8_t copy[sizeof(good)];
	size_t at, value;

	ok(range_in(good, sizeof(good), ADDRESS + 0x1010, &low, &high), "the function of an entry is found");
	is(low, ADDRESS + 0x1000, "its first address");
	is(high, ADDRESS + 0x1020, "the address after its last one");
	ok(!range_in(good, sizeof(good), ADDRESS + 0x1020, &low, &high),
	   "an address behind it is in no function");
	ok(!range_in(short_entry, sizeof(short_entry), ADDRESS, &low, &high),
	   "an entry whose CIE would lie behind its end is left out");
	/* The sanitizer ends the test at a read outside the section. */
	for (at = 0; at < sizeof(good); at++)
		for (value = 0; value < 256; value += 1 + (value > 32) * 7) {
			memcpy(copy, good, sizeof(good));
			copy[at] = (uint8_t)value;
			range_in(copy, sizeof(copy), ADDRESS + 0x1010, &low, &high);
		}
	for (at = 1; at < sizeof(good); at++)
		range_in(good, at, ADDRESS + 0x1010, &low, &high);
	ok(true, "sections with a wrong byte, or cut at any byte, are read to their end and no further");
	return finish();
}
