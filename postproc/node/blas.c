// SPDX-License-Identifier: BSD-3-Clause
/* Finds and loads a BLAS. */
#include "node/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In this order. libblas.so.3 may be the slow reference, or an alternative that the administrator has chosen. */
static const char *const files[] = {
	"libopenblas.so.0", "libopenblasp.so.0", "libblis.so.4", "libblis.so.3",      "libblis-mt.so",
	"libmkl_rt.so.2",   "libmkl_rt.so.1",    "libmkl_rt.so", "libflexiblas.so.3", "libblas.so.3",
};

/* Libraries read these when they are loaded. */
static const char *const settings[][2] = {
	{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"},         {"BLIS_NUM_THREADS", "1"},
	{"MKL_NUM_THREADS", "1"}, {"MKL_THREADING_LAYER", "SEQUENTIAL"},
};

/* Optimised libraries, by a function that only they have. */
static const struct {
	const char *function, *name;
	bool is_text;            /* the function returns name and version */
	const char *set_threads; /* NULL, or a function of the number of threads */
} products[] = {
	{"openblas_get_config", "", true, "openblas_set_num_threads"},
	{"bli_info_get_version_str", "BLIS ", true, "bli_thread_set_num_threads"},
	{"MKL_Get_Version", "Intel MKL", false, "MKL_Set_Num_Threads"},
	{"flexiblas_get_version", "FlexiBLAS", false, "flexiblas_set_num_threads"},
	{"ATL_buildinfo", "ATLAS", false, NULL},
};

#define PRODUCTS (sizeof(products) / sizeof(*products))

/* Converts the address of a function; C has no conversion for that. */
static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

static void identify(struct memphis_blas *blas, void *library)
{
	void (*set_threads)(long count);
	char *(*version)(void);
	char *text, *space;
	size_t i;

	for (i = 0; i < PRODUCTS && !find(library, products[i].function, &version); i++)
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
	if (products[i].set_threads && find(library, products[i].set_threads, &set_threads))
		set_threads(1);
}

bool memphis_blas_load(struct memphis_blas *blas)
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
	else if (!find(library, "dgemm_", &blas->dgemm))
		snprintf(blas->lacking, sizeof(blas->lacking), "%s has no function dgemm_",
			 wanted ? wanted : files[i - 1]);
	if (!blas->dgemm)
		return false;
	memcpy(&address, &blas->dgemm, sizeof(address));
	if (dladdr(address, &info))
		path = realpath(info.dli_fname, NULL);
	snprintf(blas->path, sizeof(blas->path), "%s", path ? path : "unknown path");
	free(path);
	identify(blas, library);
	return true;
}
