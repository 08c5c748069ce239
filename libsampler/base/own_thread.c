/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own threads: affinity, scheduling policy, signals and stack size. */
#include <dirent.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/busy.h"
#include "base/own_thread.h"
#include "base/sys.h"

#define STACK_BYTES  (256u << 10)
#define MASK_BYTES   1024 /* sufficient for 8192 CPUs */
#define MASK_WORDS   (MASK_BYTES / sizeof(unsigned long))
#define SINGLE_LINKS 3 /* link count of the directory of threads if there is one thread */

/*
 * The CPUs that the process may use. CPUs that a cgroup has removed since are ignored by the kernel. Empty if
 * unknown.
 */
static unsigned long mask[MASK_WORDS];

int (*memphis_own_thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void note_nothing(void)
{
}

/*
 * Reads the mask before OpenMP's runtime may bind the main thread in its constructor, which runs before the
 * library's. Resolvers of indirect functions run even earlier, when the library is relocated, and can't call
 * other objects.
 */
static void (*resolve_note(void))(void)
{
	register long pid __asm__("rdi") = 0, bytes __asm__("rsi") = sizeof(mask);
	register unsigned long *to __asm__("rdx") = mask;
	long result = SYS_sched_getaffinity;

	__asm__ volatile("syscall" : "+a"(result) : "r"(pid), "r"(bytes), "r"(to) : "rcx", "r11", "memory");
	return note_nothing;
}

static void note(void) __attribute__((ifunc("resolve_note")));

/* If the library is loaded late, the calling thread may already be bound, so add the CPUs of all threads. */
static void add_masks_of_threads(void)
{
	unsigned long other[MASK_WORDS];
	const struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	long bytes;
	size_t i;

	while (tasks && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		bytes = syscall(SYS_sched_getaffinity, atoi(entry->d_name), sizeof(other), other);
		for (i = 0; bytes > 0 && i < (size_t)bytes / sizeof(*other); i++)
			mask[i] |= other[i];
	}
	if (tasks)
		closedir(tasks);
}

void memphis_own_thread_setup(void)
{
	struct stat st;

	memphis_busy++;
	note(); /* this reference makes the loader run the resolver */
	if (!stat("/proc/self/task", &st) && st.st_nlink > SINGLE_LINKS)
		add_masks_of_threads();
	memphis_busy--;
}

static int add_thread_local(struct dl_phdr_info *info, size_t size, void *bytes)
{
	const ElfW(Phdr) * part;

	(void)size;
	for (part = info->dlpi_phdr; part < info->dlpi_phdr + info->dlpi_phnum; part++)
		if (part->p_type == PT_TLS)
			*(size_t *)bytes += part->p_memsz + part->p_align;
	return 0;
}

/*
 * Returns the stack size, which includes the program's thread-local variables: the C library places them on
 * each thread's stack.
 */
static size_t stack_bytes(void)
{
	size_t bytes = STACK_BYTES;

	dl_iterate_phdr(add_thread_local, &bytes);
	return bytes;
}

/*
 * The thread sets affinity and policy itself: if they were attributes of pthread_create(), a refusal would
 * prevent the thread from being created. If the system refuses, which Linux never does, the inherited values
 * remain.
 */
static void *begin(void *data)
{
	const struct memphis_own_thread *thread = data;
	const struct sched_param priority = {0};

	memphis_busy++; /* never decremented: nothing that this thread allocates is the program's */
	syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask);
	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &priority);
	pthread_setname_np(pthread_self(), thread->name);
	return thread->run(NULL);
}

int memphis_own_thread_start(const struct memphis_own_thread *thread)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t id;
	int err;

	/* The thread must never run the program's signal handlers. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, stack_bytes());
	err = memphis_own_thread_create(&id, &attr, begin, (void *)(uintptr_t)thread);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}
