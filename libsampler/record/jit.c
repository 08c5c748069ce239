/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and copies the descriptions of code that a compiler generates at run time. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/text.h"
#include "core/session.h"
#include "record/chunk.h"
#include "record/jit.h"

#define BYTES_MAX  (64u << 20) /* limit for the sum of all files of a process */
#define PART_BYTES (1u << 20)  /* payload of one chunk */
#define DUMPS_MAX  4
#define EARLY_NS   1000000000u /* clocks may be set: tolerance for a file that seems older than its process */

/* Fields of procfs, see proc(5). */
#define START_TIME 22 /* field of /proc/PID/stat */
#define EFFECTIVE  2  /* number of the field in the line Uid of status: the effective user */
#define NAMESPACES_MAX \
	32 /* numbers in the line NSpid of status; the last one is that of the innermost namespace */

/* Interface of openat2(2). The kernel headers of Ubuntu 20.04 do not have it. */
#ifndef RESOLVE_IN_ROOT
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_IN_ROOT       0x10
#endif
struct open_arguments {
	__u64 flags, mode, resolve;
};

static char dumps[DUMPS_MAX][PATH_MAX];
static _Atomic unsigned int dump_count;
static struct memphis_lock lock;

/* What procfs tells about the process while it runs. */
static struct {
	long pid;       /* PID in the process's own PID namespace, which is in its file names; 0: unknown */
	uid_t uid;      /* effective user; set for another process only */
	__u64 start_ns; /* CLOCK_REALTIME when the process was created */
	int root;       /* descriptor of its root directory, if it is another process */
	__u64 bytes;    /* bytes copied of all its files */
	/* size and time of each file when it was copied: the dumps, then perf's map */
	struct kept {
		__u64 bytes, changed_ns, left_out;
	} kept[DUMPS_MAX + 1];
} process;

/* Returns PID if the file name is jit-PID.dump, otherwise 0. */
static long dump_pid(const char *path)
{
	static const char begin[] = "jit-", end[] = ".dump";
	const char *name = strrchr(path, '/');
	char *rest;
	long pid;

	if (!name || strncmp(name + 1, begin, sizeof(begin) - 1) != 0 ||
	    !strchr("123456789", name[sizeof(begin)]))
		return 0;
	pid = strtol(name + sizeof(begin), &rest, 10);
	return strcmp(rest, end) != 0 ? 0 : pid;
}

/*
 * Returns true if the process itself has created the file. A forked child inherits maps of its parent's file,
 * but only the run of the parent keeps a copy. That copy describes the code of both processes.
 */
static bool is_own_dump(const char *path)
{
	const long pid = dump_pid(path);

	return pid && pid == (memphis_session.identity.other ? process.pid : memphis_session.identity.pid);
}

/* Adds the path at dumps[dump_count] to the list unless the list already contains it. */
static void keep_path(void)
{
	const unsigned int count = atomic_load(&dump_count);
	unsigned int i;

	if (!is_own_dump(dumps[count]))
		return;
	for (i = 0; i < count; i++)
		if (!strcmp(dumps[i], dumps[count]))
			return;
	atomic_store(&dump_count, count + 1);
}

void memphis_jit_forked(void)
{
	memphis_lock_reset(&lock);
	if (atomic_load(&dump_count))
		atomic_store(&dump_count, 0);
}

void memphis_jit_note_mapped(int fd)
{
	char link[MEMPHIS_FD_PATH];
	const int saved = errno;
	unsigned int count;
	ssize_t length;

	if (atomic_load(&dump_count) == DUMPS_MAX || !memphis_lock_try(&lock))
		return;
	count = atomic_load(&dump_count);
	memphis_fd_path(link, fd);
	length = count < DUMPS_MAX ? readlink(link, dumps[count], sizeof(dumps[count]) - 1) : -1;
	errno = saved;
	if (length > 0) {
		dumps[count][length] = '\0';
		keep_path();
	}
	memphis_lock_release(&lock);
}

void memphis_jit_note_path(const char *path)
{
	const unsigned int count = atomic_load(&dump_count);

	if (!is_own_dump(path) || count == DUMPS_MAX || strlen(path) >= sizeof(dumps[count]) ||
	    !memphis_lock_try(&lock))
		return;
	if (atomic_load(&dump_count) == count) {
		strcpy(dumps[count], path);
		keep_path();
	}
	memphis_lock_release(&lock);
}

/*
 * Returns the `n`-th number (from 1) of the line of /proc/PID/status that begins with `key`, or its last
 * number if the line has fewer. Returns -1 if there is no such line.
 */
static long read_status_number(const struct memphis_text_buffer *status, const char *key, unsigned int n)
{
	const char *at = status->used ? strstr(status->data, key) : NULL;
	long number = -1;

	for (at = at ? at + strlen(key) : NULL; at && *at == '\t' && n; n--) {
		number = strtol(at + 1, NULL, 10);
		at += 1 + strspn(at + 1, "0123456789");
	}
	return number;
}

void memphis_jit_begin(void)
{
	const bool other = memphis_session.identity.other;
	struct memphis_text_buffer status = {0};
	char path[MEMPHIS_PROC_PATH];
	const long ticks = memphis_proc_field(memphis_proc(path, "stat"), START_TIME);

	memset(&process, 0, sizeof(process));
	if (ticks < 0 || memphis_text_read(&status, memphis_proc(path, "status")))
		return;
	process.uid = (uid_t)read_status_number(&status, "\nUid:", EFFECTIVE);
	process.start_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
			   (__u64)ticks * (1000000000u / (__u64)sysconf(_SC_CLK_TCK));
	process.pid = other ? read_status_number(&status, "\nNSpid:", NAMESPACES_MAX)
			    : (long)memphis_session.identity.pid;
	memphis_text_free(&status);
	if (other)
		process.root = open(memphis_proc_memory(path, "root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Opens a file by the path that the process sees. For another process, which may run in a container,
 * RESOLVE_IN_ROOT keeps links inside its root directory. A companion has the same root directory as its
 * process.
 */
static int open_in_root(const char *path)
{
	const struct open_arguments how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
					   .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	if (!memphis_session.identity.other)
		return open(path, (int)how.flags);
	return (int)syscall(SYS_openat2, process.root, path, &how, sizeof(how));
}

/* Copies the file to chunks of the type. Returns the number of bytes that were not copied. */
static __u64 copy_to_chunks(struct memphis_sample_file *file, __u16 type, int fd, __u64 bytes)
{
	static __u32 number;
	const __u64 kept = bytes < BYTES_MAX - process.bytes ? bytes : BYTES_MAX - process.bytes;
	__u64 at = 0;
	ssize_t got;
	void *part;

	for (number++; at < kept; at += (__u64)got) {
		part = memphis_file_chunk_begin(file, type, PART_BYTES);
		got = pread(fd, part, kept - at < PART_BYTES ? kept - at : PART_BYTES, (off_t)at);
		if (got <= 0)
			break;
		memphis_file_chunk_end(file, (size_t)got, number);
	}
	process.bytes += at;
	return bytes - at;
}

static void keep_file(struct memphis_sample_file *file, __u16 type, const char *path, struct kept *kept)
{
	const uid_t uid = memphis_session.identity.other ? process.uid : geteuid();
	const int fd = open_in_root(path);
	struct stat status;
	__u64 changed_ns;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == uid && status.st_size > 0) {
		changed_ns = (__u64)status.st_mtim.tv_sec * 1000000000u + (__u64)status.st_mtim.tv_nsec;
		/* Copy unchanged files only once, even if the process attempts several calls of exec that fail. */
		if (changed_ns + EARLY_NS >= process.start_ns &&
		    (changed_ns != kept->changed_ns || (__u64)status.st_size != kept->bytes)) {
			*kept = (struct kept){(__u64)status.st_size, changed_ns, 0};
			kept->left_out = copy_to_chunks(file, type, fd, kept->bytes);
		}
	}
	close(fd);
}

void memphis_jit_keep(struct memphis_sample_file *file)
{
	const unsigned int count = atomic_load(&dump_count);
	unsigned int i;
	char path[40];

	if (process.pid <= 0)
		return;
	for (i = 0; i < count; i++)
		keep_file(file, MEMPHIS_CHUNK_JITDUMP, dumps[i], &process.kept[i]);
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", process.pid);
	keep_file(file, MEMPHIS_CHUNK_PERF_MAP, path, &process.kept[DUMPS_MAX]);
	memphis_chunk_commit(file);
}

__u64 memphis_jit_left_out(void)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(process.kept); i++)
		sum += process.kept[i].left_out;
	return sum;
}
