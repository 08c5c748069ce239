/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the buffers of a thread's perf events, which the test fills in place of the kernel. */
#include <stdlib.h>

#include "../../tap.h"
#include "backend/perf_record.h"
#include "backend/perf_thread.h"

#define PAGE 4096u

/* A record of PEBS as perf_pmu.c requests it, padded to a size that does not divide the buffer. */
struct record {
	struct perf_event_header header;
	__u64 ip, time_ns, address;
	__u32 cpu, reserved;
	__u64 weight, data_src, padding;
};

static struct memphis_perf_thread thread;

static void add_buffers(unsigned int count)
{
	unsigned int i;

	memset(&thread, 0, sizeof(thread));
	thread.count = count;
	thread.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	for (i = 0; i < count; i++) {
		thread.kinds[i] = i + 1;
		thread.events[i].fd = -1;
		thread.events[i].page = aligned_alloc(PAGE, 2 * PAGE);
		thread.events[i].data_bytes = PAGE;
		memset(thread.events[i].page, 0, 2 * PAGE);
	}
}

static void remove_buffers(void)
{
	unsigned int i;

	for (i = 0; i < thread.count; i++)
		free(thread.events[i].page);
}

/* Writes a record as the kernel does: it may wrap around the end of the buffer. */
static void write_record(unsigned int event, __u32 type, __u64 time_ns)
{
	struct perf_event_mmap_page *page = thread.events[event].page;
	const struct record record = {
		.header = {.type = type, .size = sizeof(record)}, .ip = event, .time_ns = time_ns};
	size_t i;

	for (i = 0; i < sizeof(record); i++)
		((char *)page)[PAGE + (page->data_head + i) % PAGE] = ((const char *)&record)[i];
	page->data_head += sizeof(record);
}

/* Reads all records, and returns their times as a number in base 10, each with the event. 0 stands for other records. */
static unsigned long long read_all(void)
{
	const struct perf_event_header *header;
	unsigned long long digits = 0;
	__u32 event;

	memphis_perf_thread_begin(&thread);
	while ((header = memphis_perf_thread_next(&thread, &event)))
		digits = digits * 100 + memphis_perf_time(header, thread.sample_type) * 10 + event;
	memphis_perf_thread_end(&thread);
	return digits;
}

static void test_order(void)
{
	add_buffers(3);
	is(read_all(), 0, "empty buffers have no record");
	write_record(2, PERF_RECORD_SAMPLE, 1);
	write_record(0, PERF_RECORD_SAMPLE, 2);
	write_record(2, PERF_RECORD_SAMPLE, 3);
	write_record(1, PERF_RECORD_SAMPLE, 3);
	write_record(0, PERF_RECORD_SAMPLE, 5);
	is(read_all(), 1321323351,
	   "records of several buffers are read in the order of their times, each with its event");
	is(read_all(), 0, "each record is read once");
	is(thread.events[2].page->data_tail, 2 * sizeof(struct record),
	   "the room of what was read is given back");
	write_record(1, PERF_RECORD_SAMPLE, 6);
	write_record(1, PERF_RECORD_THROTTLE, 7);
	write_record(0, PERF_RECORD_THROTTLE, 8);
	is(read_all(), 16202,
	   "a record without a sample is read as soon as it is the next one of its buffer");
	remove_buffers();
}

static void test_wrap(void)
{
	unsigned int i, wrong = 0;

	add_buffers(2);
	/* A buffer holds 56 records and two thirds of another one. */
	for (i = 1; i < 1000; i++) {
		write_record(0, PERF_RECORD_SAMPLE, 3);
		write_record(1, PERF_RECORD_SAMPLE, 4);
		wrong += read_all() != 3142;
	}
	is(wrong, 0, "records that wrap around the end of the buffer are read whole");
	is(thread.events[0].page->data_tail, 999 * sizeof(struct record), "all of them were read");
	remove_buffers();
}

static void test_bad_size(void)
{
	struct perf_event_header *header;

	add_buffers(1);
	write_record(0, PERF_RECORD_SAMPLE, 1);
	header = (void *)((char *)thread.events[0].page + PAGE);
	header->size = 0;
	is(read_all(), 0, "a record of size 0 ends the pass");
	remove_buffers();
}

/* Records that are written after the begin of a pass belong to the next pass. */
static void test_heads(void)
{
	add_buffers(2);
	write_record(0, PERF_RECORD_SAMPLE, 1);
	memphis_perf_thread_begin(&thread);
	write_record(0, PERF_RECORD_SAMPLE, 2);
	write_record(1, PERF_RECORD_SAMPLE, 3);
	is(thread.events[0].head, sizeof(struct record),
	   "a pass has the records that were there at its begin");
	is(thread.events[1].head, 0, "of each event");
	is(read_all(), 112132, "the next pass has the others, in order");
	remove_buffers();
}

static void test_counts(void)
{
	struct memphis_stats stats = {.enabled_ns = 5};

	add_buffers(2);
	/* The program has closed both descriptors, and these are the last counts. */
	thread.events[0].last =
		(struct memphis_perf_readout){.count = 100, .enabled = 40, .running = 40, .lost = 3};
	thread.events[1].last =
		(struct memphis_perf_readout){.count = 7, .enabled = 40, .running = 20, .lost = 1};
	memphis_perf_thread_add_counts(&thread, &stats);
	is(stats.counts[1], 100, "counts are known after the program has closed the descriptors");
	is(stats.counts[2], 7, "of each event");
	is(stats.enabled_ns, 45,
	   "time is the average over the events, in addition to what was counted before");
	is(stats.starved_ns, 10, "time without the hardware, too");
	is(memphis_perf_thread_lost(&thread), 4, "lost records are summed");
	is(memphis_perf_thread_lost(&thread), 0, "and returned once");
	is(memphis_perf_thread_bytes(&thread), 4 * PAGE,
	   "each buffer has a page of its own before its records");
	remove_buffers();
}

int main(void)
{
	test_order();
	test_wrap();
	test_bad_size();
	test_heads();
	test_counts();
	return finish();
}
