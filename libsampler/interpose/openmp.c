/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which number a thread has in its OpenMP team. LLVM's runtime and others that know OMPT tell it to a tool in the process, which the
 * library then is (OpenMP 5.2: section 19.2 how a runtime finds its tool, 19.4 and 19.5 the types). GCC's tells nobody:
 * there the thread itself asks when it opens a caliper, and no other has a number.
 *
 * Teams may be nested. What counts is the number in the outermost one; a thread that is only in an inner team has none.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "settings/env.h"
#include "interpose/openmp.h"
#include "interpose/next_symbols.h"
#include "core/session.h"

#define PUBLIC __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))

/* Events, what becomes of them, and flags, by the names that they have without the prefix ompt_. */
enum { CALLBACK_PARALLEL_BEGIN = 3, CALLBACK_IMPLICIT_TASK = 7 };
enum { SCOPE_BEGIN = 1 };
enum { TASK_INITIAL = 0x1, PARALLEL_LEAGUE = 0x40000000 };

/* The runtime keeps one for each task and each parallel region, for the tool to use. */
union tool_data {
	uint64_t value;
	void *pointer;
};

typedef void (*entry_point)(void);
typedef entry_point (*lookup_function)(const char *name);
typedef int (*set_callback_function)(int event, entry_point callback);

struct start_tool_result {
	int (*initialize)(lookup_function lookup, int device, union tool_data *data);
	void (*finalize)(union tool_data *data);
	union tool_data data;
};

PUBLIC struct start_tool_result *ompt_start_tool(unsigned int version, const char *runtime);

static _Atomic int told;  /* a runtime tells by itself */
static _Atomic int asked; /* set last: these two may be called */
static int (*get_level)(void);
static int (*get_thread_num)(void);

/* Parallel regions around what the calling thread is doing. */
static __thread uint64_t level __attribute__((tls_model("initial-exec")));

static void note(struct memphis_thread *thread, unsigned int number)
{
	int value = (int)number + 1;

	if (unlikely(__atomic_load_n(&thread->openmp, __ATOMIC_RELAXED) != value))
		__atomic_store_n(&thread->openmp, value, __ATOMIC_RELAXED);
}

static void parallel_begin(UNUSED union tool_data *task, UNUSED const void *frame, union tool_data *parallel,
			   UNUSED unsigned int requested, int flags, UNUSED const void *code)
{
	parallel->value = level + !(flags & PARALLEL_LEAGUE);
}

/* A thread of the team begins or ends its part. At the end the runtime does not tell any more of which region. */
static void implicit_task(int endpoint, union tool_data *parallel, union tool_data *task,
			  UNUSED unsigned int threads, unsigned int index, int flags)
{
	struct memphis_thread *self;

	if (flags & TASK_INITIAL)
		return;
	if (endpoint != SCOPE_BEGIN) {
		level = task->value;
		return;
	}
	task->value = level;
	level = parallel->value;
	if (level != 1 ||
	    atomic_load_explicit(&memphis_session.state, memory_order_relaxed) > MEMPHIS_SESSION_READY)
		return;
	self = memphis_self;
	if (unlikely(!self))
		self = memphis_thread_self();
	if (self)
		note(self, index);
}

static int initialize(lookup_function lookup, UNUSED int device, UNUSED union tool_data *data)
{
	set_callback_function set = (set_callback_function)(void *)lookup("ompt_set_callback");

	if (!set)
		return 0;
	set(CALLBACK_PARALLEL_BEGIN, (entry_point)(void *)parallel_begin);
	set(CALLBACK_IMPLICIT_TASK, (entry_point)(void *)implicit_task);
	atomic_store(&told, 1);
	return 1;
}

static void finalize(UNUSED union tool_data *data)
{
	atomic_store(&told, 0);
}

/* Libraries that the user names as tools are only asked if there is none in the process: then we are none. */
static int others_are_named(void)
{
	const char *list = getenv("OMP_TOOL_LIBRARIES"), *name, *end;

	if (!list || !*list)
		return 0;
	end = list + strcspn(list, ":");
	for (name = end; name > list && name[-1] != '/'; name--)
		;
	return strncmp(name, "libmemphis.so", 13) != 0;
}

/*
 * Asked by a runtime as it starts. It takes one tool: whoever else there is comes first, whether it stands behind us in the
 * order of the loader or is named by the user.
 */
struct start_tool_result *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct start_tool_result result = {.initialize = initialize, .finalize = finalize};
	struct start_tool_result *(*next)(unsigned int, const char *), *other = NULL;
	void *symbol;
	int sanitized;

	memphis_next_setup();
	memphis_busy++;
	symbol = dlsym(RTLD_NEXT, "ompt_start_tool"); /* also the runtime's own, which goes on to the next */
	/* LLVM's runtime loads the tool that the thread sanitizer can't do without if it finds no other. */
	sanitized = dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;
	memphis_busy--;
	memcpy(&next, &symbol, sizeof(next));
	if (next)
		other = next(version, runtime);
	if (other)
		return other;
	return memphis_settings.disable || sanitized || others_are_named() ? NULL : &result;
}

static void find(void)
{
	void *level_of = dlsym(RTLD_DEFAULT, "omp_get_level");
	void *number_of = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
	Dl_info info;

	/* GCC's answers by looking into the thread's own memory; others would make the caller one of theirs. */
	if (!level_of || !number_of || !dladdr(level_of, &info) || !strstr(info.dli_fname, "libgomp"))
		return;
	/* It must stay where it is. */
	if (!dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
		return;
	memcpy(&get_level, &level_of, sizeof(get_level));
	memcpy(&get_thread_num, &number_of, sizeof(get_thread_num));
	atomic_store(&asked, 1);
}

void memphis_openmp_ask(struct memphis_thread *self)
{
	static _Atomic int looked;
	int cancel;

	if (unlikely(!atomic_load(&looked) && !atomic_exchange(&looked, 1))) {
		cancel = memphis_enter();
		find();
		memphis_leave(cancel);
	}
	if (atomic_load(&asked) && !atomic_load(&told) && get_level() == 1)
		note(self, (unsigned int)get_thread_num());
}
