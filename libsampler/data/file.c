/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of a sample file. Chunks are staged in memory and committed together. A reader sees either all or
 * nothing of a commit, even if the writer is killed.
 */
#include <fcntl.h>
#include <string.h>

#include "base/companion.h"
#include "data/file.h"

_Static_assert(sizeof(struct memphis_file_header) == 64, "no padding in the file header");
_Static_assert(sizeof(struct memphis_chunk) == 24, "no padding in the chunk header");
_Static_assert(sizeof(struct memphis_chunk) <= sizeof(struct memphis_file_header),
	       "the bytes that are written last belong to one header");

#define HELD_BYTES 4096 /* first size of the memory for held commits */

void memphis_file_yield(struct memphis_stage *stage)
{
	stage->may_block = true;
	if (stage->lock)
		memphis_lock_release(stage->lock);
}

void memphis_file_resume(struct memphis_stage *stage)
{
	if (stage->lock)
		memphis_lock_take(stage->lock);
	stage->may_block = false;
}

/*
 * Returns the name by which the calling task opens the file. The drain uses the name relative to its working
 * directory, unless that directory was removed: then the program may have created it again, and the path is
 * right.
 */
static const char *file_name(const struct memphis_sample_file *file)
{
	struct stat st;

	if (!file->stage->is_entered || !memphis_companion_is_self() || stat(".", &st) || !st.st_nlink)
		return file->path;
	return strrchr(file->path, '/') + 1;
}

/* Returns a descriptor or -errno. */
static int open_file(struct memphis_sample_file *file, int flags)
{
	int fd, err;

	memphis_file_yield(file->stage);
	fd = open(file_name(file), flags | O_CLOEXEC, 0644);
	err = errno;
	memphis_file_resume(file->stage);
	if (fd >= 0 || err != EMFILE)
		return fd < 0 ? -err : fd;
	/*
	 * Open with the lock held. memphis_fd_open() briefly raises the descriptor limit, and a forked child
	 * must not inherit the raised limit.
	 */
	fd = memphis_fd_open(file_name(file), flags);
	return fd < 0 ? -errno : fd;
}

/* Takes ownership of `fd`. Returns 0 or -errno, like memphis_fd_identify(). */
static int take_descriptor(struct memphis_sample_file *file, int fd, struct memphis_fd *own)
{
	int err;

	memphis_file_yield(file->stage);
	err = memphis_fd_identify(own, fd, file_name(file));
	memphis_file_resume(file->stage);
	/*
	 * Move the descriptor with the lock held. memphis_fd_move() briefly raises the descriptor limit, and
	 * a forked child must not inherit the raised limit.
	 */
	if (!err)
		own->fd = memphis_fd_move(fd);
	return err;
}

/*
 * Reopens the file if the descriptor does not refer to it any more. Returns 0, -ESTALE if the path now leads
 * to a different file, or another -errno.
 */
static int reopen_file(struct memphis_sample_file *file)
{
	struct memphis_fd again;
	int err, fd;

	memphis_file_yield(file->stage);
	fd = memphis_fd_get(&file->fd);
	memphis_file_resume(file->stage);
	if (fd >= 0)
		return 0;
	fd = open_file(file, O_WRONLY | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	err = take_descriptor(file, fd, &again);
	if (err)
		return err;
	if (again.device != file->fd.device || again.inode != file->fd.inode) {
		memphis_fd_close(&again);
		return -ESTALE;
	}
	file->fd = again;
	return 0;
}

/*
 * Returns true if the error shows that the program closed the descriptor between the check and the write. A
 * second attempt then reopens the file.
 */
static bool is_closed_error(int err)
{
	return err == -EBADF || err == -ESPIPE;
}

/* Writes all bytes. Returns 0 or -errno. */
static int write_all(struct memphis_sample_file *file, const void *data, size_t bytes, __u64 offset)
{
	size_t at = 0;
	ssize_t done;
	int err = 0;

	memphis_file_yield(file->stage);
	while (at < bytes && !err) {
		done = pwrite(file->fd.fd, (const char *)data + at, bytes - at, (off_t)(offset + at));
		if (done > 0)
			at += (size_t)done;
		else if (!done || errno != EINTR)
			err = done ? -errno : -EIO;
	}
	memphis_file_resume(file->stage);
	return err;
}

static int write_header(struct memphis_sample_file *file, const struct memphis_file_header *header)
{
	int err = reopen_file(file);

	return err ? err : write_all(file, header, sizeof(*header), 0);
}

static struct memphis_file_header make_header(const struct memphis_run *run, __u16 kind, __u32 tid)
{
	struct memphis_file_header header = {
		.magic = MEMPHIS_FILE_MAGIC,
		.version = MEMPHIS_FILE_VERSION,
		.kind = kind,
		.header_bytes = sizeof(header),
		.run = {run->id[0], run->id[1]},
		.pid = run->pid,
		.tid = tid,
		.start_time_ns = now_ns(),
		.start_realtime_ns = clock_ns(CLOCK_REALTIME),
	};

	header.header_crc32c =
		memphis_crc32c(0, &header, offsetof(struct memphis_file_header, header_crc32c));
	return header;
}

int memphis_file_create(struct memphis_sample_file *file, struct memphis_stage *stage, char *path,
			const struct memphis_run *run, __u16 kind, __u32 tid, int keep_open)
{
	const struct memphis_file_header header = make_header(run, kind, tid);
	int err, fd;

	memset(file, 0, sizeof(*file));
	file->stage = stage;
	file->path = path;
	file->keep_open = keep_open;
	file->fd.fd = -1;
	fd = open_file(file, O_WRONLY | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	err = take_descriptor(file, fd, &file->fd);
	if (!err || is_closed_error(err))
		err = write_header(file, &header);
	if (is_closed_error(err))
		err = write_header(file, &header);
	if (err) {
		memphis_file_yield(stage);
		unlink(file_name(file)); /* without a complete header, readers would not recognise the file */
		memphis_file_resume(stage);
		memphis_file_drop(file);
		file->error = err;
		return err;
	}
	file->offset = sizeof(header);
	if (!keep_open)
		memphis_file_drop(file);
	return 0;
}

void *memphis_file_chunk_begin(struct memphis_sample_file *file, __u16 type, size_t bytes_max)
{
	struct memphis_stage *stage = file->stage;
	size_t need = sizeof(struct memphis_chunk) + ((bytes_max + 7) & ~(size_t)7);
	struct memphis_chunk *chunk;

	if (need > MEMPHIS_STAGE_BYTES)
		return NULL;
	if (stage->used + need > MEMPHIS_STAGE_BYTES)
		memphis_file_commit(file);
	stage->open = stage->used;
	chunk = (struct memphis_chunk *)(stage->data + stage->open);
	memset(chunk, 0, sizeof(*chunk));
	chunk->magic = MEMPHIS_CHUNK_MAGIC;
	chunk->type = type;
	return chunk + 1;
}

void memphis_file_chunk_end(struct memphis_sample_file *file, size_t payload_bytes, __u32 count)
{
	struct memphis_stage *stage = file->stage;
	struct memphis_chunk *chunk = (struct memphis_chunk *)(stage->data + stage->open);
	size_t padded = (payload_bytes + 7) & ~(size_t)7;

	memset((unsigned char *)(chunk + 1) + payload_bytes, 0, padded - payload_bytes);
	chunk->payload_bytes = (__u32)payload_bytes;
	chunk->count = count;
	chunk->payload_crc32c = memphis_crc32c(0, chunk + 1, payload_bytes);
	chunk->header_crc32c = memphis_crc32c(0, chunk, offsetof(struct memphis_chunk, header_crc32c));
	stage->used = stage->open + sizeof(*chunk) + padded;
}

void memphis_file_write_chunk(struct memphis_sample_file *file, __u16 type, const void *payload,
			      size_t payload_bytes, __u32 count)
{
	void *room = memphis_file_chunk_begin(file, type, payload_bytes);

	if (!room) {
		file->bytes_left_out += payload_bytes;
		return;
	}
	memcpy(room, payload, payload_bytes);
	memphis_file_chunk_end(file, payload_bytes, count);
}

/* Makes one attempt to write `data`, which begins with a header. Returns 0 or -errno. */
static int try_write(struct memphis_sample_file *file, const unsigned char *data, size_t bytes)
{
	size_t first = sizeof(struct memphis_chunk);
	int err = reopen_file(file);

	/* Write the beginning, which belongs to the first header, last. Until then, a reader finds zeros there and stops. */
	if (!err)
		err = write_all(file, data + first, bytes - first, file->offset + first);
	if (!err)
		err = write_all(file, data, first, file->offset);
	return err;
}

/*
 * Truncates the file after its last complete commit. If that fails, readers still stop there, because they
 * find zeros instead of the next header.
 */
static void truncate_file(struct memphis_sample_file *file)
{
	memphis_file_yield(file->stage);
	if (memphis_fd_get(&file->fd) >= 0 && ftruncate(file->fd.fd, (off_t)file->offset))
		errno = 0;
	memphis_file_resume(file->stage);
}

/* Makes more room for held commits. Returns 0 or -ENOMEM. */
static int reserve_held(struct memphis_sample_file *file, size_t bytes)
{
	struct memphis_file_held *old = file->held, *held;
	size_t room = old ? old->room : HELD_BYTES - sizeof(*held);

	while (room < bytes)
		room = 2 * room + sizeof(*held); /* keeps the size of the allocation a multiple of a page */
	if (old && room == old->room)
		return 0;
	held = sys_map(sizeof(*held) + room);
	if (!held)
		return -ENOMEM;
	held->room = room;
	if (old) {
		memcpy(held->data, old->data, old->used);
		held->used = old->used;
	}
	__atomic_store_n(&file->held, held, __ATOMIC_RELEASE);
	if (old)
		sys_unmap(old, sizeof(*old) + old->room);
	return 0;
}

static void free_held(struct memphis_sample_file *file)
{
	struct memphis_file_held *held = file->held;

	if (!held)
		return;
	__atomic_store_n(&file->held, NULL, __ATOMIC_RELEASE);
	sys_unmap(held, sizeof(*held) + held->room);
}

static int hold_commit(struct memphis_sample_file *file, const void *data, size_t bytes)
{
	int err = reserve_held(file, (file->held ? file->held->used : 0) + bytes);

	if (err)
		return err;
	memcpy(file->held->data + file->held->used, data, bytes);
	file->held->used += bytes;
	return 0;
}

int memphis_file_hold(struct memphis_sample_file *file, struct memphis_stage *stage,
		      const struct memphis_run *run, __u32 tid)
{
	const struct memphis_file_header header = make_header(run, MEMPHIS_FILE_THREAD, tid);

	memset(file, 0, sizeof(*file));
	file->stage = stage;
	file->fd.fd = -1;
	return hold_commit(file, &header, sizeof(header));
}

/* Writes the bytes at the end of the file. Returns 0 or -errno. */
static int append_bytes(struct memphis_sample_file *file, const unsigned char *data, size_t bytes)
{
	int err = try_write(file, data, bytes);

	if (is_closed_error(err))
		err = try_write(file, data, bytes);
	if (err)
		truncate_file(file);
	else
		file->offset += bytes;
	return err;
}

static int commit_bytes(struct memphis_sample_file *file, const unsigned char *data, size_t bytes)
{
	int err = file->error;

	if (!err)
		err = file->held ? hold_commit(file, data, bytes) : append_bytes(file, data, bytes);
	if (err) {
		file->error = err;
		file->bytes_left_out += bytes;
	}
	if (!file->keep_open && !file->held)
		memphis_file_drop(file);
	return err;
}

int memphis_file_commit(struct memphis_sample_file *file)
{
	struct memphis_stage *stage = file->stage;
	int err = file->error;

	if (stage->used)
		err = commit_bytes(file, stage->data, stage->used);
	stage->used = 0;
	return err;
}

static int release_held(struct memphis_sample_file *to, struct memphis_sample_file *file, size_t from)
{
	struct memphis_file_held *held = file->held;
	int err = to->error;

	if (held->used > from)
		err = commit_bytes(to, held->data + from, held->used - from);
	free_held(file);
	return err;
}

int memphis_file_release(struct memphis_sample_file *to, struct memphis_sample_file *held)
{
	return release_held(to, held, sizeof(struct memphis_file_header));
}

int memphis_file_release_member(struct memphis_sample_file *to, struct memphis_sample_file *held)
{
	return release_held(to, held, 0);
}

void memphis_file_open_again(struct memphis_sample_file *file)
{
	if (file->path && file->keep_open && !file->error)
		reopen_file(file);
}

void memphis_file_finish(struct memphis_sample_file *file)
{
	if (memphis_file_chunk_begin(file, MEMPHIS_CHUNK_END, 0))
		memphis_file_chunk_end(file, 0, 0);
	memphis_file_commit(file);
	if (!file->held)
		memphis_file_drop(file);
}

void memphis_file_drop(struct memphis_sample_file *file)
{
	struct memphis_fd own = file->fd;

	free_held(file);
	file->fd.fd = -1;
	if (own.fd < 0)
		return;
	memphis_file_yield(file->stage);
	memphis_fd_close(&own);
	memphis_file_resume(file->stage);
}

void memphis_file_forked(struct memphis_sample_file *file)
{
	free_held(file);
	if (file->stage && !file->stage->may_block)
		memphis_fd_close(&file->fd);
	file->fd.fd = -1;
}
