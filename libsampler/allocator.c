/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose allocator the program has, and what of it the library can't see. Function pointers of another object than the
 * library's own say so: the program's allocator may be defined in the program itself, or be loaded ahead of the library.
 */
#include <dlfcn.h>
#include <string.h>

#include "allocator.h"
#include "real.h"

/* The objects whose malloc() or free(), and mmap(), are called instead of the library's ... */
static const char *ahead, *maps_ahead;
/* ... and the one whose blocks another one's malloc_usable_size() would be asked about. */
static const char *sizeless;

/* The object that a function is part of, or NULL. */
static const void *object_of(const void *function, const char **name)
{
	Dl_info info;

	if (!function || !dladdr(function, &info))
		return NULL;
	if (name)
		*name = info.dli_fname;
	return info.dli_fbase;
}

static const void *global(const char *function)
{
	return dlsym(RTLD_DEFAULT, function);
}

/* ISO C has no way from a function's pointer to an object's. */
#define POINTER(function)                                                    \
	({                                                                   \
		const void *pointer_;                                        \
		memcpy(&pointer_, &memphis_real.function, sizeof(pointer_)); \
		pointer_;                                                    \
	})

/* The object that has one of them called in the library's place. */
static const char *find_ahead(const char *const *functions)
{
	const void *own = object_of(&ahead, NULL), *other;
	const char *name = NULL;

	for (; *functions; functions++) {
		other = object_of(global(*functions), &name);
		if (other && other != own)
			return name;
	}
	return NULL;
}

static const char *find_sizeless(void)
{
	const int by_order = memphis_real_by_order;
	const char *name = NULL;
	const void *made = object_of(by_order ? POINTER(malloc) : global("malloc"), &name);
	const void *asked =
		object_of(by_order ? POINTER(malloc_usable_size) : global("malloc_usable_size"), NULL);

	/* A static program knows of no objects. */
	return made && made != asked ? name : NULL;
}

int memphis_allocator_can_be_tracked(void)
{
	static const char *const of_blocks[] = {"malloc", "calloc", "realloc", "free", NULL};
	static const char *const of_maps[] = {"mmap", "munmap", NULL};
	static int looked;

	if (!looked) {
		looked = 1;
		ahead = memphis_real_by_order ? find_ahead(of_blocks) : NULL;
		maps_ahead = memphis_real_by_order ? find_ahead(of_maps) : NULL;
		sizeless = ahead ? NULL : find_sizeless();
	}
	return !ahead && !sizeless;
}

/* operator new(size_t) of the allocator itself goes past its malloc(). */
static const char *find_operators(void)
{
	const char *name = NULL;
	const void *allocator = object_of(memphis_real_by_order ? POINTER(malloc) : global("malloc"), NULL);
	const void *operators = object_of(global("_Znwm"), &name);

	dlerror(); /* what failed is nobody else's */
	return operators && operators == allocator ? name : NULL;
}

void memphis_allocator_facts(struct memphis_text *text)
{
	const char *operators;

	if (maps_ahead)
		memphis_text_pair(text, "maps_ahead", maps_ahead);
	if (ahead)
		memphis_text_pair(text, "allocator_ahead", ahead);
	else if (sizeless)
		memphis_text_pair(text, "allocator_sizeless", sizeless);
	else if ((operators = find_operators()))
		memphis_text_pair(text, "allocator_operators", operators);
}
