/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libmemphis that the I/O layer calls: for times of calls, sums of calls, and files. All of
 * them may run in a signal handler.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <memphis/mpi_layer.h>

#include "base/clock.h"
#include "base/proc.h"
#include "core/session.h"
#include "core/thread.h"
#include "data/region.h"

/*
 * Buffers that are used instead of arrays on the stack of the program's threads. The library also runs in
 * coroutines and signal handlers, whose stacks may have hardly more space than they need themselves. If all
 * buffers are in use, memory is mapped.
 */
#define BUFFERS      8
#define BUFFER_BYTES 4096

static char buffers[BUFFERS][BUFFER_BYTES]
	__attribute__((aligned(64)));              /* pages that are never used occupy no memory */
static _Atomic __u32 unused = (1u << BUFFERS) - 1; /* bitmap: a bit is set if its buffer is not in use */

/*
 * Returns memory that only the caller uses. Its contents are undefined. Returns NULL if memory is exhausted.
 * Lock-free and async-signal-safe. A buffer is lost if it is in use when the process forks, or when a signal
 * handler leaves the caller by longjmp().
 */
static char *take_buffer(void)
{
	__u32 before = atomic_load(&unused);

	while (before)
		if (atomic_compare_exchange_weak(&unused, &before, before & (before - 1)))
			return buffers[__builtin_ctz(before)];
	return sys_map(BUFFER_BYTES);
}

static void return_buffer(char *memory)
{
	const size_t offset = (uintptr_t)memory - (uintptr_t)buffers;

	if (offset < sizeof(buffers))
		atomic_fetch_or(&unused, 1u << offset / BUFFER_BYTES);
	else
		sys_unmap(memory, BUFFER_BYTES);
}

/*
 * Time that this thread has spent in I/O functions, in units of stamps. It never decreases, even if the
 * program leaves a call by longjmp().
 */
static __thread __u64 in_io __attribute__((tls_model("initial-exec")));

/* Returns false as long as the library is not ready. This includes a child process that the library has not noticed yet. */
static bool can_count(void)
{
	const int state = atomic_load_explicit(&memphis_session.state, memory_order_relaxed);

	return atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed) &&
	       state != MEMPHIS_SESSION_DEAD && state != MEMPHIS_SESSION_CLOSED;
}

PUBLIC bool memphis_io_begin(struct memphis_layer_call *call)
{
	if (unlikely(memphis_mpi_inside || memphis_busy || !can_count()))
		return false;
	call->before = in_io;
	call->begin = stamp_now();
	return true;
}

static __u32 call_region(struct memphis_thread_record *self, const char *name)
{
	const __u32 depth = self->depth < MEMPHIS_CALIPERS_MAX ? self->depth : MEMPHIS_CALIPERS_MAX;
	struct memphis_region_node *parent = depth ? self->open[depth - 1] : NULL, *region;
	struct memphis_region_node **known = &self->io_regions[((uintptr_t)name >> 3) % MEMPHIS_IO_REGIONS];

	region = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (likely(region && region->parent == parent && !strcmp(region->name, name)))
		return region->id;
	region = memphis_region_get(parent, name, strlen(name));
	if (!region)
		return 0;
	__atomic_store_n(known, region, __ATOMIC_RELAXED);
	return region->id;
}

PUBLIC void memphis_io_end(const struct memphis_layer_call *call, const char *name, __s32 partner, __u64 read,
			   __u64 written)
{
	const __u64 took = stamp_now() - call->begin, inside = in_io - call->before;
	const __u64 own = likely(inside < took) ? took - inside : 0;
	const int saved = errno;
	struct memphis_thread_record *self;

	if (likely(name)) {
		in_io += own;
		self = memphis_thread_self_below_malloc();
		if (likely(self))
			memphis_mpi_sums_add(&self->mpi,
					     &(struct memphis_mpi_sum){.region = call_region(self, name),
								       .partner = partner,
								       .calls = 1,
								       .sent_bytes = written,
								       .received_bytes = read,
								       .ns = own});
	}
	errno = saved;
}

PUBLIC __s32 memphis_io_file(const char *path)
{
	if (memphis_session.identity.pid != getpid())
		return MEMPHIS_MPI_OTHERS;
	if (!path)
		return MEMPHIS_MPI_NONE;
	return MEMPHIS_MPI_FILE + (__s32)memphis_name_number(&memphis_file_names, path);
}

PUBLIC __s32 memphis_io_file_at(int fd)
{
	const int saved = errno;
	char link[MEMPHIS_FD_PATH], *path = take_buffer();
	__s32 partner = MEMPHIS_MPI_OTHERS;
	ssize_t bytes;

	if (!path)
		return partner;
	memphis_fd_path(link, fd);
	bytes = readlink(link, path, BUFFER_BYTES - 1);
	if (bytes > 0) {
		path[bytes] = '\0';
		/* Sockets, pipes and similar objects have no path. The kernel returns a text such as "socket:[4711]" instead. */
		partner = memphis_io_file(*path == '/' ? path : NULL);
	}
	return_buffer(path);
	errno = saved;
	return partner;
}
