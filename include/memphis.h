/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public C interface of libmemphis. A program marks the part to be profiled with calipers. While a caliper is open, the library
 * samples the memory accesses of all threads and writes one sample file per thread.
 *
 *	#include <memphis.h>
 *
 *	memphis_begin("TimeLoop");
 *	for (step = 0; step < steps; step++) { ... }
 *	memphis_end("TimeLoop");
 *
 * The library never makes the program fail. If sampling is not possible, every call returns quickly, the results of the program
 * do not change, and one line on standard error states what is missing and what to do about it.
 * C++ programs include memphis.hpp, Fortran programs use the module memphis, and Python programs import memphis.py.
 * Settings are read from the environment (MEMPHIS_*, see memphis(3)) and from memphis_configure().
 *
 * Unless stated otherwise, a function may be called from any thread at any time, returns 0 or a negative errno value, keeps no
 * pointer to its arguments, and is not async-signal-safe.
 */
#ifndef MEMPHIS_H
#define MEMPHIS_H

#include <stddef.h>
#include <stdint.h>

#include <memphis/version.h>

/*
 * These macros declare that a function does not access the memory at its first or second argument. They
 * prevent warnings about uninitialised memory.
 */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
#define MEMPHIS_ADDRESS_ONLY      __attribute__((access(none, 1)))
#define MEMPHIS_POOL_ADDRESS_ONLY __attribute__((access(none, 2)))
#else
#define MEMPHIS_ADDRESS_ONLY
#define MEMPHIS_POOL_ADDRESS_ONLY
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * memphis_begin() opens a caliper of the calling thread, and memphis_end() closes it. A caliper opens a region, and each sample is
 * stamped with the current region of its thread. Two regions with the same name and the same parent are one region. `name` is
 * NUL-terminated, and copied.
 *
 * Opening the first caliper of the process starts sampling for all existing and future threads; closing the last open caliper
 * stops it. While a caliper is open, a further pair of calls takes nanoseconds and only changes the region of the calling thread.
 * A thread without an open caliper has the region of the leading thread, which is the thread that opened the outermost caliper.
 * If the leading thread closes that caliper while other threads have open calipers, one of them becomes the leading thread.
 *
 * The calipers of a thread may nest or overlap. If a caliper is closed before the calipers that were opened inside it, the inner
 * calipers stay open. If several open calipers have the same name, memphis_end() closes the innermost of them. All calipers of a
 * thread are closed when the thread ends. A caliper that was left without memphis_end() (by longjmp(), return or an exception) is
 * closed when the same call site opens a caliper of that name again, at the same stack depth or further out.
 *
 * Returns 0 on success; -EINVAL if `name` is NULL or empty, or if memphis_end() finds no open caliper of that name in the calling
 * thread, in which case nothing is changed; -ENODEV if sampling is not possible (see memphis_status()).
 */
int memphis_begin(const char *name);
int memphis_end(const char *name);

/*
 * A registered name of regions, for calipers in inner loops: memphis_begin_region() neither measures nor
 * compares the name. There is one object for each name. The object belongs to the library and is never freed.
 */
struct memphis_region_name;

/*
 * Finds the object of a name, or registers the name. The name is copied. This searches a table, so call it
 * once for each name and keep the result. Like all names of regions, the name is truncated to 255 bytes.
 * Returns NULL if `name` is NULL or empty, or if memory is exhausted. Calipers with NULL fail with -EINVAL.
 */
const struct memphis_region_name *memphis_region(const char *name);

/*
 * Do the same as memphis_begin() and memphis_end() with a registered name. The calls can be mixed:
 * memphis_end() closes a caliper that memphis_begin_region() opened, and memphis_end_region() closes one that
 * memphis_begin() opened.
 */
int memphis_begin_region(const struct memphis_region_name *region);
int memphis_end_region(const struct memphis_region_name *region);

/*
 * Do the same as memphis_begin() and memphis_end(), for bindings of interpreted languages. All calls of such
 * a binding may come from one call site and one stack frame of the interpreter. Therefore a caliper that was
 * left without its end is not closed when the same caliper is opened again. The calls can be mixed with those
 * above.
 */
int memphis_script_begin(const char *name);
int memphis_script_end(const char *name);

/*
 * memphis_pause() switches sampling off for all threads of the process. memphis_resume() switches it on again
 * if a caliper is open. Calipers may be opened and closed in between, but the report has no samples of that
 * time. Calls of memphis_pause() do not nest. A program may pause before its first caliper, and resume where
 * the interesting part begins. Use them for pauses of many microseconds: with the module, each call makes one
 * system call for all threads. Without the module, it makes one for each thread.
 *
 * Both return 0 on success, also if nothing changes, and -ENODEV if sampling is not possible or could not be
 * switched on again.
 */
int memphis_pause(void);
int memphis_resume(void);

/*
 * Returns 1 if samples are being taken: any thread has an open caliper, and sampling is not paused. Returns 0
 * if not. Returns -ENODEV if sampling is not possible, which is known from the first caliper on. Takes a few
 * nanoseconds. Async-signal-safe.
 */
int memphis_is_sampling(void);

/*
 * Gives a name to the `bytes` bytes of memory at `start`, until the memory is freed or named again. The name takes precedence over
 * names that the post-processor finds. If `name` is NULL, the memory loses its name; use this if the library cannot detect that
 * the memory is released, for example in a custom allocator. `name` is copied; the memory is not accessed.
 *
 * Returns 0 on success; -EINVAL if `start` is NULL, `bytes` is 0, or `name` is empty; -ENODEV if sampling is not possible; -ENOSPC
 * if 65536 names are waiting to be written (names are written 20 times per second, and by memphis_flush()); -ENOMEM if memory is
 * exhausted. After -ENOSPC and -ENOMEM the memory is not named, and the report states how many names are missing.
 */
int memphis_name(const void *start, size_t bytes, const char *name) MEMPHIS_ADDRESS_ONLY;

/*
 * Pools. A program that takes one large block (an arena, a memory pool) and hands out parts of it can report
 * the parts. Each part is then named like a block of malloc(): by the pointer variable that holds it, by
 * `name`, or by the line that asked the pool for it. While a part lives, it takes precedence over the block,
 * map or static array around it. The rest of that block keeps the block's name.
 *
 *	static struct memphis_pool *pool;   // pool = memphis_pool_create("fields");
 *
 *	void *arena_allocate(size_t bytes)
 *	{
 *		void *part = take(bytes);
 *
 *		return memphis_pool_alloc(pool, part, bytes, NULL); // the caller's line names the part
 *	}
 *
 * A pool is a set of parts. Their memory may be anywhere, and may come from any source. Calls do nothing if
 * the pool is NULL, or while no sample can be taken. Parts of any size are recorded, unless
 * MEMPHIS_ALLOC_MIN_BYTES is "off". A part costs about as much as a tracked block of malloc()
 * (docs/performance.md). Parts that live too briefly for a sample leave nothing in the files.
 *
 * Several threads may make calls for the same pool without a lock. But the program must make these calls in
 * the right order: report a part before another thread can get its address, and report its release before its
 * memory can be handed out again. The same holds for the reset of a pool. If a signal handler interrupts the
 * library and calls it, the handler's event is not recorded, but is counted in the report.
 *
 * The first memphis_pool_alloc() of a thread may call malloc() of the C library, or of a library that
 * replaces it. If such a malloc() calls a hook while it holds its locks, the hook must not call
 * memphis_pool_alloc(). A program that defines malloc() itself may call it from there.
 *
 * After fork(), the child has the pools and parts of its parent.
 */
struct memphis_pool;

/*
 * Creates a pool. If `name` is not NULL or empty, the report shows it instead of the kind of memory:
 * [fields]:tx instead of [heap]:tx. The name is copied. At most 65535 different names of pools and parts are
 * distinguished. The pool belongs to the library until memphis_pool_destroy() releases it. Returns NULL if
 * memory is exhausted.
 */
struct memphis_pool *memphis_pool_create(const char *name);

/*
 * Reports that the `bytes` bytes at `part` are now a part of the pool. Always returns `part`. If `name` is
 * not NULL or empty, it names the part, as memphis_name() names a block. The name is copied. The memory is
 * not accessed.
 *
 * Without a name, the use of the result matters. If the program returns or assigns the result, the part is
 * named like the result of malloc() at this place. If the program ignores the result, as in a hook that is
 * called for each allocation, the calling function counts as a part of the allocator. Then the line that
 * called this function names the part.
 *
 * A part that overlaps a live part of the same pool ends that live part. A part of size 0 or at NULL is
 * ignored. A part may contain the parts of another pool, two levels deep. The innermost part counts. When the
 * block around a part is released, the part ends, except if realloc() leaves the block in its place. The
 * library does not notice the release of blocks smaller than MEMPHIS_ALLOC_MIN_BYTES, so report the release
 * of their parts first.
 */
void *memphis_pool_alloc(struct memphis_pool *pool, void *part, size_t bytes,
			 const char *name) MEMPHIS_POOL_ADDRESS_ONLY;

/*
 * Reports the release of the part that begins at `part`. Must be called before the memory can be handed out
 * again. Has no effect if the pool has no such part. Returns 0, or -EINVAL if `pool` or `part` is NULL or the
 * pool was destroyed.
 */
int memphis_pool_free(struct memphis_pool *pool, const void *part) MEMPHIS_POOL_ADDRESS_ONLY;

/*
 * memphis_pool_reset() reports that all parts of the pool are released. It takes a few nanoseconds, whatever
 * the number of parts. memphis_pool_destroy() does the same and releases the pool, which must not be used any
 * more. Both return 0, or -EINVAL if `pool` is NULL or was destroyed.
 */
int memphis_pool_reset(struct memphis_pool *pool);
int memphis_pool_destroy(struct memphis_pool *pool);

/*
 * Changes a setting before the first caliper is opened. The key is the name of the environment variable without MEMPHIS_, in lower
 * case: memphis_configure("period", "65536"). The value overrides the environment. Both strings are copied.
 *
 * Returns 0 on success; -EBUSY if a caliper was opened before; -EINVAL if an argument is NULL or the value is invalid; -ENOENT if
 * the key is unknown.
 */
int memphis_configure(const char *key, const char *value);

/*
 * Writes everything captured so far to the sample files. The files are then complete up to this point, even if the process is
 * killed later. Blocks until the data is written, but no longer than 20 s.
 *
 * Returns 0 on success; -ENODEV if nothing is being sampled; -ETIMEDOUT if the file system has not accepted the data within 20 s,
 * in which case the data is written as soon as the file system accepts it. If a file can't be written, the call still returns 0:
 * the file keeps the data written before, and the failure is reported on standard error and counted.
 */
int memphis_flush(void);

/*
 * Describes the state of the library in one line of text without a newline, e.g. "sampling: ibs_op, period
 * 65536 ops, 4 threads, writing to DIR" or "not sampling: /dev/memphis: No such file or directory; ...".
 * Writes at most `bytes` bytes to `text`, including the NUL; `text` may be NULL if `bytes` is 0. Like snprintf(), returns the
 * length of the whole line without the NUL.
 */
int memphis_status(char *text, size_t bytes);

/*
 * Returns the version of the library that is loaded at run time, as a static string. The macros MEMPHIS_VERSION_MAJOR and
 * MEMPHIS_VERSION_MINOR are the version of the headers that the program was compiled with; MEMPHIS_VERSION_AT_LEAST(major, minor)
 * tests that version, also in #if.
 */
const char *memphis_version(void);

#ifdef __cplusplus
}
#endif

#endif
