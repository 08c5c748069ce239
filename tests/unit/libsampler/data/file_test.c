/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunk writer: the file's content, byte for byte, and what remains when writing fails.
 * If this fails, files of killed programs, or of programs on a full disk, can't be read.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "data/file.h"
#include "../../tap.h"

static char directory[] = "/tmp/memphis-file-test-XXXXXX";
static struct memphis_stage stage;
static const struct memphis_run run = {.id = {0x1122334455667788, 0x99aabbccddeeff00}, .pid = 4711};
static unsigned char content[4u << 20];

/* The offsets of the first writes since write_count was set to 0. This function stands in for that of the C library. */
static off_t writes[8];
static size_t write_count;

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
	if (write_count < ARRAY_SIZE(writes))
		writes[write_count] = offset;
	write_count++;
	return syscall(SYS_pwrite64, fd, data, bytes, offset);
}

static char *path_of(const char *name)
{
	char *path = malloc(256);

	snprintf(path, 256, "%s/%s", directory, name);
	return path;
}

static size_t load(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? 0 : read(fd, content, sizeof(content));

	if (fd >= 0)
		close(fd);
	return got < 0 ? 0 : (size_t)got;
}

static void check_layout(void)
{
	/* magic "CHNK", type 2, payload 5 bytes, count 1; the two checksums follow */
	static const unsigned char chunk[] = {0x43, 0x48, 0x4e, 0x4b, 0x02, 0x00, 0x00, 0x00,
					      0x05, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00};
	struct memphis_file_header header;
	struct memphis_sample_file file;
	char *path = path_of("layout");
	__u32 crc;

	is(memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 4712, 1), 0,
	   "a file is created");
	is(load(path), 64, "a new file consists of its header");
	memcpy(&header, content, sizeof(header));
	ok(!memcmp(content, "MEMPHIS\n", 8), "the header begins with the magic text");
	ok(header.version == 1 && header.kind == MEMPHIS_FILE_THREAD && header.header_bytes == 64 &&
		   header.run[0] == run.id[0] && header.run[1] == run.id[1] && header.pid == 4711 &&
		   header.tid == 4712 && !header.reserved,
	   "the header contains version, kind, run, process and thread");
	is(header.header_crc32c, memphis_crc32c(0, content, 60), "the header contains its checksum");
	is(memphis_crc32c(0, "123456789", 9), 0xe3069283, "the checksum is CRC-32C");

	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, "hello", 5, 1);
	is(load(path), 64, "a chunk is not in the file before the commit");
	is(memphis_file_commit(&file), 0, "a commit succeeds");
	is(load(path), 64 + 24 + 8,
	   "after the commit the chunk is in the file, padded to a multiple of 8 bytes");
	ok(!memcmp(content + 64, chunk, sizeof(chunk)), "the chunk header contains type, size and count");
	memcpy(&crc, content + 64 + 16, 4);
	is(crc, memphis_crc32c(0, "hello", 5), "the payload's checksum does not cover the padding");
	memcpy(&crc, content + 64 + 20, 4);
	is(crc, memphis_crc32c(0, content + 64, 20), "the chunk header has a checksum of its own");
	ok(!memcmp(content + 88, "hello\0\0\0", 8), "the padding is zeros");
	memphis_file_finish(&file);
	is(load(path), 96 + 24, "a finished file ends with a chunk without payload");
	is(content[96 + 4], MEMPHIS_CHUNK_END, "the last chunk has type END");
	is(memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 1, 1), (__u64)-EEXIST,
	   "an existing file is never overwritten");
	free(path);
}

/* A program may be killed between any two writes. A reader takes zeros in place of a chunk's header for the end of the file. */
static void check_order(void)
{
	struct memphis_sample_file file;
	char *path = path_of("order");

	memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 1, 1);
	write_count = 0;
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, "12345678", 8, 1);
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_SAMPLES, "12345678", 8, 1);
	is(memphis_file_commit(&file), 0, "two chunks are committed");
	ok(write_count == 2 && writes[0] == 64 + 24 && writes[1] == 64,
	   "the header of the first chunk is written last");
	memphis_file_drop(&file);
	free(path);
}

/* What is held for a thread becomes a member of a file, or the contents of the thread's own file. */
static void check_held(void)
{
	struct memphis_sample_file file, held;
	struct memphis_file_header header;
	char *path = path_of("held"), *own = path_of("own");
	static unsigned char large[5000];

	memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREADS, 0, 1);
	is(memphis_file_hold(&held, &stage, &run, 4712), 0, "a thread's data is held");
	memphis_file_write_chunk(&held, MEMPHIS_CHUNK_ACCOUNTING, "12345678", 8, 1);
	is(memphis_file_commit(&held), 0, "a chunk is held");
	memphis_file_write_chunk(&held, MEMPHIS_CHUNK_SAMPLES, large, sizeof(large), 1);
	is(memphis_file_commit(&held), 0, "a chunk that needs more memory is held");
	memphis_file_finish(&held);
	is(load(path), 64, "nothing of it is in the file");
	write_count = 0;
	is(memphis_file_release_member(&file, &held), 0, "it becomes a member of the file");
	is(load(path), 64 + 64 + 32 + 24 + 5000 + 24,
	   "a member consists of a header and the chunks, up to END");
	memcpy(&header, content + 64, sizeof(header));
	ok(header.magic == MEMPHIS_FILE_MAGIC && header.kind == MEMPHIS_FILE_THREAD && header.tid == 4712 &&
		   header.pid == 4711 && header.header_crc32c == memphis_crc32c(0, content + 64, 60),
	   "the header is that of a thread file");
	ok(write_count == 2 && writes[0] == 64 + 24 && writes[1] == 64,
	   "the begin of its header is written last");
	ok(!held.held, "its memory is free again");
	memphis_file_finish(&file);
	is(load(path), 64 + 64 + 32 + 24 + 5000 + 24 + 24, "the file ends with an END chunk of its own");

	memphis_file_create(&file, &stage, own, &run, MEMPHIS_FILE_THREAD, 4712, 1);
	memphis_file_hold(&held, &stage, &run, 4712);
	memphis_file_write_chunk(&held, MEMPHIS_CHUNK_ACCOUNTING, "12345678", 8, 1);
	memphis_file_commit(&held);
	is(memphis_file_release(&file, &held), 0, "held chunks are written to a file of the thread");
	is(load(own), 64 + 32, "which has one header");
	is(content[64 + 4], MEMPHIS_CHUNK_ACCOUNTING, "and then the chunk");
	memphis_file_drop(&file);
	free(path);
	free(own);
}

/* Programs close descriptors that they do not own, and then open other files with the same number. */
static void check_stolen_descriptor(int keep_open)
{
	struct memphis_sample_file file;
	char *path = path_of(keep_open ? "stolen" : "reopened"), *other = path_of("other");
	int fd;

	memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 1, keep_open);
	unlink(other);
	fd = open(other, O_RDWR | O_CREAT, 0600);
	if (keep_open)
		dup2(fd, file.fd.fd);
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, "12345678", 8, 1);
	is(memphis_file_commit(&file), 0,
	   keep_open ? "a commit succeeds although the program took over its descriptor"
		     : "a file that is closed between commits is written, too");
	is(load(other), 0,
	   keep_open ? "nothing is written to the file that took over the descriptor"
		     : "nothing is written to a file that the program has open");
	is(load(path), 64 + 32,
	   keep_open ? "all is written to the file whose descriptor was taken over"
		     : "all is written to the file that is closed between commits");
	if (!keep_open)
		ok(file.fd.fd == -1, "the file is closed again after the commit");
	memphis_file_drop(&file);
	close(fd);
	free(path);
	free(other);
}

static void check_full_disk(void)
{
	struct rlimit before, small;
	struct memphis_sample_file file;
	char *path = path_of("full");
	char payload[256] = "";
	int error, bounded;

	signal(SIGXFSZ, SIG_IGN);
	/* Keep the hard limit: an unprivileged user could not raise it again. */
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){200, before.rlim_max};
	memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 1, 1);
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, payload, 8, 1);
	is(memphis_file_commit(&file), 0, "a chunk within the limit is written");
	bounded = !setrlimit(RLIMIT_FSIZE, &small);
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_SAMPLES, payload, sizeof(payload), 1);
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, payload, 160, 1);
	error = memphis_file_commit(&file);
	setrlimit(RLIMIT_FSIZE, &before); /* before the next line of output, as stdout may be a file */
	ok(bounded, "the file size limit can be set");
	is((__u64)error, (__u64)-EFBIG, "a chunk beyond the limit fails with the reason");
	is(load(path), 64 + 32, "the file ends after its last complete commit");
	is(file.bytes_left_out, 24 + 256 + 24 + 160, "bytes that were not written are counted");
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_ACCOUNTING, payload, 8, 1);
	is(memphis_file_commit(&file), (__u64)-EFBIG, "nothing is written after a gap");
	is(load(path), 64 + 32, "after a gap the file does not change");
	memphis_file_finish(&file);
	is(load(path), 64 + 32, "a file with a gap gets no END chunk");
	free(path);
}

static void check_large(void)
{
	struct memphis_sample_file file;
	char *path = path_of("large");
	static char payload[MEMPHIS_STAGE_BYTES / 2];
	int i;

	memphis_file_create(&file, &stage, path, &run, MEMPHIS_FILE_THREAD, 1, 1);
	for (i = 0; i < 3; i++)
		memphis_file_write_chunk(&file, MEMPHIS_CHUNK_SAMPLES, payload, sizeof(payload), 1);
	is(memphis_file_commit(&file), 0, "more data than the stage holds is committed in parts");
	is(load(path), 64 + 3 * (24 + sizeof(payload)), "all parts are in the file");
	ok(!memphis_file_chunk_begin(&file, MEMPHIS_CHUNK_SAMPLES, MEMPHIS_STAGE_BYTES),
	   "a chunk larger than the stage is refused");
	memphis_file_drop(&file);
	free(path);
}

int main(void)
{
	char command[64];

	stage.data = malloc(MEMPHIS_STAGE_BYTES);
	if (!mkdtemp(directory))
		return 1;
	check_layout();
	check_order();
	check_held();
	check_stolen_descriptor(1);
	check_stolen_descriptor(0);
	check_full_disk();
	check_large();
	snprintf(command, sizeof(command), "rm -r %s", directory);
	ok(!system(command), "the test cleans up");
	free(stage.data);
	return finish();
}
