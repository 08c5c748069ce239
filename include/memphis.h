/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public C interface of libmemphis. Calipers mark the part of a program that matters; in between, the library samples memory
 * accesses of all threads and writes one sample file per thread.
 *
 *	#include <memphis.h>
 *
 *	memphis_begin("TimeLoop");
 *	for (step = 0; step < steps; step++) { ... }
 *	memphis_end("TimeLoop");
 *
 * The library never makes the program fail: where sampling is not possible, every call returns quickly, the program computes the
 * same result, and one line on standard error states what is missing and what to do.
 * For C++ there is memphis.hpp, for Fortran the module memphis, for Python memphis.py.
 * Settings come from the environment (MEMPHIS_*, see memphis(3)) or memphis_configure().
 *
 * Unless stated otherwise, functions may be called from any thread at any time, return 0 or a negative errno value, keep no
 * pointers to their arguments, and are not async-signal-safe.
 */
#ifndef MEMPHIS_H
#define MEMPHIS_H

#include <stddef.h>
#include <stdint.h>

#include <memphis/version.h>

/* The function does not access the memory: prevents warnings that it is uninitialised. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
#define MEMPHIS_ADDRESS_ONLY __attribute__((access(none, 1)))
#else
#define MEMPHIS_ADDRESS_ONLY
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Open and close a caliper of the calling thread. A caliper opens a region; samples are stamped with the current region of their
 * thread. `name`: NUL-terminated, copied. Regions with the same name and the same parent are one region.
 *
 * The first open caliper of the process switches sampling on for all threads, existing and future ones; closing the last one
 * switches it off. Inside an open caliper, a further pair of calls takes nanoseconds and only changes the region of the calling
 * thread. A thread without open calipers has the region of the thread that opened the outermost caliper; if that thread
 * closes it while others have calipers open, the region of one of these.
 *
 * Calipers of a thread nest, and may overlap: if one is closed before those opened inside it, these stay open, inside the
 * caliper around it. memphis_end() closes the innermost of several calipers with the same name. A thread that ends closes its
 * calipers. A caliper that is left without memphis_end() (longjmp(), return, exception) is closed when the same call site
 * opens a caliper of that name again, at the same depth of the stack or further out.
 *
 * Returns 0; -EINVAL: `name` is NULL or empty, or memphis_end(): the calling thread has no open caliper of that name, and nothing
 * was changed; -ENODEV: sampling is not possible (see memphis_status()).
 */
int memphis_begin(const char *name);
int memphis_end(const char *name);

/*
 * Name `bytes` bytes of memory at `start`, until the memory is freed or named again. The name takes precedence over names that the
 * post-processor finds. NULL as `name` removes the name; this is for memory whose release the library does not see, such as
 * memory of the program's own allocator. `name` is copied; the memory is not accessed.
 *
 * Returns 0; -EINVAL: `start` is NULL, `bytes` is 0, or `name` is empty; -ENODEV: sampling is not possible; -ENOSPC: 65536 names
 * wait to be written, which happens twenty times per second (memphis_flush() makes room); -ENOMEM: there is no memory to store
 * the name. In the last two cases the memory does not get the name, and the report states how many names are missing.
 */
int memphis_name(const void *start, size_t bytes, const char *name) MEMPHIS_ADDRESS_ONLY;

/*
 * Change a setting before the first caliper is opened. The key is the name of the environment variable without MEMPHIS_, in lower
 * case: memphis_configure("period", "65536"). The call overrides the environment. Both strings are copied.
 *
 * Returns 0; -EBUSY: a caliper was opened before; -EINVAL: NULL, or a bad value; -ENOENT: unknown key.
 */
int memphis_configure(const char *key, const char *value);

/*
 * Write everything captured so far to the files, which are then complete up to this point even if the process is killed. Blocks
 * until the data is written, at most 20 s.
 *
 * Returns 0; -ENODEV: nothing is being sampled; -ETIMEDOUT: the file system has not accepted the data within 20 s; it is written
 * as soon as the file system proceeds. A file that can't be written is not an error of this call: the file ends where it was,
 * and the failure is reported on standard error and counted.
 */
int memphis_flush(void);

/*
 * Describe what the library is doing, as one line of text without a newline, e.g. "sampling: ibs_op, period
 * 65536 ops, 4 threads, writing to DIR" or "not sampling: /dev/memphis: No such file or directory; ...".
 * Writes at most `bytes` bytes, with the NUL, to `text`, which may be NULL if `bytes` is 0. Returns the length of the whole line
 * without the NUL, as snprintf() does.
 */
int memphis_status(char *text, size_t bytes);

/*
 * Returns MEMPHIS_VERSION of the library at run time, a static string. MEMPHIS_VERSION_MAJOR and MEMPHIS_VERSION_MINOR are the
 * version that the program was built with; MEMPHIS_VERSION_AT_LEAST(major, minor) compares it, also in #if.
 */
const char *memphis_version(void);

#ifdef __cplusplus
}
#endif

#endif
