/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of perf.data files: definitions that <linux/perf_event.h> does not have, or only in later versions
 * than the oldest one with which the tool is built. Sources: Linux,
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h.
 */
#ifndef MEMPHIS_PERFDATA_PERF_FORMAT_H
#define MEMPHIS_PERFDATA_PERF_FORMAT_H

#include <stdint.h>

#include <linux/perf_event.h>

#define MEMPHIS_PERFDATA_MAGIC     0x32454c4946524550ULL /* "PERFILE2" */
#define MEMPHIS_PERFDATA_MAGIC_OLD 0x454c494646524550ULL /* "PERFFILE" */

struct memphis_perfdata_section {
	uint64_t offset, bytes;
};

#define MEMPHIS_PERFDATA_FEATURES 256

/*
 * Header of a file. A stream has only the first two members. Then `bytes` is MEMPHIS_PERFDATA_STREAM_BYTES,
 * and only records follow.
 */
struct memphis_perfdata_file_header {
	uint64_t magic, bytes;
	uint64_t attribute_bytes; /* size of each attribute, including the section that describes its ids */
	struct memphis_perfdata_section attributes, data, types;
	uint64_t features[MEMPHIS_PERFDATA_FEATURES / 64]; /* bitmap of enum memphis_perfdata_feature */
};

#define MEMPHIS_PERFDATA_STREAM_BYTES 16

enum memphis_perfdata_feature {
	MEMPHIS_PERFDATA_BUILD_ID = 2,
	MEMPHIS_PERFDATA_HOSTNAME = 3,
	MEMPHIS_PERFDATA_OSRELEASE = 4,
	MEMPHIS_PERFDATA_ARCH = 6,
	MEMPHIS_PERFDATA_CPUDESC = 8,
	MEMPHIS_PERFDATA_CPUID = 9,
	MEMPHIS_PERFDATA_CMDLINE = 11,
	MEMPHIS_PERFDATA_EVENT_DESC = 12,
	MEMPHIS_PERFDATA_NUMA_TOPOLOGY = 14,
	MEMPHIS_PERFDATA_PMU_MAPPINGS = 16,
	MEMPHIS_PERFDATA_MEM_TOPOLOGY = 22,
	MEMPHIS_PERFDATA_CLOCK_DATA = 29,
};

/* Types of records that perf itself writes. The kernel's records have lower numbers. */
enum memphis_perfdata_user_record {
	MEMPHIS_PERFDATA_RECORD_HEADER_ATTR = 64,
	MEMPHIS_PERFDATA_RECORD_TRACING_DATA = 66,
	MEMPHIS_PERFDATA_RECORD_HEADER_BUILD_ID = 67,
	MEMPHIS_PERFDATA_RECORD_FINISHED_ROUND = 68,
	MEMPHIS_PERFDATA_RECORD_ID_INDEX = 69,
	MEMPHIS_PERFDATA_RECORD_AUXTRACE = 71,
	MEMPHIS_PERFDATA_RECORD_HEADER_FEATURE = 80,
	MEMPHIS_PERFDATA_RECORD_COMPRESSED = 81,
	MEMPHIS_PERFDATA_RECORD_COMPRESSED2 = 83,
};

#define MEMPHIS_PERFDATA_MISC_EXACT_IP      (1 << 14) /* SAMPLE: the ip is the exact one */
#define MEMPHIS_PERFDATA_MISC_BUILD_ID      (1 << 14) /* MMAP2: the record has a build-id instead of an inode */
#define MEMPHIS_PERFDATA_MISC_BUILD_ID_SIZE (1 << 15) /* HEADER_BUILD_ID: byte 20 of the id is its size */
#define MEMPHIS_PERFDATA_MISC_COMM_EXEC     (1 << 13) /* COMM: the name is that of a newly executed program */
#define MEMPHIS_PERFDATA_MISC_MMAP_DATA     (1 << 13) /* MMAP: the mapping is not executable */
#define MEMPHIS_PERFDATA_MISC_LOST_BPF      (1 << 15) /* LOST_SAMPLES: a BPF filter of perf dropped them */

/* Bits that older headers lack. */
#define MEMPHIS_PERFDATA_SAMPLE_PHYS_ADDR     (1ULL << 19)
#define MEMPHIS_PERFDATA_SAMPLE_WEIGHT_STRUCT (1ULL << 24)
#define MEMPHIS_PERFDATA_FORMAT_LOST          (1ULL << 4)
#define MEMPHIS_PERFDATA_BRANCH_HW_INDEX      (1ULL << 17)
#define MEMPHIS_PERFDATA_BRANCH_COUNTERS      (1ULL << 19)
#define MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX   20

/* Limit for addresses of x86-64 programs, also with five levels of page tables. */
#define MEMPHIS_PERFDATA_USER_LIMIT (1ULL << 56)

#endif
