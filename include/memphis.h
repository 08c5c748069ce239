/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public interface of libmemphis: calipers around the part of a program that matters, sampled
 * memory accesses of every thread in between, one sample file per thread.
 *
 *	#include <memphis.h>
 *
 *	memphis_begin("TimeLoop");
 *	for (step = 0; step < steps; step++) { ... }
 *	memphis_end("TimeLoop");
 *
 * The library never fails its host: without a usable device every call returns quickly, the
 * program runs on with the same result, and one line on stderr says what is missing and what to do.
 * For C++ there is memphis.hpp, for Fortran the module memphis, for Python memphis.py.
 * Settings come from the environment (MEMPHIS_*, see memphis(3)) or memphis_configure().
 *
 * Unless stated otherwise, functions may be called from any thread at any time, return 0 or a negative
 * errno value, keep no pointer that they were given, and are not async-signal-safe.
 */
#ifndef MEMPHIS_H
#define MEMPHIS_H

#include <stddef.h>
#include <stdint.h>

#include <memphis/version.h>

/* The memory is not looked at: compilers need not warn that nothing stands there yet. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
#define MEMPHIS_ADDRESS_ONLY __attribute__((access(none, 1)))
#else
#define MEMPHIS_ADDRESS_ONLY
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Open and close a caliper. The outermost open caliper of the process switches sampling on for all its
 * threads, those that exist and those that come; the last one closed switches it off. Calipers nest:
 * inside an open one a begin/end pair costs nanoseconds and only changes the region stamped on the
 * calling thread's samples. They may overlap, too: one that is closed before those opened inside it leaves these open,
 * in what is around it. Threads without a caliper of their own are stamped with the region of the
 * thread that opened the outermost one; if that thread closes it while others have one open, of one of those.
 * A thread that ends inside a caliper closes it. One whose end never comes (longjmp(), return, exception) is closed when the
 * same call opens one of its name again, no further in on the stack.
 * `name`: NUL-terminated, copied. Regions of the same name below the same parent are one region.
 * memphis_end() closes the innermost of several.
 * Returns 0; -EINVAL: `name` is NULL or empty, or memphis_end(): the calling thread has no caliper of that name open, and nothing
 * was changed; -ENODEV: sampling is not possible (see memphis_status()).
 */
int memphis_begin(const char *name);
int memphis_end(const char *name);

/*
 * Name the `bytes` of memory at `start` until it is freed or named again; wins over every name that
 * the post-processor would find itself. NULL as `name` takes the name away: for memory that the library does not see being
 * freed, as of an allocator of the program's own.
 * Returns 0; -EINVAL: `start` is NULL, `bytes` 0, or `name` empty; -ENODEV: sampling is not possible; -ENOSPC: 65536 names were given
 * that are not in the files yet, where they go twenty times a second; memphis_flush() makes room; -ENOMEM: there is no memory
 * to keep it. In the last two cases the memory stays without the name, which is counted; the report says so.
 */
int memphis_name(const void *start, size_t bytes, const char *name) MEMPHIS_ADDRESS_ONLY;

/*
 * Change a setting, by the name of its environment variable without MEMPHIS_, in lower case:
 * memphis_configure("period", "65536"). Wins over the environment.
 * Returns 0; -EBUSY: a caliper was opened before; -EINVAL: NULL, or a bad value; -ENOENT: an unknown key.
 */
int memphis_configure(const char *key, const char *value);

/*
 * Write out everything captured so far. The files are complete up to here even if the process is killed.
 * Returns 0; -ENODEV: nothing is being sampled; -ETIMEDOUT: the file system has not taken it within 20 s; it is written as
 * soon as that goes on. A file that can't be written is no error here: it ends where it was, which is said and counted.
 */
int memphis_flush(void);

/*
 * What the library is doing, as one line of text without a newline, e.g. "sampling: ibs_op, period
 * 65536 ops, 4 threads, writing to DIR" or "not sampling: /dev/memphis: No such file or directory; ...".
 * Writes at most `bytes` with the NUL to `text`; returns the length of the whole line, as snprintf().
 */
int memphis_status(char *text, size_t bytes);

/*
 * MEMPHIS_VERSION of the library at run time; a static string. What the program was built with are MEMPHIS_VERSION_MAJOR and
 * MEMPHIS_VERSION_MINOR; MEMPHIS_VERSION_AT_LEAST(major, minor) compares them, also in #if.
 */
const char *memphis_version(void);

#ifdef __cplusplus
}
#endif

#endif
