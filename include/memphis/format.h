/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Format of the sample files, which libmemphis writes and the post-processor reads. docs/format.md lists the keys of text chunks.
 *
 * A directory holds, for each process, one process file and one thread file per thread:
 *	HOST.PID[.N].process.memphis	metadata of the process (N > 0: N-th image of the pid, after exec)
 *	HOST.PID[.N].TID[.M].thread.memphis	samples and allocations of a thread (M > 0: tid was reused)
 * File names are for people; readers use the file headers only. `run` is equal in all files of a process.
 *
 * A file consists of a header and chunks, each of which starts at a multiple of 8. A chunk is committed by writing its payload
 * first and its header last, so that a writer that is killed in between leaves zeros in place of the header. A reader
 *	- ends without an error at the end of the file, or at a chunk header that is all zeros (the writer was killed: report
 *	  that, and use the chunks before), and
 *	- fails with the offset anywhere else (bad magic, bad check sum, payload past the end).
 * A file without a final MEMPHIS_CHUNK_END was not closed: its process was killed.
 *
 * All integers are little-endian. Text payloads are UTF-8 lines that end in '\n'. Fields are separated by one space; the last field
 * extends to the end of the line and may contain spaces; '\n' and '\\' inside it are written as "\\n" and "\\\\". Readers
 * ignore unknown keys and unknown chunk types.
 */
#ifndef MEMPHIS_FORMAT_H
#define MEMPHIS_FORMAT_H

#include "sample.h"

#define MEMPHIS_FILE_MAGIC   0x0a534948504d454dULL /* "MEMPHIS\n" */
#define MEMPHIS_FILE_VERSION 1
#define MEMPHIS_FILE_SUFFIX  ".memphis"

#define MEMPHIS_FILE_PROCESS 1
#define MEMPHIS_FILE_THREAD  2

struct memphis_file_header {
	__u64 magic;
	__u16 version;
	__u16 kind;         /* MEMPHIS_FILE_* */
	__u32 header_bytes; /* offset of the first chunk */
	__u64 run[2];       /* random; equal in all files of a process */
	__u32 pid;
	__u32 tid;               /* of the thread; 0 in process files */
	__u64 start_time_ns;     /* CLOCK_MONOTONIC when the file was created */
	__u64 start_realtime_ns; /* CLOCK_REALTIME at the same moment */
	__u32 reserved;          /* 0 */
	__u32 header_crc32c;     /* over all bytes before it */
};

#define MEMPHIS_CHUNK_MAGIC     0x4b4e4843u /* "CHNK" */
#define MEMPHIS_CHUNK_BYTES_MAX (16u << 20) /* of payload */

struct memphis_chunk {
	__u32 magic;
	__u16 type;          /* MEMPHIS_CHUNK_* */
	__u16 reserved;      /* 0 */
	__u32 payload_bytes; /* without the zeros that pad to a multiple of 8 */
	__u32 count;         /* samples, records or lines in the payload */
	__u32 payload_crc32c;
	__u32 header_crc32c; /* over all bytes before it */
};

/* Thread files */
#define MEMPHIS_CHUNK_SAMPLES     1 /* see below */
#define MEMPHIS_CHUNK_ACCOUNTING  2 /* one struct memphis_accounting; the last one is valid */
#define MEMPHIS_CHUNK_STACKS      3 /* struct memphis_stack, each followed by its PCs */
#define MEMPHIS_CHUNK_ALLOCATIONS 4 /* struct memphis_allocation[], sorted by time within a chunk */
#define MEMPHIS_CHUNK_NAMES \
	5 /* text: time_ns 0xaddress size_bytes name  (of memphis_name(); empty: removed) */
#define MEMPHIS_CHUNK_THREAD \
	6 /* text: key value  (name, openmp_thread, start_time_ns,
						 * stack 0xlow-0xhigh); the last line of a key is valid */
#define MEMPHIS_CHUNK_TLS \
	7                            /* text: 0xobject 0xstart size_bytes: the thread's block of thread-local
						 * variables of the object loaded at 0xobject */
#define MEMPHIS_CHUNK_STACK_FRAMES 8 /* struct memphis_stack_frames, each followed by its frames */
/* Process files */
#define MEMPHIS_CHUNK_SETTINGS 16 /* text: key value  (see docs/format.md for the keys) */
#define MEMPHIS_CHUNK_TOPOLOGY \
	17 /* text: node N memory_bytes CPULIST DISTANCES
						 * (CPULIST "0-3,8" or "-" for a memory-only node; DISTANCES "10,21") */
#define MEMPHIS_CHUNK_MAPS \
	18 /* text: first "time_ns T [loading] [unloaded_ns FIRST LAST]",
						 * then one line per map, always the whole list: 0xstart
						 * 0xend perms 0xoffset BUILDID path (BUILDID hex or "-";
						 * path may be empty or "[heap]"). loading: the dynamic
						 * loader was active; objects that it was mapping have no
						 * build-id yet. unloaded_ns: first and last time since
						 * the previous list at which dlclose() had unloaded an
						 * object */
#define MEMPHIS_CHUNK_REGIONS \
	19                       /* text: id parent name  (parent 0 = none); ids from 1; a
						 * chunk contains only regions not written before */
#define MEMPHIS_CHUNK_HOLDERS 20 /* struct memphis_holder[] */
#define MEMPHIS_CHUNK_LOSSES \
	21 /* text: key count  (allocations_left_out, write_errors,
						 * threads_unsampled ...); the last line of a key is valid */
#define MEMPHIS_CHUNK_COUNTER_METRICS \
	22                             /* text: id source scope kind node unit name: the metrics of COUNTERS,
						 * see below */
#define MEMPHIS_CHUNK_COUNTERS      23 /* struct memphis_counter_value[], sorted by time */
#define MEMPHIS_CHUNK_COUNTER_MARKS 24 /* struct memphis_counter_mark[], sorted by time */
/* Both kinds of files */
#define MEMPHIS_CHUNK_END 31 /* no payload: the file was closed properly */

/*
 * SAMPLES: `count` samples (struct memphis_sample), sorted by time. Each is encoded relative to the previous sample of the chunk,
 * the first one relative to all zeros:
 *	u8	control: the groups that follow, MEMPHIS_CODE_*; other bits are 0
 *	svarint	pc - previous pc
 *	svarint	address - previous address
 *	varint	time_ns - previous time_ns
 *	varint	latency_cycles
 *	[KIND]	u8 source, u8 flags, varint home_node
 *	[CPU]	varint cpu, varint node
 *	[REGION] varint region
 * A group that does not follow equals that of the previous sample.
 * varint: LEB128, 7 bits per byte, low bits first, at most 10 bytes; svarint: zigzag, then varint.
 * Differences are taken modulo 2^64.
 */
#define MEMPHIS_CODE_KIND             0x1
#define MEMPHIS_CODE_CPU              0x2
#define MEMPHIS_CODE_REGION           0x4
#define MEMPHIS_CODES                 0x7
#define MEMPHIS_SAMPLE_CODE_BYTES_MAX 60 /* upper bound of an encoded sample */

/* STACKS: a call stack, innermost frame first. PCs are return addresses; the first one is in the caller of the allocation
 * function. Ids start at 1 and are valid within the thread file. */
struct memphis_stack {
	__u32 id;
	__u32 depth; /* __u64 pc[depth] follow */
};

/*
 * STACK_FRAMES: the frames that exist on the thread's stack while its outermost caliper is open, i.e. those found both when it was
 * opened and when it was closed; innermost first. A record is valid from time_ns to the time_ns of the next record. depth 0: no
 * frames are known.
 */
struct memphis_stack_frames {
	__u64 time_ns; /* when the caliper was opened */
	__u64 low;     /* lowest address of the innermost frame */
	__u32 depth;   /* struct memphis_stack_frame frames[depth] follow */
	__u32 same_sp; /* 1: the stack pointer of the innermost frame was `low` at both ends of the caliper */
};

struct memphis_stack_frame {
	__u64 cfa; /* DWARF canonical frame address: end of this frame, and start of its caller's frame */
	__u64 bp;  /* register rbp in this frame */
	__u64 pc;  /* return address of the call that led to opening the caliper */
	__u64 end_pc; /* return address of the call that led to closing it; differs from pc in the innermost frame only */
};

enum memphis_allocation_kind {
	MEMPHIS_ALLOCATION_MALLOC = 1, /* also calloc, aligned variants, operator new */
	MEMPHIS_ALLOCATION_FREE = 2,   /* also operator delete; size_bytes and stack are 0 */
	MEMPHIS_ALLOCATION_MAP = 3,    /* mmap, anonymous or of a file */
	MEMPHIS_ALLOCATION_UNMAP =
		4, /* of a range, which may cover parts of maps; size 0: the segment that shmat attached there */
	MEMPHIS_ALLOCATION_SHARE =
		5 /* a map of shared memory: shmat, mmap of shm_open, memfd, MAP_ANONYMOUS */
};

/*
 * An allocation or release. Releases are stamped before they happen and allocations after, so that sorting the events of all
 * threads by time yields the true order at each address.
 * realloc is a FREE, followed in the thread's file by a MALLOC whose `previous` is the old address: the block is the same
 * variable as before. mremap is an UNMAP and a MAP likewise.
 */
struct memphis_allocation {
	__u64 time_ns;
	__u64 address;
	__u64 size_bytes; /* as requested */
	__u64 previous;   /* realloc, mremap: the former address, if that block was recorded; else 0 */
	__u32 stack;      /* id in STACKS of the same file; 0 = none */
	__u32 kind;       /* enum memphis_allocation_kind */
};

/* HOLDERS: a word of writable static memory that contained the address of a live tracked block. */
struct memphis_holder {
	__u64 time_ns;
	__u64 slot;  /* address of the word */
	__u64 block; /* its value: start address of the block */
};

/*
 * COUNTER_METRICS: the counters read around the samples, one line per counter.
 *	id	from 1; 0 in lines of kind "refused" or "lost"
 *	source	numastat, vmstat, net, io, uncore, pcp, papi
 *	scope	"host": equal for all processes of the machine, not to be added up; or "process"
 *	kind	"counter": increase since its first reading; "gauge": current value;
 *		"refused": no such metric, or it can't be read; "lost": the source has stopped answering
 *	node	NUMA node that the counter belongs to, or "-"
 *	unit	"bytes", "pages", "count", "ns" ...; "-": none
 *	name	with kind "refused" and "lost": the name, ": " and the reason
 */
struct memphis_counter_value {
	__u64 time_ns; /* CLOCK_MONOTONIC when the value had been read */
	__u64 took_ns; /* duration of the reading */
	double value;
	__u32 metric; /* id in COUNTER_METRICS */
	__u32 flags;  /* MEMPHIS_COUNTER_GAP or 0 */
};

#define MEMPHIS_COUNTER_GAP \
	0x1 /* counter: the increase since the previous value is unknown, and not contained */

/* COUNTER_MARKS: the region of the leading thread's outermost caliper from time_ns on; 0: none is open. */
struct memphis_counter_mark {
	__u64 time_ns;
	__u32 region;
	__u32 reserved; /* 0 */
};

#ifdef __x86_64__
/* Returns the CRC-32C (Castagnoli) of `bytes` bytes at `data`, continued from `crc` (initially 0). Needs SSE 4.2, which every CPU with
 * IBS op sampling or PEBS load latency has; readers on other machines need another implementation. */
__attribute__((target("sse4.2"), unused)) static __u32 memphis_crc32c(__u32 crc, const void *data,
								      unsigned long bytes)
{
	const unsigned char *p = (const unsigned char *)data;
	__u64 c = (__u32)~crc;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		__u64 word;

		__builtin_memcpy(&word, p, 8);
		c = __builtin_ia32_crc32di(c, word);
	}
	for (; bytes; bytes--)
		c = __builtin_ia32_crc32qi((__u32)c, *p++);
	return ~(__u32)c;
}
#endif

#endif
