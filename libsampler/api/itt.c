/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel's Instrumentation and Tracing Technology (ITT): tasks become calipers, and blocks of the program's allocators become parts of pools. An instrumented program
 * contains the API's static part, which loads the collector named by INTEL_LIBITTNOTIFY64 and passes a table
 * of entry points to it. The collector sets each entry to one of its functions, or to NULL.
 * (github.com/intel/ittapi: src/ittnotify/ittnotify_config.h defines the table, ittnotify_static.c uses it,
 * and include/ittnotify.h declares the functions.)
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
	void **function; /* function pointer through which the program calls */
	void *initial;
	void *none; /* value of the function pointer if there is no collector */
	unsigned int group;
};

/* The first members of the static part's data. */
struct itt_static {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	long initialized, mutex_initialized, counter;
	pthread_mutex_t mutex;
	void *collector;
	void *error_handler;
	const char **paths;
	struct itt_entry *entries; /* terminated by an entry whose name is NULL */
};

/* Entries lack one member up to this version. */
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
	volatile int enabled; /* tested, and possibly set, by macros in the program */
	struct itt_string name;
};

struct itt_id {
	unsigned long long words[3];
};

PUBLIC void __itt_api_init(struct itt_static *program, unsigned int groups);

/* Handles of names, one per name; newest first, without a lock, which a child could not get. Never freed, since the program keeps pointers to them. */
typedef _Atomic(struct itt_string *) handles;

/*
 * Finds or creates the handle of a name: `bytes` of memory with a struct itt_string at `offset`. Returns NULL
 * if memory is exhausted.
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

/* Begins a task that is named after its function, if the program exports that symbol. */
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
 * The heap functions. Functions that control the search for leaks and for growing memory are missing, as they
 * have no meaning here. Of some pairs, the second call is missing, because the first one has all that is
 * needed. Heaps are listed without a lock, which a child could not get. They are never freed, since the
 * program keeps pointers to them.
 */
struct itt_heap {
	struct memphis_pool *pool;
	struct itt_heap *next;
	char domain[];
};

/* Time of the reallocation that the thread is making, before the old memory can have another owner. */
static __thread __u64 reallocated __attribute__((tls_model("initial-exec")));

/*
 * Returns the handle of the domain, or of `name` if there is no domain, and creates it if necessary; NULL if memory is exhausted. One handle
 * for all functions of a domain, because an allocator allocates and releases in different functions. The pool has the domain's name.
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

/* The call must not become a jump, after which the frame, from which the stack is walked, is no more. */
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
	/* If the reallocation has failed, the old block remains. */
	if (!heap || (bytes && (!moved || !*moved)))
		return;
	memphis_parts_end(heap->pool, block, reallocated);
	if (bytes)
		add_part(heap, *moved, bytes, FRAME);
}

/*
 * The supported functions. Overlapping tasks and regions are missing: they may begin and end on different
 * threads, so they can't be calipers.
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

/* Called by each shared object that contains the static part. */
void __itt_api_init(struct itt_static *program, unsigned int groups)
{
	struct itt_entry *entry;

	if (memcmp(program->magic, itt_magic, sizeof(itt_magic)) || program->version_build <= ITT_BUILD_OLD)
		return;
	for (entry = program->entries; entry->name; entry++)
		*entry->function = find_replacement(entry, groups);
}
