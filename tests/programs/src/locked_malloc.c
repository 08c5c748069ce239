/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocator with one lock and no handler of fork(), which counts its calls; it hands out the C library's blocks. */
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls;

#define locked(call)                         \
	({                                   \
		void *block_;                \
		pthread_mutex_lock(&lock);   \
		calls++;                     \
		block_ = (call);             \
		pthread_mutex_unlock(&lock); \
		block_;                      \
	})

void *malloc(size_t size)
{
	return locked(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return locked(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
	return locked(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size)
{
	return locked(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return locked(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	*block = locked(__libc_memalign(alignment, size));
	return 0;
}

void free(void *block)
{
	(void)locked((__libc_free(block), NULL));
}
