/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the CPU time per operation of a hot table of the post-processor, or of an equivalent uthash table with the same hash
 * function: adds all distinct keys, then finds each of them in another order.
 * usage: tables counts|strings ours|uthash; prints: ADD_NS FIND_NS PEAK_MB
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/pool.h"
#include "profile/counts.h"

#define HASH_FUNCTION(key, bytes, hash) ((hash) = (unsigned int)memphis_hash(key, bytes))
#include <uthash.h>

#define COUNTS  1000000u
#define STRINGS 200000u
#define STEP    7919u /* a prime: the second pass visits each key once, in scattered order */

struct hashed_count {
	struct memphis_count count;
	UT_hash_handle hh;
};

struct hashed_string {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

static struct memphis_counts counts;
static struct memphis_strings strings;
static struct hashed_count *hashed_counts;
static struct hashed_string *hashed_strings;
static char texts[STRINGS][64];

static struct memphis_count count_of(uint32_t i)
{
	return (struct memphis_count){
		.key.pc = 0x401000 + i / 16 * 4, .key.owner.index = i % 16, .measure.count = 1};
}

static void our_count(uint32_t i)
{
	const struct memphis_count count = count_of(i);

	memphis_counts_add(&counts, &count);
}

static void hashed_count(uint32_t i)
{
	const struct memphis_count count = count_of(i);
	struct hashed_count *entry;

	HASH_FIND(hh, hashed_counts, &count.key, sizeof(count.key), entry);
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		entry->count.key = count.key;
		HASH_ADD(hh, hashed_counts, count.key, sizeof(count.key), entry);
	}
	entry->count.measure.count += count.measure.count;
}

static void our_string(uint32_t i)
{
	memphis_strings_add_text(&strings, texts[i]);
}

static void hashed_string(uint32_t i)
{
	size_t bytes = strlen(texts[i]);
	struct hashed_string *entry;

	HASH_FIND(hh, hashed_strings, texts[i], bytes, entry);
	if (entry)
		return;
	entry = malloc(sizeof(*entry) + bytes + 1);
	memcpy(entry->text, texts[i], bytes + 1);
	entry->number = HASH_COUNT(hashed_strings);
	HASH_ADD_KEYPTR(hh, hashed_strings, entry->text, bytes, entry);
}

int main(int argc, char **argv)
{
	const int is_strings = argc == 3 && !strcmp(argv[1], "strings");
	const int is_ours = argc == 3 && !strcmp(argv[2], "ours");
	void (*const operations[2][2])(uint32_t) = {{hashed_count, our_count}, {hashed_string, our_string}};
	const uint64_t n = is_strings ? STRINGS : COUNTS;
	struct rusage usage;
	clock_t begin;

	for (uint64_t i = 0; is_strings && i < n; i++)
		sprintf(texts[i], "/usr/src/model/module_%u.F90:subroutine_%u", (unsigned int)i / 50,
			(unsigned int)i);
	for (uint64_t pass = 0; pass < 2; pass++) {
		begin = clock();
		for (uint64_t i = 0; i < n; i++)
			operations[is_strings][is_ours]((uint32_t)(i * (pass ? STEP : 1) % n));
		printf("%.1f ", (double)(clock() - begin) * 1e9 / CLOCKS_PER_SEC / (double)n);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss / 1000);
	return 0;
}
