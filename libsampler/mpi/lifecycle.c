/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Init() and MPI_Finalize(). The work of the layer begins and ends here. At the end, the waiting times
 * that the ranks have found by comparing their logs are added to the sums.
 */
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/call.h"
#include "mpi/clock.h"
#include "mpi/exchange.h"

struct memphis_mpi_state memphis_mpi_state;
pthread_mutex_t memphis_mpi_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
	uintptr_t low, high;
} fortran; /* addresses of the library with MPI's Fortran interface */

struct search {
	int wanted; /* number of the object in the loader's list */
	int at;
	const char *path;
};

static int find_object_number(struct dl_phdr_info *info, UNUSED size_t bytes, void *data)
{
	struct search *search = data;

	if (search->at++ < search->wanted)
		return 0;
	search->path = info->dlpi_name;
	return 1;
}

/* A symbol that the header of this MPI library refers to. It identifies the library, whatever the name of its file is. */
#if defined(OPEN_MPI)
#define MARK "ompi_mpi_comm_world"
#elif defined(MPICH_NAME)
#define MARK "MPIR_Dup_fn"
#else /* the binary interface of the standard, with its own header */
#define MARK "MPI_Abi_get_version"
#endif

/*
 * The objects are searched while the lock of the loader is not held. An object that depends on MPI serves as
 * well, because dlsym() also searches the libraries that an object depends on.
 */
static void *find_mpi(void)
{
	struct search search = {.wanted = 0};
	void *handle, *found;
	Dl_info where;

	while (dl_iterate_phdr(find_object_number, &search)) {
		handle = *search.path ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		found = handle ? dlsym(handle, MARK) : NULL;
		if (found && dladdr(found, &where))
			return dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
		if (handle)
			dlclose(handle);
		search = (struct search){.wanted = search.wanted + 1};
	}
	return NULL;
}

/*
 * A program may load MPI with RTLD_LOCAL, as Python does. The loader then does not find MPI when it searches
 * after this library. This function makes MPI visible, both for the program's calls and for those that this
 * library makes itself.
 */
void *memphis_mpi_next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	return likely(found) || !find_mpi() ? found : dlsym(RTLD_NEXT, name);
}

#ifdef OPEN_MPI
struct memphis_mpi_objects memphis_mpi_objects;

/* The program may have its own copy of an object (R_X86_64_COPY). All libraries then use this copy. */
static void *find_object(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : memphis_mpi_next(name);
}

static void find_objects(void)
{
#define FIND(name) memphis_mpi_objects.name = find_object(#name);
	MEMPHIS_MPI_OBJECTS(FIND)
}
#else
static void find_objects(void)
{
}
#endif

uint32_t memphis_mpi_next_call(void)
{
	static _Atomic uint32_t calls;

	return atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

static int take_fortran(struct dl_phdr_info *info, UNUSED size_t bytes, void *base)
{
	uintptr_t end;
	int i;

	if (info->dlpi_addr != (uintptr_t)base)
		return 0;
	fortran.low = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++) {
		end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > fortran.high)
			fortran.high = end;
	}
	return 1;
}

static void find_fortran(void)
{
	void *init = dlsym(RTLD_DEFAULT, "mpi_init_");
	Dl_info where;

	if (init && dladdr(init, &where))
		dl_iterate_phdr(take_fortran, where.dli_fbase);
}

bool memphis_mpi_is_fortran(const void *address)
{
	return (uintptr_t)address - fortran.low < fortran.high - fortran.low;
}

static int on_finalize(MPI_Comm comm, int key, void *value, void *state);

/*
 * Does what MPI_COMM_NULL_COPY_FN does. That function can't be used here: this library may be preloaded into
 * programs without MPI, which do not have it.
 */
static int copy_no_attribute(UNUSED MPI_Comm comm, UNUSED int key, UNUSED void *state, UNUSED void *value,
			     UNUSED void *copy, int *is_copied)
{
	*is_copied = 0;
	return MPI_SUCCESS;
}

/* Called by all ranks once MPI has been initialised. */
static void begin_layer(void)
{
	struct memphis_mpi_state *s = &memphis_mpi_state;
	int level = MPI_THREAD_MULTIPLE, key;
	__u64 begin_ns;

	memphis_mpi_inside = true;
	find_objects();
	/* MPI_Init() may also provide more than MPI_THREAD_SINGLE. */
	PMPI_Query_thread(&level);
	s->threaded = level == MPI_THREAD_MULTIPLE;
	s->events = memphis_mpi_records_events();
	/*
	 * MPI_Finalize() first deletes the attributes of MPI_COMM_SELF, in reverse order of their creation.
	 * This attribute is the first one, so it is deleted last. The ranks therefore compare their times
	 * after the program's own callbacks, which may still communicate.
	 */
	if (PMPI_Comm_create_keyval(copy_no_attribute, on_finalize, &key, NULL) == MPI_SUCCESS)
		PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	PMPI_Comm_dup(MPI_COMM_WORLD, &s->own);
	PMPI_Comm_set_errhandler(s->own, MPI_ERRORS_RETURN);
	PMPI_Comm_rank(s->own, &s->rank);
	PMPI_Comm_size(s->own, &s->size);
	memphis_mpi_comm_add(MPI_COMM_WORLD);
	memphis_mpi_store_fact("mpi_world", memphis_mpi_comm_find(MPI_COMM_WORLD)->id);
	memphis_mpi_comm_add(MPI_COMM_SELF);
	memphis_mpi_log_open();
	memphis_mpi_clock_compare(false);
	memphis_mpi_stamp(&begin_ns);
	memphis_mpi_store_fact("mpi_begin_ns", begin_ns);
	memphis_mpi_store_fact("mpi_rank", (__u64)s->rank);
	memphis_mpi_store_fact("mpi_compared", 0);
	memphis_mpi_inside = false;
	s->ready = true;
}

static int compare_calls(const void *a, const void *b)
{
	const struct memphis_mpi_judged *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->waited_ns < y->waited_ns) - (x->waited_ns > y->waited_ns);
}

/* Adds the waiting times to the sums. If a call completes several messages, it has waited for the last of them. */
static void add_waits(struct memphis_mpi_judged *judged, size_t count)
{
	size_t i;

	qsort(judged, count, sizeof(*judged), compare_calls);
	for (i = 0; i < count; i++)
		memphis_mpi_add(&(struct memphis_mpi_sum){
			.region = judged[i].region,
			.partner = judged[i].partner,
			.known = 1,
			.waited_ns = !i || judged[i].call != judged[i - 1].call ? judged[i].waited_ns : 0});
}

/* Called by all ranks before they finalise MPI. */
static void end_layer(void)
{
	struct memphis_mpi_state *s = &memphis_mpi_state;
	struct memphis_mpi_judged *judged;
	size_t count;

	s->ready = false;
	memphis_mpi_inside = true;
	memphis_mpi_clock_compare(true);
	judged = memphis_mpi_exchange(&count);
	if (judged)
		add_waits(judged, count);
	free(judged);
	memphis_mpi_store_fact("mpi_compared", 1);
	memphis_mpi_store_fact("mpi_clock_error_ns", memphis_mpi_clock_error());
	memphis_mpi_store_fact("mpi_left_out", memphis_mpi_log.left_out);
	memphis_mpi_store_fact("mpi_cpu", (__u64)sched_getcpu());
	memphis_mpi_log_close();
	PMPI_Comm_free(&s->own);
}

static int on_finalize(UNUSED MPI_Comm comm, UNUSED int key, UNUSED void *value, UNUSED void *state)
{
	const bool inside = memphis_mpi_inside;

	if (memphis_mpi_state.ready)
		end_layer();
	memphis_mpi_inside = inside;
	return MPI_SUCCESS;
}

/* These functions may be called by the Fortran interface of MPI as well as by the program. */
#define LIFECYCLE(name, parameters, arguments, after)                                              \
	static int call_##name parameters                                                          \
	{                                                                                          \
		struct call call;                                                                  \
		int rc;                                                                            \
                                                                                                   \
		begin_call(&call, "MPI_" #name);                                                   \
		rc = PMPI_##name arguments;                                                        \
		end_call(&call);                                                                   \
		if (rc == MPI_SUCCESS)                                                             \
			after;                                                                     \
		finish_call(&call);                                                                \
		return rc;                                                                         \
	}                                                                                          \
	PUBLIC int MPI_##name parameters                                                           \
	{                                                                                          \
		return call_##name arguments;                                                      \
	}                                                                                          \
	PUBLIC int PMPI_##name parameters                                                          \
	{                                                                                          \
		__typeof__(&PMPI_##name) next = (__typeof__(next))memphis_mpi_next("PMPI_" #name); \
                                                                                                   \
		if (!fortran.high)                                                                 \
			find_fortran();                                                            \
		if (!next)                                                                         \
			return MPI_ERR_INTERN;                                                     \
		if (memphis_mpi_inside || !memphis_mpi_is_fortran(__builtin_return_address(0)))    \
			return next arguments;                                                     \
		return call_##name arguments;                                                      \
	}

LIFECYCLE(Init_thread, (int *count, char ***values, int required, int *provided),
	  (count, values, required, provided), begin_layer())
LIFECYCLE(Init, (int *count, char ***values), (count, values), begin_layer())
LIFECYCLE(Finalize, (void), (), (void)0)
