/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread numbers in OpenMP teams. Runtimes with OMPT, such as LLVM's, report them to a tool in the process.
 * The library is such a tool (OpenMP 5.2: section 19.2 for how a runtime finds its tool, 19.4 and 19.5 for
 * the types). GCC's runtime has no OMPT. There, a thread queries its number when it opens a caliper, and
 * threads without calipers have no number.
 *
 * Teams may be nested. The number is the thread's number in the outermost team. A thread that is only in an
 * inner team has no number.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "settings/env.h"
#include "interpose/openmp.h"
#include "interpose/next_symbols.h"
#include "core/session.h"

/* Events, endpoints and flags, named as in OMPT without the prefix ompt_. */
enum { CALLBACK_PARALLEL_BEGIN = 3, CALLBACK_IMPLICIT_TASK = 7 };
enum { SCOPE_BEGIN = 1 };
enum { TASK_INITIAL = 0x1, PARALLEL_LEAGUE = 0x40000000 };

/* Storage that the runtime provides to the tool for each task and each parallel region. */
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

static _Atomic int reports; /* a runtime reports through OMPT */
static _Atomic int can_ask; /* set last: the next two functions may be called */
static int (*_Atomic get_level)(void);
static int (*_Atomic get_thread_num)(void);

/* Nesting depth of parallel regions around the calling thread's current task. */
static __thread uint64_t level __attribute__((tls_model("initial-exec")));

static void set_thread_number(struct memphis_thread_record *thread, unsigned int number)
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

/*
 * Called when a thread of the team begins or ends its implicit task. At the end, the runtime does not pass
 * the parallel region.
 */
static void implicit_task(int endpoint, union tool_data *parallel, union tool_data *task,
			  UNUSED unsigned int threads, unsigned int index, int flags)
{
	struct memphis_thread_record *self;

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
		set_thread_number(self, index);
}

static int initialize(lookup_function lookup, UNUSED int device, UNUSED union tool_data *data)
{
	set_callback_function set = (set_callback_function)(void *)lookup("ompt_set_callback");

	if (!set)
		return 0;
	set(CALLBACK_PARALLEL_BEGIN, (entry_point)(void *)parallel_begin);
	set(CALLBACK_IMPLICIT_TASK, (entry_point)(void *)implicit_task);
	atomic_store(&reports, 1);
	return 1;
}

static void finalize(UNUSED union tool_data *data)
{
	atomic_store(&reports, 0);
}

/*
 * Returns 1 if the user names other tools. The runtime loads them only if the process contains no tool, so
 * the library then returns no tool.
 */
static int names_other_tools(void)
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
 * Called by a runtime when it starts. A runtime accepts only one tool. Another tool has precedence over the
 * library if it follows the library in the loader's order, or if the user names it.
 */
struct start_tool_result *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct start_tool_result result = {.initialize = initialize, .finalize = finalize};
	struct start_tool_result *(*next)(unsigned int, const char *), *other = NULL;
	void *symbol;
	int sanitized;

	memphis_next_complete();
	memphis_busy++;
	symbol = dlsym(RTLD_NEXT, "ompt_start_tool"); /* may be the runtime's own, which calls the next one */
	/* If LLVM's runtime finds no other tool, it loads the tool that ThreadSanitizer needs. */
	sanitized = dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;
	memphis_busy--;
	memcpy(&next, &symbol, sizeof(next));
	if (next)
		other = next(version, runtime);
	if (other)
		return other;
	return memphis_settings.disable || sanitized || names_other_tools() ? NULL : &result;
}

/*
 * Finds GCC's runtime. All threads of a new team may call this at the same time. No thread may wait for
 * another one, because that one may hold the loader's lock. So all threads do the same look-up.
 */
static void find_gcc_runtime(void)
{
	void *level_of = dlsym(RTLD_DEFAULT, "omp_get_level");
	void *number_of = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
	int (*level_function)(void), (*number_function)(void);
	Dl_info info;

	/*
	 * Use only GCC's runtime, which answers from thread-local memory. Other runtimes would register the
	 * caller as one of their threads.
	 */
	if (!level_of || !number_of || !dladdr(level_of, &info) || !strstr(info.dli_fname, "libgomp"))
		return;
	/* Pin the runtime's library, because its functions are called from now on. */
	if (!dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
		return;
	memcpy(&level_function, &level_of, sizeof(level_function));
	memcpy(&number_function, &number_of, sizeof(number_function));
	atomic_store(&get_level, level_function);
	atomic_store(&get_thread_num, number_function);
	atomic_store(&can_ask, 1);
}

void memphis_openmp_ask(struct memphis_thread_record *self)
{
	static _Atomic int looked;
	int cancel;

	if (unlikely(!atomic_load(&looked))) {
		cancel = memphis_enter();
		find_gcc_runtime();
		memphis_leave(cancel);
		atomic_store(&looked, 1);
	}
	if (atomic_load(&can_ask) && !atomic_load(&reports) && atomic_load(&get_level)() == 1)
		set_thread_number(self, (unsigned int)atomic_load(&get_thread_num)());
}
