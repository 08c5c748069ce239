/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included in each file of the library before all other headers. Redirects functions of the C library that
 * tools interpose (Darshan, libjsig, UCX) to system calls (base/direct.c). In a companion (base/companion.h),
 * a tool's function would not find its thread-local variables, and its locks would not work. In a thread of
 * the program, the tool would count the library's files as the program's.
 *
 * The redirected functions are no cancellation points. Otherwise, they behave as the functions of the C
 * library unless stated otherwise. Thread-safe and async-signal-safe.
 */
#ifndef MEMPHIS_DIRECT_H
#define MEMPHIS_DIRECT_H

/* If this macro is defined, headers of the C library define some of the functions themselves. */
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMPHIS_DIRECT(name) \
	extern __typeof__(name) name __asm__("memphis_direct_" #name) __attribute__((visibility("hidden")))

MEMPHIS_DIRECT(access);
MEMPHIS_DIRECT(close);
MEMPHIS_DIRECT(fcntl); /* does not support the commands that lock records */
MEMPHIS_DIRECT(fstat);
MEMPHIS_DIRECT(ftruncate);
MEMPHIS_DIRECT(getdents64);
MEMPHIS_DIRECT(ioctl);
MEMPHIS_DIRECT(lseek);
MEMPHIS_DIRECT(madvise);
MEMPHIS_DIRECT(mkdir);
MEMPHIS_DIRECT(mprotect);
MEMPHIS_DIRECT(open);
MEMPHIS_DIRECT(poll);
MEMPHIS_DIRECT(pread);
MEMPHIS_DIRECT(pwrite);
MEMPHIS_DIRECT(read);
MEMPHIS_DIRECT(readlink);
MEMPHIS_DIRECT(recv);
MEMPHIS_DIRECT(rmdir);
MEMPHIS_DIRECT(send);
MEMPHIS_DIRECT(shmctl);
MEMPHIS_DIRECT(sigaction);
MEMPHIS_DIRECT(socketpair);
MEMPHIS_DIRECT(stat);
MEMPHIS_DIRECT(unlink);
MEMPHIS_DIRECT(write);

#endif
