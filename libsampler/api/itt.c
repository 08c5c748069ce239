/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's Instrumentation and Tracing Technology (ITT). Tasks become calipers, and blocks of the program's
 * allocators become parts of pools.
 *
 * An instrumented program contains the static part of the API. The static part loads the collector that is
 * named by INTEL_LIBITTNOTIFY64, and passes it a table of entry points. The collector sets each entry to one
 * of its functions, or to NULL.
 *
 * Source: github.com/intel/ittapi. src/ittnotify/ittnotify_config.h defines the table, ittnotify_static.c
 * uses it, and include/ittnotify.h declares the functions.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <memphis.h>

#include "api/caliper.h"
#include "interpose/lifecycle.h"
#include "interpose/parts.h"

#define FRAME __builtin_frame_address(0)

struct itt_entry {
	const char *name;
	void **function; /* the function pointer that the program uses for its calls */
	void *initial;
	void *none; /* value of the function pointer if no collector is loaded */
	unsigned int group;
};

/*
 * The beginning of the data of ITT's static part, which is linked into the program. Its entries point to the
 * function pointers through which the program calls.
 */
struct itt_static {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	long initialized, mutex_initialized, counter;
	pthread_mutex_t mutex;
	void *collector;
	void *error_handler;
	const char **paths;
	struct itt_entry *entries; /* the last entry has NULL as its name */
};

/* Up to this version, the entries have one member less. */
#define ITT_BUILD_OLD 20101001

static const unsigned char itt_magic[8] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};

struct itt_string {
	const char *text;
	void *wide;
	int reserved;
	void *reserved_too;
	struct itt_string *next;
};

struct itt_domain {
	volatile int enabled; /* macros in the program test this member, and may set it */
	struct itt_string name;
};

struct itt_id {
	unsigned long long words[3];
};

PUBLIC void __itt_api_init(struct itt_static *program, unsigned int groups);

/*
 * Handles of names. There is one handle per name, and the list begins with the newest. The list has no lock,
 * because a child process could not get it. Handles are never freed, because the program keeps pointers to
 * them.
 */
typedef _Atomic(struct itt_string *) handles;

/*
 * Returns the handle of a name, and creates it if there is none. The handle has `bytes` bytes of memory, and
 * contains a struct itt_string at `offset`. Returns NULL if memory is exhausted.
 */
static void *find_handle(handles *first, const char *name, size_t bytes, size_t offset)
{
	struct itt_string *newest, *string, *fresh;
	char *block = NULL;

	if (!name)
		return NULL;
	for (newest = atomic_load(first);;) {
		for (string = newest; string && strcmp(string->text, name); string = string->next)
			;
		if (string) {
			free(block);
			return (char *)string - offset;
		}
		block = block ? block : calloc(1, bytes + strlen(name) + 1);
		if (!block)
			return NULL;
		fresh = (struct itt_string *)(block + offset);
		fresh->text = strcpy(block + bytes, name);
		fresh->next = newest;
		if (atomic_compare_exchange_strong(first, &newest, fresh))
			return block;
	}
}

static struct itt_domain *domain_create(const char *name)
{
	static handles domains;
	struct itt_domain *domain =
		find_handle(&domains, name, sizeof(struct itt_domain), offsetof(struct itt_domain, name));

	if (domain)
		domain->enabled = 1;
	return domain;
}

static struct itt_string *string_create(const char *name)
{
	static handles strings;

	return find_handle(&strings, name, sizeof(struct itt_string), 0);
}

static void task_begin(UNUSED const struct itt_domain *domain, UNUSED struct itt_id task,
		       UNUSED struct itt_id parent, const struct itt_string *name)
{
	memphis_caliper_push(name ? name->text : NULL);
}

static void task_begin_ex(const struct itt_domain *domain, UNUSED void *clock, UNUSED unsigned long long time,
			  struct itt_id task, struct itt_id parent, const struct itt_string *name)
{
	task_begin(domain, task, parent, name);
}

/* Begins a task that has the name of its function, if the program exports the symbol of this function. */
static void task_begin_fn(UNUSED const struct itt_domain *domain, UNUSED struct itt_id task,
			  UNUSED struct itt_id parent, void *function)
{
	Dl_info info;

	memphis_caliper_push(dladdr(function, &info) ? info.dli_sname : NULL);
}

static void task_begin_fn_ex(const struct itt_domain *domain, UNUSED void *clock,
			     UNUSED unsigned long long time, struct itt_id task, struct itt_id parent,
			     void *function)
{
	task_begin_fn(domain, task, parent, function);
}

static void pause_sampling(void)
{
	memphis_pause();
}

static void resume_sampling(void)
{
	memphis_resume();
}

static void task_end(UNUSED const struct itt_domain *domain)
{
	memphis_caliper_pop();
}

static void task_end_ex(UNUSED const struct itt_domain *domain, UNUSED void *clock,
			UNUSED unsigned long long time)
{
	memphis_caliper_pop();
}

/*
 * The heap functions. The functions that control the search for leaks and for growing memory are not
 * supported, because they have no meaning here. Of the pairs for allocation and release, only one function
 * each is supported, because it has all the necessary information: the end of an allocation, and the begin of
 * a release.
 *
 * The list of heaps has no lock, because a child process could not get it. Heaps are never freed, because the
 * program keeps pointers to them.
 */
struct itt_heap {
	struct memphis_pool *pool;
	struct itt_heap *next;
	char domain[];
};

/* Time at which the current reallocation of the thread began. At this time, the old memory can't have another owner yet. */
static __thread __u64 reallocated __attribute__((tls_model("initial-exec")));

/*
 * Returns the handle of the domain, or of `name` if there is no domain. Creates the handle if necessary.
 * Returns NULL if memory is exhausted. All functions of a domain share one handle, because an allocator
 * allocates and releases memory in different functions. The pool has the name of the domain.
 */
static struct itt_heap *heap_function_create(const char *name, const char *domain)
{
	static _Atomic(struct itt_heap *) first;
	struct itt_heap *newest, *heap, *fresh = NULL;

	if (!domain || !*domain)
		domain = name ? name : "";
	memphis_fork_check();
	for (newest = atomic_load(&first);;) {
		for (heap = newest; heap && strcmp(heap->domain, domain); heap = heap->next)
			;
		if (heap)
			break;
		if (!fresh) {
			fresh = calloc(1, sizeof(*fresh) + strlen(domain) + 1);
			if (!fresh)
				return NULL;
			strcpy(fresh->domain, domain);
			fresh->pool = memphis_parts_pool(domain);
		}
		fresh->next = newest;
		if (atomic_compare_exchange_strong(&first, &newest, fresh))
			return fresh;
	}
	if (fresh) {
		memphis_parts_destroy(fresh->pool);
		free(fresh);
	}
	return heap;
}

/* This call must not be compiled into a jump (tail call). The frame from which the stack is walked would no longer exist. */
static inline __attribute__((always_inline)) void add_part(struct itt_heap *heap, void *block, size_t bytes,
							   void *frame)
{
	memphis_parts_add(heap->pool, block, bytes, NULL, frame);
	__asm__ volatile("");
}

static void heap_allocate_end(struct itt_heap *heap, void **block, size_t bytes, UNUSED int initialised)
{
	if (heap && block)
		add_part(heap, *block, bytes, FRAME);
}

static void heap_free_begin(struct itt_heap *heap, void *block)
{
	if (heap)
		memphis_parts_end(heap->pool, block, memphis_parts_stamp());
}

static void heap_reallocate_begin(UNUSED struct itt_heap *heap, UNUSED void *block, UNUSED size_t bytes,
				  UNUSED int initialised)
{
	reallocated = memphis_parts_stamp();
}

static void heap_reallocate_end(struct itt_heap *heap, void *block, void **moved, size_t bytes,
				UNUSED int initialised)
{
	/* If the reallocation has failed, the old block still exists. */
	if (!heap || (bytes && (!moved || !*moved)))
		return;
	memphis_parts_end(heap->pool, block, reallocated);
	if (bytes)
		add_part(heap, *moved, bytes, FRAME);
}

/*
 * The supported functions. Overlapping tasks and regions are not supported: they may begin and end on
 * different threads, so they can't be represented by calipers.
 */
static const struct {
	const char *name;
	void *function;
} functions[] = {
	{"__itt_pause", pause_sampling},
	{"__itt_resume", resume_sampling},
	{"__itt_domain_create", domain_create},
	{"__itt_string_handle_create", string_create},
	{"__itt_task_begin", task_begin},
	{"__itt_task_begin_ex", task_begin_ex},
	{"__itt_task_begin_fn", task_begin_fn},
	{"__itt_task_begin_fn_ex", task_begin_fn_ex},
	{"__itt_task_end", task_end},
	{"__itt_task_end_ex", task_end_ex},
	{"__itt_heap_function_create", heap_function_create},
	{"__itt_heap_allocate_end", heap_allocate_end},
	{"__itt_heap_free_begin", heap_free_begin},
	{"__itt_heap_reallocate_begin", heap_reallocate_begin},
	{"__itt_heap_reallocate_end", heap_reallocate_end},
};

static void *find_replacement(const struct itt_entry *entry, unsigned int groups)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions) && entry->group & groups; i++)
		if (!strcmp(functions[i].name, entry->name))
			return functions[i].function;
	return entry->none;
}

/* Called by each shared object that contains the static part of the API. */
void __itt_api_init(struct itt_static *program, unsigned int groups)
{
	struct itt_entry *entry;

	if (memcmp(program->magic, itt_magic, sizeof(itt_magic)) || program->version_build <= ITT_BUILD_OLD)
		return;
	for (entry = program->entries; entry->name; entry++)
		*entry->function = find_replacement(entry, groups);
}
