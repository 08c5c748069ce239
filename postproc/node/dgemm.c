// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures the rate of DGEMM (matrix multiplication) on the cores of each node. All cores of the node work at
 * the same time. Each runs one thread, which multiplies its own square matrices.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "node/node.h"

/* The BLAS library of this machine. It is loaded at run time, because the tool is not linked with any. */

/*
 * DGEMM with Fortran's calling convention: C = alpha op(A) op(B) + beta C, stored by columns. The integers
 * have 64 bits. Small values of them also work for libraries with 32-bit integers.
 */
typedef void memphis_dgemm(const char *op_a, const char *op_b, const int64_t *m, const int64_t *n,
			   const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
			   const double *b, const int64_t *ldb, const double *beta, double *c,
			   const int64_t *ldc, size_t op_a_bytes, size_t op_b_bytes);

struct memphis_blas {
	memphis_dgemm *dgemm;
	char name[256]; /* name and version */
	char path[1024];
	bool is_slow;      /* the library is not known to be optimised */
	char lacking[512]; /* reason why no library could be loaded */
};

/*
 * The names are tried in this order. libblas.so.3 may be the slow reference BLAS, or an alternative that the
 * administrator has chosen.
 */
static const char *const files[] = {
	"libopenblas.so.0", "libopenblasp.so.0", "libblis.so.4", "libblis.so.3",      "libblis-mt.so",
	"libmkl_rt.so.2",   "libmkl_rt.so.1",    "libmkl_rt.so", "libflexiblas.so.3", "libblas.so.3",
};

/* Libraries read these variables when they are loaded. */
static const char *const settings[][2] = {
	{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"},         {"BLIS_NUM_THREADS", "1"},
	{"MKL_NUM_THREADS", "1"}, {"MKL_THREADING_LAYER", "SEQUENTIAL"},
};

/* An optimised library is recognised by a function that only this library has. */
static const struct {
	const char *function, *name;
	bool is_text;            /* the function returns the name and version as a string */
	const char *set_threads; /* function that sets the number of threads, or NULL */
} products[] = {
	{"openblas_get_config", "", true, "openblas_set_num_threads"},
	{"bli_info_get_version_str", "BLIS ", true, "bli_thread_set_num_threads"},
	{"MKL_Get_Version", "Intel MKL", false, "MKL_Set_Num_Threads"},
	{"flexiblas_get_version", "FlexiBLAS", false, "flexiblas_set_num_threads"},
	{"ATL_buildinfo", "ATLAS", false, NULL},
};

#define PRODUCTS (sizeof(products) / sizeof(*products))

/*
 * Finds a function of the library. Copies the address as bytes, because ISO C does not allow converting void
 * * to a function pointer.
 */
static bool find_function(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

static void identify_blas(struct memphis_blas *blas, void *library)
{
	void (*set_threads)(long count);
	char *(*version)(void);
	char *text, *space;
	size_t i;

	for (i = 0; i < PRODUCTS && !find_function(library, products[i].function, &version); i++)
		;
	blas->is_slow = i == PRODUCTS;
	if (blas->is_slow) {
		snprintf(blas->name, sizeof(blas->name), "reference BLAS");
		return;
	}
	text = products[i].is_text ? version() : NULL;
	snprintf(blas->name, sizeof(blas->name), "%s%s", products[i].name, text ? text : "");
	for (space = blas->name + strlen(blas->name); space > blas->name && space[-1] == ' ';)
		*--space = '\0';
	if (products[i].set_threads && find_function(library, products[i].set_threads, &set_threads))
		set_threads(1);
}

/*
 * Loads the library that MEMPHIS_BLAS names, otherwise the first of `files` that is found. Limits it to one
 * thread per call. Returns false if there is no library. The library stays loaded, because libraries that
 * create threads cannot be unloaded safely.
 */
static bool load_blas(struct memphis_blas *blas)
{
	const char *wanted = getenv("MEMPHIS_BLAS");
	void *library = NULL, *address;
	char *path = NULL;
	Dl_info info;
	size_t i;

	*blas = (struct memphis_blas){.dgemm = NULL};
	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		setenv(settings[i][0], settings[i][1], 1);
	if (wanted)
		library = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
	for (i = 0; !wanted && !library && i < sizeof(files) / sizeof(*files); i++)
		library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	if (!library && wanted)
		snprintf(blas->lacking, sizeof(blas->lacking), "MEMPHIS_BLAS: %s", dlerror());
	else if (!library)
		snprintf(blas->lacking, sizeof(blas->lacking), "no BLAS can be loaded");
	else if (!find_function(library, "dgemm_", &blas->dgemm))
		snprintf(blas->lacking, sizeof(blas->lacking), "%s has no function dgemm_",
			 wanted ? wanted : files[i - 1]);
	if (!blas->dgemm)
		return false;
	memcpy(&address, &blas->dgemm, sizeof(address));
	if (dladdr(address, &info))
		path = realpath(info.dli_fname, NULL);
	snprintf(blas->path, sizeof(blas->path), "%s", path ? path : "unknown path");
	free(path);
	identify_blas(blas, library);
	return true;
}

/*
 * Number of rows of a matrix. With ROWS_LARGE, three matrices fit into the L2 cache or the core's share of
 * the L3 cache. ROWS_SMALL is used if one product takes too long, as in emulators.
 */
#define ROWS_SMALL 128
#define ROWS_LARGE 512
#define TOO_LONG   0.004 /* time of one product in seconds */

/* Total time in seconds for all nodes, limits of the time for one node, and number of rounds. The best round counts. */
#define SECONDS     1.0
#define SECONDS_MIN 0.1
#define SECONDS_MAX 0.3
#define ROUNDS      3

struct team {
	const struct memphis_machine *machine;
	memphis_dgemm *dgemm;
	int64_t rows;
	atomic_bool stop;
	atomic_size_t ready;  /* number of members that have multiplied once */
	pthread_mutex_t gate; /* held until all members are ready */
};

struct member {
	struct team *team;
	pthread_t thread;
	unsigned int cpu;
	double *a, *b, *c;
	double rate; /* 10^9 operations per second; NAN if the results were wrong or memory was exhausted */
};

static void multiply_matrices(const struct member *member, int64_t rows)
{
	const double one = 1, zero = 0;

	member->team->dgemm("N", "N", &rows, &rows, &rows, &one, member->a, &rows, member->b, &rows, &zero,
			    member->c, &rows, 1, 1);
}

/*
 * Returns true if the last element of the product is right. Otherwise, a library with integers of another
 * size might return wrong results and seem fast.
 */
static bool is_product_right(const struct member *member, int64_t rows)
{
	double sum = 0;
	int64_t i;

	for (i = 0; i < rows; i++)
		sum += member->a[rows - 1 + i * rows] * member->b[(rows - 1) * rows + i];
	return fabs(member->c[rows * rows - 1] - sum) < 1e-9 * sum;
}

/*
 * Allocates and fills the matrices, and multiplies them once. The thread already runs on its core, so the
 * memory is allocated on the core's node. Returns false if memory is exhausted or the product is wrong.
 */
static bool prepare_matrices(struct member *member, int64_t rows)
{
	const size_t elements = (size_t)(rows * rows);
	uint64_t random = 88172645463325252ull;
	size_t i;

	member->a = aligned_alloc(64, 3 * elements * sizeof(double));
	if (!member->a)
		return false;
	member->b = member->a + elements;
	member->c = member->b + elements;
	for (i = 0; i < 2 * elements; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		member->a[i] = (double)(random >> 11) / 0x1p53;
	}
	multiply_matrices(member, rows);
	return is_product_right(member, rows);
}

static void *run_member(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;
	double begun, products = 0;
	bool usable;

	memphis_run_on(team->machine, member->cpu);
	usable = prepare_matrices(member, team->rows);
	atomic_fetch_add(&team->ready, 1);
	pthread_mutex_lock(&team->gate);
	pthread_mutex_unlock(&team->gate);
	begun = memphis_clock_s();
	while (usable && (!products || !atomic_load_explicit(&team->stop, memory_order_relaxed))) {
		multiply_matrices(member, team->rows);
		products++;
	}
	member->rate =
		usable ? products * 2 * pow((double)team->rows, 3) / (memphis_clock_s() - begun) / 1e9 : NAN;
	free(member->a);
	return NULL;
}

/* Runs one round. Returns the sum of the rates of all members, or NAN if the rate of any member is unknown. */
static double run_round(struct team *team, struct member *members, size_t size, double seconds)
{
	size_t started, i;
	double sum = 0;

	pthread_mutex_init(&team->gate, NULL);
	pthread_mutex_lock(&team->gate);
	atomic_store(&team->stop, false);
	atomic_store(&team->ready, 0);
	for (started = 0; started < size; started++)
		if (pthread_create(&members[started].thread, NULL, run_member, &members[started]))
			break;
	while (atomic_load(&team->ready) < started)
		memphis_clock_wait(0.001);
	pthread_mutex_unlock(&team->gate);
	if (started == size)
		memphis_clock_wait(seconds);
	atomic_store(&team->stop, true);
	for (i = 0; i < started; i++) {
		pthread_join(members[i].thread, NULL);
		sum += members[i].rate;
	}
	pthread_mutex_destroy(&team->gate);
	return started == size ? sum : NAN;
}

/* Returns the best rate of several rounds, or NAN if this process may use no core of the node. */
static double measure_node(struct team *team, size_t node, double seconds)
{
	const size_t size = memphis_crew_size(team->machine, node);
	struct member *members = calloc(size + 1, sizeof(*members));
	size_t i, number = 0;
	double best = NAN;

	for (i = 0; members && i < team->machine->cpu_count; i++)
		if (memphis_is_core_of(team->machine, i, node))
			members[number++] =
				(struct member){.team = team, .cpu = team->machine->cpus[i].number};
	for (i = 0; number && i < ROUNDS; i++)
		best = fmax(best, run_round(team, members, number, seconds / ROUNDS));
	free(members);
	return best;
}

/* Chooses the size of the matrices. Returns false if the library's results are wrong. */
static bool choose_rows(struct team *team)
{
	struct member member = {.team = team};
	bool usable = prepare_matrices(&member, ROWS_SMALL);
	double begun = memphis_clock_s();

	if (usable)
		multiply_matrices(&member, ROWS_SMALL);
	team->rows = memphis_clock_s() - begun > TOO_LONG ? ROWS_SMALL : ROWS_LARGE;
	free(member.a);
	return usable;
}

void memphis_dgemm_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine)
{
	struct memphis_dgemm *result = &matrices->dgemm;
	const double seconds =
		fmin(fmax(SECONDS / (double)(machine->node_count ? machine->node_count : 1), SECONDS_MIN),
		     SECONDS_MAX);
	struct memphis_blas blas;
	struct team team = {.machine = machine};
	size_t i;

	if (!load_blas(&blas)) {
		snprintf(result->lacking, sizeof(result->lacking), "%s", blas.lacking);
		return;
	}
	team.dgemm = blas.dgemm;
	if (!choose_rows(&team)) {
		snprintf(result->lacking, sizeof(result->lacking), "wrong results of the DGEMM of %s",
			 blas.path);
		return;
	}
	snprintf(result->library, sizeof(result->library), "%s", blas.name);
	snprintf(result->path, sizeof(result->path), "%s", blas.path);
	result->is_slow = blas.is_slow;
	for (i = 0; i < machine->node_count; i++)
		result->rates[i] = measure_node(&team, i, seconds);
}
