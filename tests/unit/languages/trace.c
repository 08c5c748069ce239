/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-in for the core of libmemphis, beneath its interfaces for languages and tools: prints each call to standard output.
 * The calls return the value of TRACE_STATUS, or 0.
 */
#include <memphis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/caliper.h"
#include "settings/env.h"
#include "interpose/lifecycle.h"
#include "interpose/parts.h"
#include "core/names.h"

#define PUBLIC __attribute__((visibility("default")))

static __thread int depth;

static int answer(void)
{
	const char *status = getenv("TRACE_STATUS");

	fflush(stdout);
	return status ? atoi(status) : 0;
}

static int begin(const char *name, size_t length)
{
	printf("%*sbegin [%.*s]\n", 2 * depth++, "", (int)length, name);
	return answer();
}

static int end(const char *name, size_t length)
{
	printf("%*send [%.*s]\n", 2 * --depth, "", (int)length, name);
	return answer();
}

__attribute__((constructor)) static void load(void)
{
	memphis_env_load();
}

PUBLIC int memphis_begin(const char *name)
{
	return begin(name, strlen(name));
}

PUBLIC int memphis_end(const char *name)
{
	return end(name, strlen(name));
}

PUBLIC int memphis_script_begin(const char *name)
{
	return begin(name, strlen(name));
}

PUBLIC int memphis_script_end(const char *name)
{
	return end(name, strlen(name));
}

int memphis_caliper_begin(const char *name, size_t length)
{
	return begin(name, length);
}

int memphis_caliper_end(const char *name, size_t length)
{
	return end(name, length);
}

void memphis_caliper_push(const char *name)
{
	memphis_begin(name && *name ? name : "(no name)");
}

void memphis_caliper_pop(void)
{
	end("", 0);
}

/* A registered name is its text. */
PUBLIC const struct memphis_region_name *memphis_region(const char *name)
{
	printf("%*sregion [%s]\n", 2 * depth, "", name);
	return (const struct memphis_region_name *)name;
}

PUBLIC int memphis_begin_region(const struct memphis_region_name *region)
{
	return memphis_begin((const char *)region);
}

PUBLIC int memphis_end_region(const struct memphis_region_name *region)
{
	return memphis_end((const char *)region);
}

PUBLIC int memphis_pause(void)
{
	printf("%*spause\n", 2 * depth, "");
	return answer();
}

PUBLIC int memphis_resume(void)
{
	printf("%*sresume\n", 2 * depth, "");
	return answer();
}

PUBLIC int memphis_is_sampling(void)
{
	return 1;
}

void memphis_program_begin(void)
{
	printf("program begins\n");
}

void memphis_program_end(void)
{
	printf("program ends\n");
}

struct memphis_pool {
	char name[32];
};

struct memphis_pool *memphis_parts_pool(const char *name)
{
	static struct memphis_pool pools[8];
	static int count;

	snprintf(pools[count].name, sizeof(pools[count].name), "%s", name ? name : "");
	printf("pool [%s]\n", pools[count].name);
	fflush(stdout);
	return &pools[count++];
}

void memphis_parts_add(struct memphis_pool *pool, const void *address, __u64 bytes, const char *name,
		       void *frame)
{
	(void)frame;
	printf("part of [%s] %llu [%s] 0x%02x\n", pool ? pool->name : "-", bytes, name ? name : "",
	       *(const unsigned char *)address);
	fflush(stdout);
}

__u64 memphis_parts_stamp(void)
{
	static __u64 stamp;

	return ++stamp;
}

int memphis_parts_end(struct memphis_pool *pool, const void *address, __u64 stamp)
{
	printf("part of [%s] ends at %llu 0x%02x\n", pool ? pool->name : "-", stamp,
	       *(const unsigned char *)address);
	return answer();
}

int memphis_parts_reset(struct memphis_pool *pool)
{
	printf("reset [%s]\n", pool ? pool->name : "-");
	return answer();
}

int memphis_parts_destroy(struct memphis_pool *pool)
{
	printf("destroy [%s]\n", pool ? pool->name : "-");
	return answer();
}

void memphis_fork_check(void)
{
}

/* Addresses differ from run to run, so the first byte at the address is printed instead: it identifies the object. */
int memphis_names_add(const void *start, size_t bytes, const char *name, size_t length)
{
	if (length)
		printf("name %zu [%.*s] 0x%02x\n", bytes, (int)length, name, *(const unsigned char *)start);
	else
		printf("no name %zu\n", bytes);
	return answer();
}

PUBLIC int memphis_name(const void *start, size_t bytes, const char *name)
{
	return memphis_names_add(start, bytes, name, name ? strlen(name) : 0);
}

PUBLIC int memphis_configure(const char *key, const char *value)
{
	printf("configure [%s] [%s]\n", key, value);
	return answer();
}

PUBLIC int memphis_flush(void)
{
	printf("flush\n");
	return answer();
}

PUBLIC int memphis_status(char *text, size_t bytes)
{
	return snprintf(text, bytes, "not sampling: this is a trace");
}

PUBLIC const char *memphis_version(void)
{
	return MEMPHIS_VERSION;
}
