// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers of a live view, on files that grow. If this fails, memphis top shows wrong bandwidths or shares, counts samples twice, or misses what is
 * written while it looks.
 */
#include "top/live.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../tap.h"
#include "base/checksum.h"
#include "top/live_table.h"

static char process_path[] = "/tmp/memphis-live-XXXXXX", thread_path[] = "/tmp/memphis-live-XXXXXX";

static char ended_path[] = "/tmp/memphis-live-XXXXXX";

/* Writes the header of a file, or appends that of a member. */
static void begin_as(const char *path, unsigned int kind, unsigned int tid, const char *mode)
{
	struct memphis_file_header header = {.magic = MEMPHIS_FILE_MAGIC,
					     .version = MEMPHIS_FILE_VERSION,
					     .kind = (__u16)kind,
					     .header_bytes = sizeof(header),
					     .run = {1, 2},
					     .pid = 77,
					     .tid = tid};
	FILE *file = fopen(path, mode);

	header.header_crc32c =
		memphis_checksum(0, &header, offsetof(struct memphis_file_header, header_crc32c));
	fwrite(&header, sizeof(header), 1, file);
	fclose(file);
}

static void begin(const char *path, unsigned int kind)
{
	begin_as(path, kind, kind == MEMPHIS_FILE_THREAD ? 77 : 0, "w");
}

/* Appends a chunk, or only its payload, behind zeros; complete() adds the header later. */
static struct memphis_chunk header_of(unsigned int type, const void *payload, size_t bytes,
				      unsigned int count)
{
	struct memphis_chunk header = {.magic = MEMPHIS_CHUNK_MAGIC,
				       .type = (__u16)type,
				       .payload_bytes = (__u32)bytes,
				       .count = count,
				       .payload_crc32c = memphis_checksum(0, payload, bytes)};

	header.header_crc32c = memphis_checksum(0, &header, offsetof(struct memphis_chunk, header_crc32c));
	return header;
}

static long append(const char *path, const struct memphis_chunk *header, const void *payload)
{
	static const char zeros[8];
	const size_t bytes = header->payload_bytes;
	FILE *file = fopen(path, "r+");
	long at;

	fseek(file, 0, SEEK_END);
	at = ftell(file);
	fseek(file, sizeof(*header), SEEK_CUR);
	fwrite(payload, 1, bytes, file);
	fwrite(zeros, 1, (8 - bytes % 8) % 8, file);
	fclose(file);
	return at;
}

static void complete(const char *path, long at, const struct memphis_chunk *header)
{
	FILE *file = fopen(path, "r+");

	fseek(file, at, SEEK_SET);
	fwrite(header, sizeof(*header), 1, file);
	fclose(file);
}

static void put(const char *path, unsigned int type, const void *payload, size_t bytes, unsigned int count)
{
	const struct memphis_chunk header = header_of(type, payload, bytes, count);

	complete(path, append(path, &header, payload), &header);
}

/* Encodes `count` loads from DRAM by node 0: of memory of node 1 if `remote`, else of its own. */
static size_t encode(unsigned char *to, unsigned int count, bool remote)
{
	unsigned char *next = to;
	unsigned int i;

	for (i = 0; i < count; i++) {
		*next++ = i ? 0 : MEMPHIS_CODE_KIND;
		*next++ = 2;  /* pc + 1 */
		*next++ = 16; /* address + 8 */
		*next++ = 1;
		*next++ = 100;
		if (!i) {
			*next++ = MEMPHIS_SOURCE_DRAM;
			*next++ = (unsigned char)(MEMPHIS_FLAG_LOAD | (remote ? MEMPHIS_FLAG_REMOTE : 0));
			*next++ = remote;
		}
	}
	return (size_t)(next - to);
}

static unsigned char samples[8192];

static void put_samples(unsigned int count, bool remote)
{
	const size_t bytes = encode(samples, count, remote);

	put(thread_path, MEMPHIS_CHUNK_SAMPLES, samples, bytes, count);
}

static void look(struct memphis_live *live)
{
	struct memphis_error error;

	is((unsigned long long)-memphis_live_look(live, &error), 0, "the files are read");
}

/* Prints the tables without the title, as if the last look were two seconds ago. */
static void shows(struct memphis_live *live, const char *expected, const char *sentence)
{
	const struct memphis_top_view view = {.order = memphis_top_orders, .waiting = "waiting"};
	struct memphis_text text = {0};
	const char *tables;

	live->elapsed_s = 2;
	memphis_top_put(&view, live, &text);
	tables = strchr(text.text, '\n') + 1;
	if (!ok(!strncmp(tables, expected, strlen(expected)), "%s", sentence))
		printf("# got:\n%s# want:\n%s", tables, expected);
	memphis_text_close(&text);
}

int main(void)
{
	static const char settings[] = "host another\nperiod 1000000\n";
	struct memphis_live live = {.random = 1};
	struct memphis_chunk header;
	size_t bytes;
	long at;

	close(mkstemp(process_path));
	close(mkstemp(thread_path));
	close(mkstemp(ended_path));
	memphis_live_add(&live, process_path);
	memphis_live_add(&live, thread_path);
	memphis_live_add(&live, thread_path);
	look(&live);
	is(live.metadata.count, 0, "empty files are no process yet");
	shows(&live, "waiting\n", "without a process, the view says what it waits for");

	begin(process_path, MEMPHIS_FILE_PROCESS);
	begin(thread_path, MEMPHIS_FILE_THREAD);
	put(process_path, MEMPHIS_CHUNK_SETTINGS, settings, sizeof(settings) - 1, 2);
	put_samples(100, true);
	look(&live);
	is(live.list[0].sum.all.remote, 100, "a file that is given twice is read once");
	put_samples(300, false);
	look(&live);
	/* 300 lines of 64 bytes, each for a million, in two seconds: 9.6 GB/s. */
	shows(&live,
	      "NODE   REMOTE LOADS NOW  SO FAR  GB/s READ  FROM OTHERS  GB/s SERVED  TO OTHERS\n"
	      "   0        0.0 % (0-1)  25.0 %       9.60         0.00         9.60       0.00\n"
	      "   1                  -       -       0.00         0.00         0.00       0.00\n"
	      "\n"
	      "    PID  STATE    REMOTE  SO FAR  GB/s READ  FROM OTHERS  COMMAND\n"
	      "     77  running   0.0 %  25.0 %       9.60         0.00  \n",
	      "rates are of the samples since the last look, by what they stand for");

	/* A commit in progress: the header follows, which does not change the size. */
	bytes = encode(samples, 200, true);
	header = header_of(MEMPHIS_CHUNK_SAMPLES, samples, bytes, 200);
	at = append(thread_path, &header, samples);
	look(&live);
	is(live.list[0].sum.now.dram, 0, "a chunk without its header is not counted");
	complete(thread_path, at, &header);
	look(&live);
	shows(&live,
	      "NODE   REMOTE LOADS NOW  SO FAR  GB/s READ  FROM OTHERS  GB/s SERVED  TO OTHERS\n"
	      "   0   100.0 % (98-100)  50.0 %       6.40         6.40         0.00       0.00\n"
	      "   1                  -       -       0.00         0.00         6.40       6.40\n",
	      "it is counted once its header is there, for the node that read and the one that served");
	look(&live);
	is(live.list[0].sum.all.dram, 600, "nothing is counted twice");

	/* The kind is only in the first sample of a chunk. */
	bytes = encode(samples, 100, true);
	samples[5] = MEMPHIS_SOURCE_EXTENSION;
	put(thread_path, MEMPHIS_CHUNK_SAMPLES, samples, bytes, 100);
	look(&live);
	is(live.list[0].nodes[1].now.served, 100, "memory behind CXL is that of its node");

	/* Threads that ended, added one after the other. */
	begin(ended_path, MEMPHIS_FILE_THREADS);
	memphis_live_add(&live, ended_path);
	look(&live);
	is(live.list[0].threads, 1, "a file of ended threads without any adds none");
	begin_as(ended_path, MEMPHIS_FILE_THREAD, 78, "a");
	put(ended_path, MEMPHIS_CHUNK_SAMPLES, samples, encode(samples, 50, true), 50);
	look(&live);
	is(live.list[0].sum.now.dram, 0, "a thread whose end is missing is not counted yet");
	put(ended_path, MEMPHIS_CHUNK_END, "", 0, 0);
	look(&live);
	is(live.list[0].sum.now.dram, 50, "it is counted once it is complete");
	is(live.list[0].threads, 2, "as a thread of the process");
	begin_as(ended_path, MEMPHIS_FILE_THREAD, 79, "a");
	put(ended_path, MEMPHIS_CHUNK_SAMPLES, samples, encode(samples, 20, true), 20);
	put(ended_path, MEMPHIS_CHUNK_END, "", 0, 0);
	put(ended_path, MEMPHIS_CHUNK_END, "", 0, 0);
	put(process_path, MEMPHIS_CHUNK_SETTINGS, "threads_without_data 5\n", 23, 1);
	look(&live);
	is(live.list[0].sum.now.dram, 20, "the next one is counted, and nothing twice");
	is(live.list[0].threads, 3 + 5, "threads without data are counted as threads");

	put(process_path, MEMPHIS_CHUNK_END, "", 0, 0);
	look(&live);
	is(live.list[0].state, MEMPHIS_LIVE_ENDED, "a process that has closed its files has ended");

	/* Another run with the same names: the file is smaller, or has another header. */
	unlink(process_path);
	unlink(thread_path);
	unlink(ended_path);
	look(&live);
	is(live.file_count, 0, "files that are gone are forgotten");
	is(live.list[0].state, MEMPHIS_LIVE_HIDDEN, "their process is hidden");
	memphis_live_close(&live);
	return finish();
}
