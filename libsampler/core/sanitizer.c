/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are built with a sanitizer. ThreadSanitizer has to see each thread from its start on, with nothing of ours
 * around it. AddressSanitizer goes well with the library as long as its runtime comes first, which it does when the library
 * is linked, and does not when that is preloaded; programs then don't even start, but for an option that memphis record
 * gives them.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/linkage.h"
#include "base/sys.h"
#include "core/sanitizer.h"

/* Theirs, if there are any in the process. Weak references are looked up by the loader, which allocates nothing for it. */
extern void __tsan_init(void) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));

static const struct memphis_sanitizer thread = {"the program is built with ThreadSanitizer, which takes no "
						"threads but those it has seen from their start on",
						"build it without -fsanitize=thread"};
static const struct memphis_sanitizer address = {
	"the program is built with AddressSanitizer, whose runtime has to come before the library",
	"link it with -lmemphis and start it with MEMPHIS_RECORD=all instead of memphis record, or build it "
	"without -fsanitize=address"};

/* Where the object lies that this is part of; 0: not known. */
static __u64 object_of(const void *address_in)
{
	Dl_info info;

	return dladdr(address_in, &info) ? (__u64)(uintptr_t)info.dli_fbase : 0;
}

/* The loader's list is in the order in which it looks symbols up; the program itself stands first. */
static bool is_behind(void (*init)(void))
{
	const __u64 own = object_of(&thread);
	const struct link_map *map;
	const void *pointer;
	__u64 other;

	memcpy(&pointer, &init, sizeof(pointer));
	if (!init || !memphis_is_shared)
		return false;
	other = object_of(pointer);
	for (map = _r_debug.r_map; map; map = map->l_next) {
		if (map->l_addr == other)
			return false;
		if (map->l_addr == own)
			break;
	}
	/* A program at a place of its own has address 0 in the list. */
	for (; map; map = map->l_next)
		if (map->l_addr == other)
			return true;
	return false;
}

bool memphis_sanitizer_is_behind(void)
{
	return is_behind(__tsan_init) || is_behind(__asan_init);
}

const struct memphis_sanitizer *memphis_sanitizer(void)
{
	if (__tsan_init)
		return &thread;
	return is_behind(__asan_init) ? &address : NULL;
}

extern char **environ;

/* The C library's functions may be the sanitizer's, which is not ready. */
static bool is_set(const char *assignment)
{
	char **variable;
	size_t i;

	for (variable = environ; variable && *variable; variable++) {
		for (i = 0; assignment[i] && (*variable)[i] == assignment[i]; i++)
			;
		if (!assignment[i] && !(*variable)[i])
			return true;
	}
	return false;
}

static void put(const char *text)
{
	size_t length = 0;

	while (((const volatile char *)text)[length])
		length++;
	if (syscall(SYS_write, STDERR_FILENO, text, length) < 0)
		errno = 0;
}

void memphis_sanitizer_tell(void)
{
	const struct memphis_sanitizer *sanitizer = memphis_sanitizer();

	if (!sanitizer || !is_set("MEMPHIS_RECORD=all") || is_set("MEMPHIS_DISABLE=1"))
		return;
	put("memphis: not sampling: ");
	put(sanitizer->problem);
	put("; ");
	put(sanitizer->remedy);
	put("\n");
}
