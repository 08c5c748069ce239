/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of sanitizers. ThreadSanitizer must see each thread from its start, without code of the library
 * in between. AddressSanitizer works with the library if the sanitizer's runtime comes first in the search
 * order. This is the case if the program is linked with the library. If the library is preloaded, the program
 * starts only with an option that memphis record sets.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/linkage.h"
#include "base/sys.h"
#include "core/sanitizer.h"

/*
 * Entry points of the runtimes; NULL if the runtime is not loaded. These are weak references, because the
 * loader resolves them without allocating memory. dlsym() might allocate.
 */
extern void __tsan_init(void) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));

static const struct memphis_sanitizer thread = {
	"the program is built with ThreadSanitizer, which takes no threads but those it has seen from their start on",
	"build it without -fsanitize=thread"};
static const struct memphis_sanitizer address = {
	"the program is built with AddressSanitizer, whose runtime has to come before the library",
	"link it with -lmemphis and start it with MEMPHIS_RECORD=all instead of memphis record, or build it without -fsanitize=address"};

/* Returns the load address of the object that contains `address_in`, or 0 if unknown. */
static __u64 find_object(const void *address_in)
{
	Dl_info info;

	return dladdr(address_in, &info) ? (__u64)(uintptr_t)info.dli_fbase : 0;
}

/*
 * Returns true if the runtime comes after the library in the loader's list. The list has the order of symbol
 * look-up, and the program itself comes first.
 */
static bool is_runtime_behind(void (*init)(void))
{
	const struct link_map *map;
	const void *pointer;
	__u64 own, other;

	memcpy(&pointer, &init, sizeof(pointer));
	if (!init || !memphis_is_shared)
		return false;
	own = find_object(&thread);
	other = find_object(pointer);
	for (map = _r_debug.r_map; map; map = map->l_next) {
		if (map->l_addr == other)
			return false;
		if (map->l_addr == own)
			break;
	}
	/* The list entry of a program that is not position-independent has load address 0. */
	for (; map; map = map->l_next)
		if (map->l_addr == other)
			return true;
	return false;
}

bool memphis_sanitizer_is_behind(void)
{
	return is_runtime_behind(__tsan_init) || is_runtime_behind(__asan_init);
}

const struct memphis_sanitizer *memphis_sanitizer(void)
{
	if (__tsan_init)
		return &thread;
	return is_runtime_behind(__asan_init) ? &address : NULL;
}

extern char **environ;

/*
 * Returns true if the environment contains the assignment. Does not call the C library, because a sanitizer
 * that is not initialised yet may interpose its functions.
 */
static bool has_assignment(const char *assignment)
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

static void write_message(const char *text)
{
	size_t length = 0;

	while (((const volatile char *)text)[length])
		length++;
	if (syscall(SYS_write, STDERR_FILENO, text, length) < 0)
		errno = 0;
}

void memphis_sanitizer_report(void)
{
	const struct memphis_sanitizer *sanitizer = memphis_sanitizer();

	if (!sanitizer || has_assignment("MEMPHIS_DISABLE=1") ||
	    !(has_assignment("MEMPHIS_RECORD=all") || has_assignment("MEMPHIS_RECORD=at-once")))
		return;
	write_message("memphis: not sampling: ");
	write_message(sanitizer->problem);
	write_message("; ");
	write_message(sanitizer->remedy);
	write_message("\n");
}
