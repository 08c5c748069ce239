/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of functions that replace some of the functions in base/direct.c. It is empty except in the
 * library's own tests. The tests use it to emulate a device, slow file systems, and a program that acts
 * between two system calls of the library.
 */
#ifndef MEMPHIS_STAND_INS_H
#define MEMPHIS_STAND_INS_H

#include <poll.h>
#include <sys/types.h>

/* A function is not replaced if its member is NULL. A constructor that runs before the library's constructor sets the members. */
struct memphis_stand_ins {
	int (*open)(const char *, int, ...);
	int (*fcntl)(int, int, ...);
	int (*ioctl)(int, unsigned long, ...);
	int (*poll)(struct pollfd *, nfds_t, int);
	ssize_t (*pread)(int, void *, size_t, off_t);
	ssize_t (*pwrite)(int, const void *, size_t, off_t);
	ssize_t (*getdents64)(int, void *, size_t);
};

extern struct memphis_stand_ins memphis_stand_ins __attribute__((weak, visibility("default")));

/* If another library that was loaded earlier defines this function, the library's constructor calls it first. */
void memphis_stand_in(struct memphis_stand_ins *all) __attribute__((weak, visibility("default")));

/*
 * Defines a constructor that installs the function `name` as a replacement. Works whether the library is
 * preloaded, linked, or in an archive.
 */
#define MEMPHIS_STAND_IN(name)                                                            \
	__attribute__((constructor)) static void stand_in_for_##name(void)                \
	{                                                                                 \
		struct memphis_stand_ins *all = dlsym(RTLD_DEFAULT, "memphis_stand_ins"); \
		if (!all)                                                                 \
			all = &memphis_stand_ins;                                         \
		if (all)                                                                  \
			all->name = name;                                                 \
	}

#endif
