/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions. If this fails, samples have the name of the wrong caliper. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data/region.h"
#include "../../tap.h"

static struct memphis_region_node *get(struct memphis_region_node *parent, const char *name)
{
	return memphis_region_get(parent, name, strlen(name));
}

static void *get_many(void *prefix)
{
	char name[16];
	int i;

	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%s%d", (const char *)prefix, i);
		get(NULL, name);
	}
	return NULL;
}

static sigjmp_buf back;
static volatile sig_atomic_t handlers, without;

/* Needs regions itself; every other one leaves what it has interrupted. */
static void interrupt(int signal)
{
	char name[16];

	(void)signal;
	snprintf(name, sizeof(name), "handler%d", handlers++ % 5000);
	without += !get(NULL, name);
	if (handlers % 2)
		siglongjmp(back, 1);
}

/* Handlers interrupt the creation of regions, and never return to it. */
static void be_interrupted(void)
{
	const struct itimerspec often = {{0, 50000}, {0, 50000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	static volatile int i;
	static timer_t timer;
	char name[16];

	signal(SIGUSR1, interrupt);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	sigsetjmp(back, 1);
	while (i < 40000) {
		snprintf(name, sizeof(name), "jump%d", i++);
		without += !get(NULL, name);
	}
	timer_delete(timer);
	signal(SIGUSR1, SIG_IGN);
}

/* No creation is half done for a child, another thread, or the list. */
static void interrupted(struct memphis_text_buffer *text, struct memphis_region_node **written)
{
	struct memphis_region_node *region;
	__u32 regions = (*written)->id;
	bool in_order = true;
	pthread_t thread;
	int status;

	alarm(60); /* ends a test that waits for itself */
	be_interrupted();
	ok(handlers >= 20, "handlers have interrupted the creation of regions");
	is(without, 0, "neither handlers nor what they interrupt and leave lacks regions");
	if (!fork())
		_exit(get(NULL, "child") && get(NULL, "handler0") ? 0 : 1);
	wait(&status);
	is(status, 0, "a child creates regions and finds those of its parent");
	pthread_create(&thread, NULL, get_many, "other");
	pthread_join(thread, NULL);
	alarm(0);

	memphis_text_clear(text);
	for (region = *written; region->younger; region = region->younger)
		in_order &= region->younger->id == ++regions;
	ok(in_order, "the numbers have no gaps");
	regions -= (*written)->id;
	memphis_region_list(text, written);
	is(text->lines, regions, "each region is listed once");
	ok(get(NULL, "other999")->id == (*written)->id, "and the last one is the newest");
}

static struct memphis_region_tree tree = {.most = 3, .bytes = 4};
static struct memphis_region_tree before;

static struct memphis_region_node *in_tree(const char *name)
{
	return memphis_region_find(&tree, NULL, name, strlen(name));
}

/* The state between two instructions of the creation of a region that followed `last`, which is never continued. */
static void leave_creation(struct memphis_region_node *last)
{
	memcpy(tree.buckets, before.buckets, sizeof(tree.buckets));
	last->younger = NULL;
}

static void half_created(void)
{
	struct memphis_region_node *a = in_tree("a"), *b, *c;

	memcpy(before.buckets, tree.buckets, sizeof(tree.buckets));
	b = in_tree("b");
	leave_creation(a);
	ok(in_tree("b") == b, "a region is found whose creation was left");
	leave_creation(a);
	ok(memphis_region_after(&tree, a) == b, "and listed");
	leave_creation(a);
	c = in_tree("cccccc");
	ok(c->id == 3 && b->younger == c && a->younger == b && in_tree("b") == b && in_tree("a") == a,
	   "the next region follows it");
	ok(c->length == 4 && in_tree("cccc") == c && !in_tree("d"), "each tree has its own limits");
}

int main(void)
{
	struct memphis_region_node *loop, *bound, *other, *written = NULL, *region;
	struct memphis_text_buffer text = {0};
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

	region = memphis_region_get(bound, "TimeLoop", 8);
	ok(region->recurs && !bound->recurs && !other->recurs && get(region, "Bound")->recurs,
	   "a region knows whether a region around it has the same name");
	ok(region->label == loop->label && memphis_region_label("TimeLoop", 8) == loop->label &&
		   loop->label != bound->label && bound->label == other->label,
	   "regions of one name have one label, which is the registered name");
	ok(!strcmp(loop->constant, "TimeLoop"), "a region has an address of its name");

	memphis_region_list(&text, &written);
	ok(!strcmp(text.data,
		   "1 0 TimeLoop\n2 1 Bound\n3 0 Bound\n4 1 Boun\n5 1 Bound2\n6 2 TimeLoop\n7 6 Bound\n"),
	   "the list contains id, parent and name");
	is(text.lines, 7, "the list has one line per region");
	memphis_text_clear(&text);
	get(bound, "a\\b\nc");
	memphis_region_list(&text, &written);
	ok(!strcmp(text.data, "8 2 a\\\\b\\nc\n"), "the next list contains the new regions, escaped");
	memphis_text_clear(&text);
	memphis_region_list(&text, &written);
	is(text.used, 0, "without new regions the list is empty");

	half_created();
	interrupted(&text, &written);

	memset(long_name, 'x', sizeof(long_name));
	region = memphis_region_get(NULL, long_name, sizeof(long_name));
	is(region->length, MEMPHIS_REGION_NAME_MAX, "a long name is truncated");
	ok(memphis_region_get(NULL, long_name, 300) == region,
	   "names that are truncated alike are the same region");

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, get_many, "many");
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
