// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names of imported functions, from the relocations of the global offset table (System V ABI, AMD64 supplement, 4.4 and 5.2). The
 * forms of stubs are those of GNU ld, lld and mold, with and without indirect branch tracking.
 */
#include "dwarf/imports.h"

#include <pthread.h>
#include <string.h>

#include "dwarf/demangle.h"
#include "dwarf/loader.h"

#define STUB_BYTES 20 /* up to the end of the jump of the longest stub */

static uint64_t relative(uint64_t end, const uint8_t *displacement)
{
	int32_t distance;

	memcpy(&distance, displacement, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

/* Returns whether the bytes at *at begin with these, and skips them. */
static bool skip(const uint8_t **at, const uint8_t *end, const void *bytes, size_t count)
{
	if ((size_t)(end - *at) < count || memcmp(*at, bytes, count) != 0)
		return false;
	*at += count;
	return true;
}

/*
 * Returns the word through which a stub jumps, or 0:
 *	[endbr64] [mov $index, %r11d] [bnd] jmp *word(%rip)
 */
static uint64_t word_of_stub(struct memphis_binary *binary, uint64_t stub)
{
	const int section = memphis_binary_section(binary, stub);
	const uint8_t *at, *end;
	uint8_t code[STUB_BYTES];

	if (section < 0 || strncmp(binary->sections[section].name, "plt", 3) != 0)
		return 0;
	at = code;
	end = code + memphis_binary_read(binary, stub, code, sizeof(code));
	skip(&at, end, "\xf3\x0f\x1e\xfa", 4);
	if (end - at >= 6 && skip(&at, end, "\x41\xbb", 2))
		at += 4;
	skip(&at, end, "\xf2", 1);
	if (!skip(&at, end, "\xff\x25", 2) || end - at < 4)
		return 0;
	return relative(stub + (uint64_t)(at + 4 - code), at);
}

/* Returns the link-time address of the word through which the call at `vaddr` goes, directly or by a stub; 0 for other calls. */
static uint64_t word_of_call(struct memphis_binary *binary, uint64_t vaddr)
{
	uint8_t code[6];
	const size_t bytes = memphis_binary_read(binary, vaddr, code, sizeof(code));

	if (bytes >= 5 && code[0] == 0xe8)
		return word_of_stub(binary, relative(vaddr + 5, code + 1));
	if (bytes == 6 && code[0] == 0xff && code[1] == 0x15)
		return relative(vaddr + 6, code + 2);
	return 0;
}

char *memphis_import_of_call(struct memphis_binary *binary, uint64_t vaddr)
{
	const uint64_t word = word_of_call(binary, vaddr);
	const char *symbol;
	char *clear;

	if (!word)
		return NULL;
	pthread_mutex_lock(&binary->lock);
	symbol = memphis_loader_symbol(binary, word);
	pthread_mutex_unlock(&binary->lock);
	if (!symbol)
		return NULL;
	clear = memphis_demangle(symbol);
	if (!clear)
		clear = memphis_demangle_procedure(symbol);
	return clear ? clear : strdup(symbol);
}
