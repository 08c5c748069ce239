/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces memphis.h in builds without libmemphis. It defines the functions of memphis.h. Each does nothing,
 * and leaves nothing in the program. They return what the library returns if sampling is not possible.
 *
 *	#ifdef USE_MEMPHIS
 *	#include <memphis.h>
 *	#else
 *	#include <memphis_stub.h>
 *	#endif
 *
 * The header needs nothing else of Memphis, so a program may carry a copy of it.
 */
#ifndef MEMPHIS_STUB_H
#define MEMPHIS_STUB_H

#ifdef MEMPHIS_H
#error "include either memphis.h or memphis_stub.h"
#endif

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct memphis_region_name;

static __inline__ int memphis_begin(const char *name)
{
	(void)name;
	return -ENODEV;
}

static __inline__ int memphis_end(const char *name)
{
	(void)name;
	return -ENODEV;
}

static __inline__ const struct memphis_region_name *memphis_region(const char *name)
{
	(void)name;
	return NULL;
}

static __inline__ int memphis_begin_region(const struct memphis_region_name *region)
{
	(void)region;
	return -ENODEV;
}

static __inline__ int memphis_end_region(const struct memphis_region_name *region)
{
	(void)region;
	return -ENODEV;
}

static __inline__ int memphis_script_begin(const char *name)
{
	(void)name;
	return -ENODEV;
}

static __inline__ int memphis_script_end(const char *name)
{
	(void)name;
	return -ENODEV;
}

static __inline__ int memphis_pause(void)
{
	return -ENODEV;
}

static __inline__ int memphis_resume(void)
{
	return -ENODEV;
}

static __inline__ int memphis_is_sampling(void)
{
	return -ENODEV;
}

static __inline__ int memphis_name(const void *start, size_t bytes, const char *name)
{
	(void)start;
	(void)bytes;
	(void)name;
	return -ENODEV;
}

struct memphis_pool;

static __inline__ struct memphis_pool *memphis_pool_create(const char *name)
{
	(void)name;
	return NULL;
}

static __inline__ void *memphis_pool_alloc(struct memphis_pool *pool, void *part, size_t bytes,
					   const char *name)
{
	(void)pool;
	(void)bytes;
	(void)name;
	return part;
}

static __inline__ int memphis_pool_free(struct memphis_pool *pool, const void *part)
{
	(void)pool;
	(void)part;
	return -ENODEV;
}

static __inline__ int memphis_pool_reset(struct memphis_pool *pool)
{
	(void)pool;
	return -ENODEV;
}

static __inline__ int memphis_pool_destroy(struct memphis_pool *pool)
{
	(void)pool;
	return -ENODEV;
}

static __inline__ int memphis_configure(const char *key, const char *value)
{
	(void)key;
	(void)value;
	return -ENODEV;
}

static __inline__ int memphis_flush(void)
{
	return -ENODEV;
}

static __inline__ int memphis_status(char *text, size_t bytes)
{
	static const char line[] = "not sampling: built without libmemphis";
	const size_t length = bytes < sizeof(line) ? bytes : sizeof(line);

	if (length) {
		memcpy(text, line, length - 1);
		text[length - 1] = '\0';
	}
	return (int)sizeof(line) - 1;
}

static __inline__ const char *memphis_version(void)
{
	return "";
}

#endif
