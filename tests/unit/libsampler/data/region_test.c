/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions. If this fails, samples have the name of the wrong caliper. */
#include <pthread.h>
#include <string.h>

#include "data/region.h"
#include "../../tap.h"

static struct memphis_region *get(struct memphis_region *parent, const char *name)
{
	return memphis_region_get(parent, name, strlen(name));
}

static void *get_many(void *unused)
{
	char name[16];
	int i;

	(void)unused;
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		get(NULL, name);
	}
	return NULL;
}

int main(void)
{
	struct memphis_region *loop, *bound, *other, *written = NULL, *region;
	struct memphis_text text = {0};
	pthread_t threads[4];
	char long_name[400], name[16];
	__u32 last = 0;
	int i;

	loop = get(NULL, "TimeLoop");
	bound = get(loop, "Bound");
	other = get(NULL, "Bound");
	is(loop->id, 1, "the first region is number 1");
	ok(get(NULL, "TimeLoop") == loop, "the same name at the same place is the same region");
	ok(bound != other, "the same name below another parent is another region");
	ok(get(loop, "Boun") != bound && get(loop, "Bound2") != bound, "the whole name is compared");
	ok(memphis_region_get(loop, "Bound of something", 5) == bound, "a name need not be terminated");

	memphis_region_list(&text, &written);
	ok(!strcmp(text.data, "1 0 TimeLoop\n2 1 Bound\n3 0 Bound\n4 1 Boun\n5 1 Bound2\n"),
	   "the list contains id, parent and name");
	is(text.lines, 5, "the list has one line per region");
	memphis_text_clear(&text);
	get(bound, "a\\b\nc");
	memphis_region_list(&text, &written);
	ok(!strcmp(text.data, "6 2 a\\\\b\\nc\n"), "the next list contains the new regions, escaped");
	memphis_text_clear(&text);
	memphis_region_list(&text, &written);
	is(text.used, 0, "without new regions the list is empty");

	memset(long_name, 'x', sizeof(long_name));
	region = memphis_region_get(NULL, long_name, sizeof(long_name));
	is(region->length, MEMPHIS_REGION_NAME_MAX, "a long name is truncated");
	ok(memphis_region_get(NULL, long_name, 300) == region,
	   "names that are truncated alike are the same region");

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, get_many, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	memphis_text_clear(&text);
	memphis_region_list(&text, &written);
	is(text.lines, 1001, "threads that request the same regions create each once (plus the long name)");

	for (i = 0; (region = get(bound, (snprintf(name, sizeof(name), "%d", i), name))); i++)
		last = region->id;
	is(last, MEMPHIS_REGIONS_MAX, "the number of regions is bounded");
	ok(get(NULL, "TimeLoop") == loop, "existing regions are still found at the bound");
	memphis_text_free(&text);
	return finish();
}
