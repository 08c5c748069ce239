// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how the library reads perf's records: of the expected size, of another size, and of another generation. If a test fails, a
 * record that is not what the library expects becomes a sample with wrong data, or is read beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "backend/perf_pmu.h"
#include "memphis/sampling_events.h"

#define PC   0x401136ULL
#define DATA 0x7f0012345678ULL
/* perf's translation (PERF_MEM_*) of a load from remote DRAM: operation, level and remote; mem_region of Linux 7.1. */
#define REMOTE_DRAM   (0x2ULL | 0xdULL << 33 | 1ULL << 37)
#define REGION_MEMORY (0x2ULL | 0xdULL << 33 | 0x8ULL << 46)

#define EXACT_IP (1 << 14) /* PERF_RECORD_MISC_EXACT_IP */

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
	unsigned int reason;

	memcpy(header, record, bytes);
	header->size = (__u16)size;
	memset(sample, 0xa5, sizeof(*sample));
	reason = memphis_perf_pmu_decode(pmu, MEMPHIS_EVENT_ACCESS, header, sample);
	free(header);
	return reason;
}

static void test_pebs(void)
{
	const struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS,
					     .record_bytes_min = sizeof(struct pebs)};
	struct pebs record = {.header = {PERF_RECORD_SAMPLE, EXACT_IP, 0},
			      .ip = PC,
			      .address = DATA,
			      .weight = 310,
			      .data_src = REMOTE_DRAM};
	struct memphis_sample sample;

	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASONS &&
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
				       .record_bytes_min = sizeof(struct ibs)};
	/* Zen 3: a load that missed both caches, from another node's DRAM. */
	struct ibs record = {.header = {PERF_RECORD_SAMPLE, 0, 0},
			     .raw_bytes = sizeof(record.raw),
			     .raw = {0x3ff, {1 << 18, PC, 0, 0x13, 0x12c00160081, DATA, 0x1000}}};
	struct memphis_sample sample;

	memphis_ibs_machine_init(&pmu.machine, 0x19, 0x01, 0x3ff, 0x7ffffffff000);
	ok(decode(&pmu, &record, sizeof(record), sizeof(record), &sample) == MEMPHIS_REASONS &&
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

static void test_lost(void)
{
	struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS};
	/* Linux, include/uapi/linux/perf_event.h, PERF_RECORD_LOST */
	struct {
		struct perf_event_header header;
		__u64 id, lost;
	} record = {.header = {PERF_RECORD_LOST, 0, sizeof(record)}, .id = 3, .lost = 5};

	is(memphis_perf_pmu_lost(&pmu, &record.header), 5,
	   "a record counts what is lost if read(2) does not (before Linux 6.0)");
	pmu.attr.read_format = 1u << 4; /* PERF_FORMAT_LOST */
	is(memphis_perf_pmu_lost(&pmu, &record.header), 0, "else it is counted once");
	pmu.attr.read_format = 0;
	record.header.size = sizeof(record) - 8;
	is(memphis_perf_pmu_lost(&pmu, &record.header), 0, "a record that is too short has no count");
	record.header = (struct perf_event_header){PERF_RECORD_SAMPLE, 0, sizeof(record)};
	is(memphis_perf_pmu_lost(&pmu, &record.header), 0, "nor has a sample");
}

int main(void)
{
	test_pebs();
	test_ibs();
	test_lost();
	return finish();
}
