/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code around each interposed MPI function. The files with functions are tables. A row has the name of a
 * function, its parameters, their names, the code before the call, and the code after a successful call. The
 * code before the call may declare variables and replace parameters.
 */
#ifndef MEMPHIS_MPI_CALL_H
#define MEMPHIS_MPI_CALL_H

#include "mpi/request.h"

struct call {
	struct memphis_layer_call region;
	struct memphis_mpi_sum sum;
};

/* Returns the function of the MPI library, or NULL. */
void *memphis_mpi_next(const char *name);

/*
 * Returns true if the address is in the library with MPI's Fortran interface. That library calls PMPI
 * functions, at least in part, so the interposed C functions do not see its calls. Other callers of PMPI
 * functions are tools and MPI itself. Their calls are not counted.
 */
bool memphis_mpi_is_fortran(const void *address);

static inline void begin_call(struct call *call, const char *name)
{
	memphis_mpi_inside = true;
	call->sum = (struct memphis_mpi_sum){.partner = MEMPHIS_MPI_NONE, .calls = 1};
	memphis_mpi_begin(&call->region, name);
}

static inline void end_call(struct call *call)
{
	memphis_mpi_end(&call->region);
	call->sum.region = call->region.region;
	call->sum.ns = call->region.end - call->region.begin;
}

static inline void finish_call(struct call *call)
{
	memphis_mpi_add(&call->sum);
	memphis_mpi_inside = false;
}

#define PUBLIC __attribute__((visibility("default")))

#define CALL(name, parameters, arguments, before, after)                                 \
	static __typeof__(&PMPI_##name) next_##name;                                     \
	static __attribute__((noinline)) int find_##name(void)                           \
	{                                                                                \
		next_##name = (__typeof__(&PMPI_##name))memphis_mpi_next("PMPI_" #name); \
		return next_##name ? MPI_SUCCESS : MPI_ERR_INTERN;                       \
	}                                                                                \
	static __attribute__((noinline)) int call_##name parameters                      \
	{                                                                                \
		struct call call;                                                        \
		int rc;                                                                  \
                                                                                         \
		begin_call(&call, "MPI_" #name);                                         \
		before;                                                                  \
		rc = next_##name arguments;                                              \
		end_call(&call);                                                         \
		if (likely(rc == MPI_SUCCESS)) {                                         \
			after;                                                           \
		}                                                                        \
		finish_call(&call);                                                      \
		return rc;                                                               \
	}                                                                                \
	PUBLIC int MPI_##name parameters                                                 \
	{                                                                                \
		if (unlikely(!next_##name) && find_##name() != MPI_SUCCESS)              \
			return MPI_ERR_INTERN;                                           \
		if (unlikely(!memphis_mpi_state.ready || memphis_mpi_inside))            \
			return next_##name arguments;                                    \
		return call_##name arguments;                                            \
	}                                                                                \
	PUBLIC int PMPI_##name parameters                                                \
	{                                                                                \
		if (unlikely(!next_##name) && find_##name() != MPI_SUCCESS)              \
			return MPI_ERR_INTERN;                                           \
		if (likely(!memphis_mpi_state.ready || memphis_mpi_inside ||             \
			   !memphis_mpi_is_fortran(__builtin_return_address(0))))        \
			return next_##name arguments;                                    \
		return call_##name arguments;                                            \
	}

/* Defines a function that is only timed: no code runs before or after the call. */
#define TIMED(name, parameters, arguments) CALL(name, parameters, arguments, (void)0, (void)0)

/* Returns the size of `count` elements in bytes. Must be called only after a call with this type has succeeded. */
static inline uint64_t bytes_of(MPI_Count count, MPI_Datatype type)
{
	MPI_Count bytes = 0;

	if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS ||
	    bytes < 0)
		return 0;
	return (uint64_t)(count * bytes);
}

/* Returns the number for the next call that has waits. */
uint32_t memphis_mpi_next_call(void);

static inline struct memphis_mpi_waited wait_of(const struct call *call)
{
	return (struct memphis_mpi_waited){call->region.begin, call->region.end, call->region.region,
					   memphis_mpi_next_call()};
}

#endif
