/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sample files: what libmemphis writes and the post-processor reads.
 *
 * A directory holds, for each process, one process file and one thread file per thread:
 *	HOST.PID[.N].process.memphis	facts of the process (N > 0: the pid's N-th image, after exec)
 *	HOST.PID[.N].TID[.M].thread.memphis	samples and allocations of one thread (M > 0: tid used again)
 * Names are for people; readers go by the file headers. `run` ties the files of a process together.
 *
 * A file is a header and a sequence of chunks, each starting at a multiple of 8. A chunk is
 * committed by writing its payload first and its header last, so that a writer killed in between
 * leaves zeros where the header would stand. A reader thus ends
 *	- cleanly at the end of the file, or at a chunk header that is all zero (unfinished: the writer
 *	  was killed; say so, use what came before), and
 *	- with an error naming the offset anywhere else (bad magic, bad check sum, payload past the end).
 * A file without a final MEMPHIS_CHUNK_END was not closed: its process was killed.
 *
 * All integers are little-endian. Text payloads are UTF-8 lines ended by '\n'; fields are separated by
 * one space; the last field of a line runs to its end and so may hold spaces; '\n' and '\\' inside
 * it are written as "\\n" and "\\\\". Readers ignore unknown keys and unknown chunk types.
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
	__u32 header_bytes; /* where the first chunk stands */
	__u64 run[2];       /* random; the same in all files of one process */
	__u32 pid;
	__u32 tid;               /* thread files; else 0 */
	__u64 start_time_ns;     /* CLOCK_MONOTONIC when the file was made */
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
	__u32 payload_bytes; /* without the zeros that fill up to a multiple of 8 */
	__u32 count;         /* samples, records or lines in the payload */
	__u32 payload_crc32c;
	__u32 header_crc32c; /* over all bytes before it */
};

/* Thread files */
#define MEMPHIS_CHUNK_SAMPLES     1 /* see below */
#define MEMPHIS_CHUNK_ACCOUNTING  2 /* one struct memphis_accounting; the last one holds */
#define MEMPHIS_CHUNK_STACKS      3 /* struct memphis_stack, each followed by its PCs */
#define MEMPHIS_CHUNK_ALLOCATIONS 4 /* struct memphis_allocation[], each chunk in order of time */
#define MEMPHIS_CHUNK_NAMES       5 /* text: time_ns 0xaddress size_bytes name  (explicit; empty: none any more) */
#define MEMPHIS_CHUNK_THREAD \
	6 /* text: key value  (name, openmp_thread, start_time_ns,
						 * stack 0xlow-0xhigh); later lines win */
#define MEMPHIS_CHUNK_TLS \
	7 /* text: 0xobject 0xstart size_bytes: the block of thread-local variables that
						 * the thread has got for the object loaded there */
#define MEMPHIS_CHUNK_STACK_FRAMES 8 /* struct memphis_stack_frames, each followed by its frames */
/* Process files */
#define MEMPHIS_CHUNK_SETTINGS 16 /* text: key value  (see docs/format.md for the keys) */
#define MEMPHIS_CHUNK_TOPOLOGY \
	17 /* text: node N memory_bytes CPULIST DISTANCES
						 * (CPULIST "0-3,8" or "-" for a memory-only node; DISTANCES "10,21") */
#define MEMPHIS_CHUNK_MAPS \
	18 /* text: first "time_ns T [loading] [unloaded_ns FIRST LAST]",
						 * then one line per map, the whole list: 0xstart 0xend
						 * perms 0xoffset BUILDID path (BUILDID hex or "-"; path
						 * may be empty or "[heap]"). loading: made while the
						 * dynamic loader was at work; what it was mapping has no
						 * build-id yet. unloaded_ns: the first and the last time
						 * since the list before at which dlclose() had unloaded
						 * something */
#define MEMPHIS_CHUNK_REGIONS \
	19                       /* text: id parent name  (parent 0 = none); ids from 1; only
						 * regions not written before */
#define MEMPHIS_CHUNK_HOLDERS 20 /* struct memphis_holder[] */
#define MEMPHIS_CHUNK_LOSSES \
	21 /* text: key count  (allocations_left_out, write_errors,
						 * threads_unsampled ...); later lines win */
#define MEMPHIS_CHUNK_COUNTER_METRICS \
	22                             /* text: id source scope kind node unit name: what COUNTERS holds,
						 * below */
#define MEMPHIS_CHUNK_COUNTERS      23 /* struct memphis_counter_value[] in order of time */
#define MEMPHIS_CHUNK_COUNTER_MARKS 24 /* struct memphis_counter_mark[] in order of time */
/* Both */
#define MEMPHIS_CHUNK_END 31 /* no payload: the file was closed in order */

/*
 * SAMPLES: `count` samples (struct memphis_sample), each coded against the one before it in the same
 * chunk (against all zeros for the first), in order of time:
 *	u8	control: which groups follow, MEMPHIS_CODE_*; other bits 0
 *	svarint	pc - previous pc
 *	svarint	address - previous address
 *	varint	time_ns - previous time_ns
 *	varint	latency_cycles
 *	[KIND]	u8 source, u8 flags, varint home_node
 *	[CPU]	varint cpu, varint node
 *	[REGION] varint region
 * varint: LEB128, 7 bits a byte, low first, at most 10 bytes; svarint: zigzag, then varint.
 * Differences are taken modulo 2^64.
 */
#define MEMPHIS_CODE_KIND             0x1
#define MEMPHIS_CODE_CPU              0x2
#define MEMPHIS_CODE_REGION           0x4
#define MEMPHIS_CODES                 0x7
#define MEMPHIS_SAMPLE_CODE_BYTES_MAX 60 /* no coded sample is longer */

/* STACKS: a call stack, innermost first; PCs are return addresses, the first one into the caller of
 * the allocation function. Ids are the thread's own, from 1. */
struct memphis_stack {
	__u32 id;
	__u32 depth; /* __u64 pc[depth] follow */
};

/*
 * STACK_FRAMES: the frames that stand on the thread's stack while its outermost caliper is open, innermost first, as those are
 * that were there at its beginning and at its end. They hold from time_ns to the next one's; depth 0: nothing is known.
 */
struct memphis_stack_frames {
	__u64 time_ns; /* the caliper was opened */
	__u64 low;     /* the innermost frame's lowest address */
	__u32 depth;   /* struct memphis_stack_frame frames[depth] follow */
	__u32 same_sp; /* 1: the innermost frame's stack pointer was `low` at both ends of the caliper */
};

struct memphis_stack_frame {
	__u64 cfa; /* DWARF's canonical frame address, one behind the frame; and where the next one begins */
	__u64 bp;  /* register rbp in it */
	__u64 pc;  /* where the call returns to that led to the beginning of the caliper ... */
	__u64 end_pc; /* ... and to its end; only of the innermost frame another one */
};

enum memphis_allocation_kind {
	MEMPHIS_ALLOCATION_MALLOC = 1, /* also calloc, aligned variants, operator new */
	MEMPHIS_ALLOCATION_FREE = 2,   /* also operator delete; size and stack are 0 */
	MEMPHIS_ALLOCATION_MAP = 3,    /* mmap, anonymous or of a file */
	MEMPHIS_ALLOCATION_UNMAP =
		4, /* of a range; may cover parts of maps; size 0: what shmat attached there */
	MEMPHIS_ALLOCATION_SHARE =
		5 /* a map of shared memory: shmat, mmap of shm_open, memfd, MAP_ANONYMOUS */
};

/*
 * One event in the life of a block. A release is stamped before it happens and an allocation after, so
 * that sorting all threads' events by time gives the true order at each address.
 * realloc is a FREE and, next in the thread's file, a MALLOC with `previous` telling the old address: the block is the same
 * variable as before. mremap is an UNMAP and a MAP likewise.
 */
struct memphis_allocation {
	__u64 time_ns;
	__u64 address;
	__u64 size_bytes; /* as asked for */
	__u64 previous;   /* realloc, mremap: the block's address before, if it was told; else 0 */
	__u32 stack;      /* id in the same file's STACKS; 0 = none */
	__u32 kind;       /* enum memphis_allocation_kind */
};

/* HOLDERS: a word of writable static memory that held the address of a live tracked block. */
struct memphis_holder {
	__u64 time_ns;
	__u64 slot;  /* address of the word */
	__u64 block; /* its value: start of a block */
};

/*
 * COUNTER_METRICS: what happened around the samples, one line per counter that is read.
 *	id	from 1; 0 in lines that tell of a problem
 *	source	numastat, vmstat, net, io, uncore, pcp, papi
 *	scope	"host": the same for all processes of the machine, not to be added up; or "process"
 *	kind	"counter": what came since its first reading; "gauge": what is at that moment;
 *		"refused": no such metric, or it can't be read; "lost": a source that answers no more
 *	node	NUMA node that it belongs to, or "-"
 *	unit	"bytes", "pages", "count", "ns" ...; "-": none
 *	name	of refused and lost ones followed by ": " and why
 */
struct memphis_counter_value {
	__u64 time_ns; /* CLOCK_MONOTONIC when the value was there ... */
	__u64 took_ns; /* ... and how long it took to get it */
	double value;
	__u32 metric;
	__u32 flags; /* MEMPHIS_CONTEXT_* */
};

#define MEMPHIS_COUNTER_GAP \
	0x1 /* counter: what came since the value before is not known, and not contained */

/* COUNTER_MARKS: from time_ns on, the region of the leading thread's outermost caliper; 0: none is open. */
struct memphis_counter_mark {
	__u64 time_ns;
	__u32 region;
	__u32 reserved; /* 0 */
};

#ifdef __x86_64__
/* CRC-32C (Castagnoli) of `bytes` at `data`, continuing from `crc` (start with 0). Needs SSE 4.2, which
 * every CPU with IBS op sampling or PEBS load latency has; who only reads may have another. */
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
