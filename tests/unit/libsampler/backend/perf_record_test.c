// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how the library reads perf's records: of the expected size, of another size, and of another generation. If a test fails, a
 * record that is not what the library expects becomes a sample with wrong data, or is read beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "backend/perf_record.h"
#include "memphis/sampling_events.h"

#define PC   0x401136ULL
#define DATA 0x7f0012345678ULL
/* perf's translation (PERF_MEM_*) of a load from remote DRAM: operation, level and remote; mem_region of Linux 7.1. */
#define REMOTE_DRAM   (0x2ULL | 0xdULL << 33 | 1ULL << 37)
#define REGION_MEMORY (0x2ULL | 0xdULL << 33 | 0x8ULL << 46)

#define EXACT_IP (1 << 14) /* PERF_RECORD_MISC_EXACT_IP */

#define PEBS_FIELDS                                                                                    \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_WEIGHT | \
	 PERF_SAMPLE_DATA_SRC)
#define IBS_FIELDS (PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

/* Linux, include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE: members in the order of their bits in sample_type. */
struct pebs {
	struct perf_event_header header;
	__u64 ip, time, address;
	__u32 cpu, reserved;
	__u64 weight, data_src;
};

struct ibs {
	struct perf_event_header header;
	__u64 time;
	__u32 cpu, reserved;
	__u32 raw_bytes;
	struct memphis_ibs_record raw;
} __attribute__((packed));

/*
 * Decodes the first `bytes` bytes of a record, which lie at the end of an allocation, so that the sanitizer reports a read beyond
 * them. The rest of the record's header is left as it is.
 */
static unsigned int decode(const struct memphis_perf_pmu *pmu, const void *record, size_t bytes,
			   unsigned int size, struct memphis_sample *sample)
{
	struct perf_event_header *header = malloc(bytes);
	unsigned int reason = MEMPHIS_REASON_INVALID;
	struct memphis_perf_fields fields;

	memcpy(header, record, bytes);
	header->size = (__u16)size;
	memset(sample, 0xa5, sizeof(*sample));
	if (memphis_perf_read_fields(header, pmu->attr.sample_type, &fields))
		reason = memphis_perf_decode(pmu, MEMPHIS_EVENT_ACCESS, header, &fields, sample);
	free(header);
	return reason;
}

static void test_pebs(void)
{
	const struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS,
					     .attr.sample_type = PEBS_FIELDS};
	struct pebs record = {.header = {PERF_RECORD_SAMPLE, EXACT_IP, 0},
			      .ip = PC,
			      .address = DATA,
			      .weight = 310,
			      .data_src = REMOTE_DRAM};
	struct memphis_sample sample;

	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_NONE &&
		   sample.pc == PC && sample.address == DATA && sample.source == MEMPHIS_SOURCE_DRAM &&
		   sample.flags == (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE) && sample.latency_cycles == 310,
	   "PEBS: a load from remote DRAM");
	ok(decode(&pmu, &record, sizeof(record) - 8, sizeof(record) - 8, &sample) == MEMPHIS_REASON_INVALID,
	   "PEBS: a record without a data source is invalid");
	ok(decode(&pmu, &record, sizeof(record.header), sizeof(record.header), &sample) ==
		   MEMPHIS_REASON_INVALID,
	   "PEBS: a record that is a header only is invalid");
	record.header.misc = 0;
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_INVALID,
	   "PEBS: an instruction that is not the exact one is invalid");
	record.header.misc = EXACT_IP;
	record.data_src = REGION_MEMORY;
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_INVALID,
	   "PEBS: memory that is named by its region (Diamond Rapids) is invalid");
}

static void test_ibs(void)
{
	struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_IBS,
				       .attr.sample_type = IBS_FIELDS};
	/* Zen 3: a load that missed both caches, from another node's DRAM. */
	struct ibs record = {.header = {PERF_RECORD_SAMPLE, 0, 0},
			     .raw_bytes = sizeof(record.raw),
			     .raw = {0x3ff, {1 << 18, PC, 0, 0x13, 0x12c00160081, DATA, 0x1000}}};
	struct memphis_sample sample;

	memphis_ibs_machine_init(&pmu.machine, 0x19, 0x01, 0x3ff, 0x7ffffffff000);
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_NONE &&
		   sample.pc == PC && sample.address == DATA && sample.source == MEMPHIS_SOURCE_DRAM &&
		   sample.flags & MEMPHIS_FLAG_REMOTE,
	   "IBS: a load from remote DRAM");
	ok(decode(&pmu, &record, sizeof(record) - 8, sizeof(record) - 8, &sample) == MEMPHIS_REASON_INVALID,
	   "IBS: a record with a register less is invalid");
	record.raw_bytes += 8;
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_INVALID,
	   "IBS: registers beyond the record's end are not read");
	record.raw_bytes = 0xffffffff;
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_INVALID,
	   "IBS: a length that overflows is invalid");
	/* A record of ibs_fetch has three or four registers; other data of the event may follow. */
	record.raw_bytes = 36;
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASON_INVALID,
	   "IBS: a record of fetch sampling is invalid");
}

/* A sample with a stack of 24 bytes, of which 16 were there. */
struct ibs_with_stack {
	struct perf_event_header header;
	__u64 time, cpu, chain, user_context, interrupted_ip;
	__u32 raw_bytes;
	char raw[12];
	__u64 abi, bp, sp, ip, room, stack[3], bytes;
};

struct pebs_with_stack {
	struct perf_event_header header;
	__u64 ip, time, address, cpu, abi, bp, sp, user_ip, room, stack[3], bytes, weight, data_src;
	__u64 abi_sampled, bp_sampled, sp_sampled, ip_sampled;
};

struct stack_of_24 {
	struct memphis_user_stack stack;
	__u64 words[3];
};

/* Returns how many of the records that end too early are taken as whole. */
static unsigned int cut_anywhere(struct perf_event_header *header, __u64 sample_type)
{
	const unsigned int bytes = header->size;
	struct memphis_perf_fields fields;
	unsigned int size, accepted = 0;

	for (size = sizeof(*header); size < bytes; size++) {
		struct perf_event_header *cut = malloc(size);

		memcpy(cut, header, size);
		cut->size = (__u16)size;
		accepted += memphis_perf_read_fields(cut, sample_type, &fields);
		free(cut);
	}
	return accepted;
}

static void test_stack_ibs(void)
{
	const struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_IBS};
	const __u64 type =
		IBS_FIELDS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct ibs_with_stack record = {{PERF_RECORD_SAMPLE, 0, sizeof(record)},
					7,
					1,
					2,
					(__u64)PERF_CONTEXT_USER,
					PC + 9,
					12,
					"raw",
					PERF_SAMPLE_REGS_ABI_64,
					0xb0,
					0xa0,
					PC,
					24,
					{1, 2, 3},
					16};
	struct memphis_perf_fields fields;
	struct stack_of_24 copy;

	memset(&copy, 0xa5, sizeof(copy));
	ok(memphis_perf_read_fields(&record.header, type, &fields) && fields.raw_bytes == 12 &&
		   !strcmp(fields.raw, "raw"),
	   "IBS: the registers of the hardware are found behind a call chain");
	memphis_perf_stack(&pmu, &fields, &copy.stack, 24);
	ok(copy.stack.ip == PC + 9 && copy.stack.sp == 0xa0 && copy.stack.bp == 0xb0 && !copy.stack.flags,
	   "IBS: a stack has the registers of the interrupt, also the instruction that was hit");
	ok(copy.stack.bytes == 16 && copy.words[0] == 1 && copy.words[1] == 2,
	   "IBS: as many bytes of the stack as were there");
	memphis_perf_stack(&pmu, &fields, &copy.stack, 8);
	is(copy.stack.bytes, 8, "IBS: and no more than there is room for");
	is(cut_anywhere(&record.header, type), 0,
	   "IBS: a record with a stack that ends too early is invalid");
	record.bytes = 25;
	ok(!memphis_perf_read_fields(&record.header, type, &fields),
	   "IBS: a stack longer than its room is invalid");
	record.bytes = 0;
	record.sp = 0xffffc90000000000;
	ok(memphis_perf_read_fields(&record.header, type, &fields),
	   "IBS: a record of an interrupt in the kernel is valid");
	memphis_perf_stack(&pmu, &fields, &copy.stack, 24);
	ok(copy.stack.flags == MEMPHIS_STACK_IN_KERNEL && !copy.stack.ip && !copy.stack.sp &&
		   !copy.stack.bytes,
	   "IBS: the stack of an interrupt in the kernel is unknown, and none of its addresses is kept");
}

static void test_stack_pebs(void)
{
	const struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS};
	const __u64 type =
		PEBS_FIELDS | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR;
	struct pebs_with_stack record = {{PERF_RECORD_SAMPLE, EXACT_IP, sizeof(record)},
					 PC,
					 7,
					 DATA,
					 1,
					 PERF_SAMPLE_REGS_ABI_64,
					 0xb1,
					 0xa0,
					 PC,
					 24,
					 {1, 2, 3},
					 24,
					 310,
					 REMOTE_DRAM,
					 PERF_SAMPLE_REGS_ABI_64,
					 0xb0,
					 0xa0,
					 PC};
	struct memphis_perf_fields fields;
	struct stack_of_24 copy;

	memset(&copy, 0xa5, sizeof(copy));
	ok(memphis_perf_read_fields(&record.header, type, &fields) && fields.weight == 310 &&
		   fields.data_src == REMOTE_DRAM,
	   "PEBS: latency and source are found behind a stack");
	memphis_perf_stack(&pmu, &fields, &copy.stack, 24);
	ok(copy.stack.ip == PC && copy.stack.sp == 0xa0 && copy.stack.bp == 0xb0 && copy.stack.bytes == 24 &&
		   copy.words[2] == 3 && !copy.stack.flags,
	   "PEBS: a stack has the registers of the hardware's record");
	is(cut_anywhere(&record.header, type), 0,
	   "PEBS: a record with a stack that ends too early is invalid");
	record.sp = 0xa8;
	ok(memphis_perf_read_fields(&record.header, type, &fields),
	   "PEBS: a record with other registers is valid");
	memphis_perf_stack(&pmu, &fields, &copy.stack, 24);
	is(copy.stack.flags, MEMPHIS_STACK_IN_KERNEL,
	   "PEBS: a stack that was copied from elsewhere than the sample's stack pointer is unknown");
}

static void test_lost(void)
{
	struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS};
	/* Linux, include/uapi/linux/perf_event.h, PERF_RECORD_LOST */
	struct {
		struct perf_event_header header;
		__u64 id, lost;
	} record = {.header = {PERF_RECORD_LOST, 0, sizeof(record)}, .id = 3, .lost = 5};

	is(memphis_perf_lost(&pmu, &record.header), 5,
	   "a record counts what is lost if read(2) does not (before Linux 6.0)");
	pmu.attr.read_format = 1u << 4; /* PERF_FORMAT_LOST */
	is(memphis_perf_lost(&pmu, &record.header), 0, "else it is counted once");
	pmu.attr.read_format = 0;
	record.header.size = sizeof(record) - 8;
	is(memphis_perf_lost(&pmu, &record.header), 0, "a record that is too short has no count");
	record.header = (struct perf_event_header){PERF_RECORD_SAMPLE, 0, sizeof(record)};
	is(memphis_perf_lost(&pmu, &record.header), 0, "nor has a sample");
}

int main(void)
{
	test_pebs();
	test_ibs();
	test_stack_ibs();
	test_stack_pebs();
	test_lost();
	return finish();
}
