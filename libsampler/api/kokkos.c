/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kokkos Tools. A program that uses Kokkos loads the library named by KOKKOS_TOOLS_LIBS, looks up the
 * functions below, and calls them for its regions, kernels and views. The functions are part of this library
 * because they must share its calipers, no matter how the library was loaded.
 *
 * Supported is interface 20210225 and its predecessors: core/src/impl/Kokkos_Profiling* of Kokkos 3 and 4.
 */
#include <string.h>

#include "api/caliper.h"
#include "settings/env.h"
#include "interpose/lifecycle.h"
#include "core/names.h"

/* Kokkos passes its memory spaces by value. */
struct memory_space {
	char name[64];
};

PUBLIC void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device);
PUBLIC void kokkosp_finalize_library(void);
PUBLIC void kokkosp_push_profile_region(const char *name);
PUBLIC void kokkosp_pop_profile_region(void);
PUBLIC void kokkosp_begin_parallel_for(const char *label, uint32_t device, uint64_t *kernel);
PUBLIC void kokkosp_end_parallel_for(uint64_t kernel);
PUBLIC void kokkosp_begin_parallel_reduce(const char *label, uint32_t device, uint64_t *kernel);
PUBLIC void kokkosp_end_parallel_reduce(uint64_t kernel);
PUBLIC void kokkosp_begin_parallel_scan(const char *label, uint32_t device, uint64_t *kernel);
PUBLIC void kokkosp_end_parallel_scan(uint64_t kernel);
PUBLIC void kokkosp_allocate_data(struct memory_space space, const char *label, const void *start,
				  uint64_t bytes);
PUBLIC void kokkosp_deallocate_data(struct memory_space space, const char *label, const void *start,
				    uint64_t bytes);

/*
 * With `all`, sampling is on from the initialisation of Kokkos to its finalisation. Otherwise, each kernel
 * outside of regions would switch sampling on and off.
 */
void kokkosp_init_library(UNUSED int sequence, UNUSED uint64_t version, UNUSED uint32_t devices,
			  UNUSED void *device)
{
	if (memphis_settings.kokkos == MEMPHIS_KOKKOS_ALL)
		memphis_program_begin();
}

void kokkosp_finalize_library(void)
{
	if (memphis_settings.kokkos == MEMPHIS_KOKKOS_ALL)
		memphis_program_end();
}

static __thread __u32 regions; /* number of open regions of the calling thread */

void kokkosp_push_profile_region(const char *name)
{
	memphis_caliper_push(name);
	regions++;
}

void kokkosp_pop_profile_region(void)
{
	if (!regions)
		return;
	regions--;
	memphis_caliper_pop();
}

/*
 * Kokkos passes a kernel number to the end of the kernel, and lets the tool choose the number at the begin.
 * Here, the number tells whether a caliper was opened.
 */
#define KERNELS(kind)                                                                                   \
	void kokkosp_begin_parallel_##kind(const char *label, UNUSED uint32_t device, uint64_t *kernel) \
	{                                                                                               \
		*kernel = memphis_settings.kokkos == MEMPHIS_KOKKOS_ALL ||                              \
			  (memphis_settings.kokkos == MEMPHIS_KOKKOS_NESTED && regions);                \
		if (*kernel)                                                                            \
			memphis_caliper_push(label);                                                    \
	}                                                                                               \
	void kokkosp_end_parallel_##kind(uint64_t kernel)                                               \
	{                                                                                               \
		if (kernel)                                                                             \
			memphis_caliper_pop();                                                          \
	}
KERNELS(for)
KERNELS(reduce)
KERNELS(scan)

/* A view without a label gets no explicit name. The post-processor then names it like any other block. */
void kokkosp_allocate_data(UNUSED struct memory_space space, const char *label, const void *start,
			   uint64_t bytes)
{
	if (label && *label)
		memphis_names_add(start, bytes, label, strlen(label));
}

/* Remove the name. If the library was loaded only by Kokkos, it does not see that the memory is freed. */
void kokkosp_deallocate_data(UNUSED struct memory_space space, const char *label, const void *start,
			     uint64_t bytes)
{
	if (label && *label)
		memphis_names_add(start, bytes, "", 0);
}
