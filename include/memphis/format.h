/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Format of the sample files, which libmemphis writes and the post-processor reads. docs/format.md lists the keys of
 * text chunks.
 *
 * A directory contains one process file for each process, and thread files:
 *	HOST.PID[.LAUNCH][.N].process.memphis	metadata of the process (N > 0: the N-th program image of the pid, after exec)
 *	HOST.PID[.LAUNCH][.N].TID[.M].thread.memphis	samples and allocations of a thread (M > 0: the tid was reused)
 *	HOST.PID[.LAUNCH][.N].ended[.M].memphis	the same for threads that ended before they got their own file
 *						(M > 0: further files of this kind)
 * Threads that ended without data (no sample, allocation, caliper ...) are in no file. They are only counted
 * (threads_without_data in docs/format.md).
 *
 * LAUNCH consists of letters and digits. It is the same in the files of all processes that one memphis record has
 * started. memphis record uses it to find its own files, because thousands of processes may write to a directory.
 * The rest of a name is only for people: programs rely on the file headers. All files of a process have the same `run`.
 *
 * A file consists of a header and chunks. The offset of each chunk is a multiple of 8. The writer commits a chunk by
 * writing its payload first and its header last. If the writer is killed in between, the file contains zeros instead
 * of the header. A reader
 *	- stops without an error at the end of the file, or at a chunk header that is all zeros; in the second case it
 *	  reports that the writer was killed, and uses the preceding chunks;
 *	- fails and reports the offset for everything else (bad magic, bad checksum, payload beyond the end of the file).
 * If the last chunk is not MEMPHIS_CHUNK_END, the file was not closed, because its process was killed.
 *
 * A file of ended threads (MEMPHIS_FILE_THREADS) has members instead of chunks, followed by an END chunk. A member has
 * the contents of a thread file: a header of kind MEMPHIS_FILE_THREAD, and chunks up to END. A member is committed as a
 * whole, like a chunk: zeros instead of its header show that the writer was killed.
 *
 * All integers are little-endian. Text payloads consist of UTF-8 lines that end in '\n'. Fields are separated by one space. The last
 * field extends to the end of the line and may contain spaces; '\n' and '\\' in that field are written as "\\n" and "\\\\".
 * Readers ignore unknown keys and unknown chunk types.
 */
#ifndef MEMPHIS_FORMAT_H
#define MEMPHIS_FORMAT_H

#include "sample.h"

#define MEMPHIS_FILE_MAGIC   0x0a534948504d454dULL /* "MEMPHIS\n" */
#define MEMPHIS_FILE_VERSION 1
#define MEMPHIS_FILE_SUFFIX  ".memphis"

#define MEMPHIS_FILE_PROCESS 1
#define MEMPHIS_FILE_THREAD  2
#define MEMPHIS_FILE_THREADS 3 /* file of threads that ended */

struct memphis_file_header {
	__u64 magic;
	__u16 version;
	__u16 kind;         /* MEMPHIS_FILE_* */
	__u32 header_bytes; /* offset of the first chunk from the beginning of this header */
	__u64 run[2];       /* random number that is the same in all files of a process */
	__u32 pid;
	__u32 tid;               /* of the thread; 0 in process files and files of ended threads */
	__u64 start_time_ns;     /* CLOCK_MONOTONIC when the file or member was started */
	__u64 start_realtime_ns; /* CLOCK_REALTIME at the same moment */
	__u32 reserved;          /* 0 */
	__u32 header_crc32c;     /* of all bytes before it */
};

#define MEMPHIS_CHUNK_MAGIC     0x4b4e4843u /* "CHNK" */
#define MEMPHIS_CHUNK_BYTES_MAX (16u << 20) /* limit for the payload */

struct memphis_chunk {
	__u32 magic;
	__u16 type;          /* MEMPHIS_CHUNK_* */
	__u16 reserved;      /* 0 */
	__u32 payload_bytes; /* without the zero padding to a multiple of 8 */
	__u32 count;         /* samples, records or lines in the payload */
	__u32 payload_crc32c;
	__u32 header_crc32c; /* of all bytes before it */
};

/* Thread files */
#define MEMPHIS_CHUNK_SAMPLES     1 /* encoded samples, see below */
#define MEMPHIS_CHUNK_ACCOUNTING  2 /* one struct memphis_accounting; the last chunk of the file counts */
#define MEMPHIS_CHUNK_STACKS      3 /* struct memphis_stack, each followed by its PCs */
#define MEMPHIS_CHUNK_ALLOCATIONS 4 /* struct memphis_allocation[], sorted by time within a chunk */
#define MEMPHIS_CHUNK_NAMES \
	5 /* text: time_ns 0xaddress size_bytes name  (from memphis_name(); an empty name removes the name) */
#define MEMPHIS_CHUNK_THREAD \
	6 /* text: key value  (name, openmp_thread, start_time_ns,
						 * stack 0xlow-0xhigh); the last line of each key counts */
#define MEMPHIS_CHUNK_TLS \
	7                            /* text: 0xobject 0xstart size_bytes: address and size of this thread's
						 * thread-local variables of the object loaded at 0xobject */
#define MEMPHIS_CHUNK_STACK_FRAMES 8 /* struct memphis_stack_frames, each followed by its frames */
#define MEMPHIS_CHUNK_CHAINS \
	9 /* struct memphis_stack, each followed by its PCs: chains of callers, see below */
#define MEMPHIS_CHUNK_CALLERS 10 /* callers of samples of the SAMPLES chunk before it, see below */
#define MEMPHIS_CHUNK_REGION_TIMES \
	11 /* struct memphis_region_time[], sorted by region; the last record of a region counts */
#define MEMPHIS_CHUNK_SPANS      12 /* struct memphis_region_span[] */
#define MEMPHIS_CHUNK_MPI        13 /* struct memphis_mpi_sum[]; the last record of a region and a partner counts */
#define MEMPHIS_CHUNK_MPI_EVENTS 14 /* struct memphis_mpi_event[], if mpi_events of SETTINGS is 1 */
#define MEMPHIS_CHUNK_IO         15 /* as MPI, but the calls are those of I/O functions, and a partner is a file */
/* Process files */
#define MEMPHIS_CHUNK_SETTINGS 16 /* text: key value  (see docs/format.md for the keys) */
#define MEMPHIS_CHUNK_TOPOLOGY \
	17 /* text: node N memory_bytes CPULIST DISTANCES
						 * (CPULIST "0-3,8" or "-" for a memory-only node; DISTANCES "10,21") */
#define MEMPHIS_CHUNK_MAPS \
	18 /* text: first "time_ns T [loading] [unloaded_ns FIRST LAST]",
						 * then one line for each map of the process:
						 * 0xstart 0xend perms 0xoffset BUILDID path (BUILDID in
						 * hex; =SIZE.CHANGED_NS.SUM of an object without one; "?"
						 * or "?elsewhere" if that is unknown; or "-"; path may be empty or "[heap]"). loading:
						 * the dynamic loader was active, and objects that it was
						 * mapping have no build ID yet. unloaded_ns: first and
						 * last time since the previous list at which dlclose()
						 * had unloaded an object */
#define MEMPHIS_CHUNK_REGIONS \
	19                       /* text: id parent name  (parent 0 = none); ids start at 1;
						 * a chunk contains only regions not yet written */
#define MEMPHIS_CHUNK_HOLDERS 20 /* struct memphis_holder[] */
#define MEMPHIS_CHUNK_LOSSES \
	21 /* text: key count  (allocations_left_out, write_errors,
						 * threads_unsampled ...); the last line of each key counts */
#define MEMPHIS_CHUNK_COUNTER_METRICS \
	22                             /* text: id source scope kind node unit name; defines the ids
						 * that COUNTERS refers to, see below */
#define MEMPHIS_CHUNK_COUNTERS      23 /* struct memphis_counter_value[], sorted by time */
#define MEMPHIS_CHUNK_COUNTER_MARKS 24 /* struct memphis_counter_mark[], sorted by time */
#define MEMPHIS_CHUNK_PART_NAMES \
	25 /* text: number name: names of pools and of their parts, see struct memphis_allocation;
						 * a chunk contains only names not yet written */
#define MEMPHIS_CHUNK_FILES \
	26 /* text: number path: the files of IO, see struct memphis_mpi_sum; a chunk contains only files not yet written */
/*
 * Descriptions of code that was generated at run time, see docs/format.md. All parts of a file have the same
 * `count`. Later files have larger counts.
 */
#define MEMPHIS_CHUNK_PERF_MAP 27 /* part of /tmp/perf-PID.map */
#define MEMPHIS_CHUNK_JITDUMP  28 /* part of a file jit-PID.dump */
#define MEMPHIS_CHUNK_PYTHON_LINES \
	29 /* text: number line column end_line end_column function path: see struct memphis_stack;
						 * a chunk contains only lines not yet written */
/* Thread files */
#define MEMPHIS_CHUNK_FRAMES \
	30 /* struct memphis_stack, each followed by a struct memphis_sampled_frame, see below */
#define MEMPHIS_CHUNK_IN_FRAMES 32 /* frames of samples of the SAMPLES chunk before it, see below */
/* Both kinds of files */
#define MEMPHIS_CHUNK_END 31 /* no payload; marks a file that was closed properly */

/*
 * SAMPLES: `count` samples (struct memphis_sample), sorted by time. Each sample is encoded relative to the previous sample of the
 * chunk; the first one, relative to a sample of zeros:
 *	u8	control: bit mask of the groups that follow, MEMPHIS_CODE_*; other bits are 0
 *	svarint	pc - previous pc
 *	svarint	address - previous address
 *	varint	time_ns - previous time_ns
 *	varint	latency_cycles
 *	[KIND]	u8 source, u8 flags, varint home_node
 *	[CPU]	varint cpu, varint node
 *	[REGION] varint region
 * An omitted group has the same values as in the previous sample. Differences are modulo 2^64.
 * varint: LEB128, 7 bits per byte, low bits first, at most 10 bytes. svarint: zigzag encoding, then varint.
 */
#define MEMPHIS_CODE_KIND             0x1
#define MEMPHIS_CODE_CPU              0x2
#define MEMPHIS_CODE_REGION           0x4
#define MEMPHIS_CODES                 0x7
#define MEMPHIS_SAMPLE_CODE_BYTES_MAX 60 /* upper bound on the size of an encoded sample */

/*
 * STACKS: a call stack, innermost frame first. PCs are return addresses. The first one is in the caller of
 * the allocation function. Ids start at 1 and are valid within the thread file.
 *
 * If lines of Python have allocated the block, the words are different. The first word is MEMPHIS_PC_STACK
 * with the id of an earlier stack of the file, and represents the PCs of that stack. Each further word is
 * MEMPHIS_PC_PYTHON with the number of a line in PYTHON_LINES. These are the lines that the thread executed,
 * innermost first.
 */
struct memphis_stack {
	__u32 id;
	__u32 depth; /* number of PCs, which follow: __u64 pc[depth] */
};

/* Flags in the upper bits of a word. No address of a program has these bits. */
#define MEMPHIS_PC_KIND(pc)   ((pc)&0xf000000000000000u)
#define MEMPHIS_PC_STACK      0x8000000000000000u
#define MEMPHIS_PC_PYTHON     0x9000000000000000u
#define MEMPHIS_PC_NUMBER(pc) ((__u32)(pc))

/*
 * CHAINS: return addresses of calls that led to a sampled instruction, innermost first; the first one is in the caller of the
 * function that contains the instruction. Ids start at 1, are valid within the thread file, and are defined before CALLERS refers
 * to them. The last PC need not be in the outermost frame.
 *
 * CALLERS: `count` entries for samples of the preceding SAMPLES chunk whose instruction is not in the program's own code
 * (key program_code of SETTINGS), sorted by sample:
 *	varint	number of samples between the previous entry's sample and this one; the first entry: before this one
 *	varint	2 * id in CHAINS, or 2 * reason + 1, enum memphis_no_callers
 */
#define MEMPHIS_CALLERS_CODE_BYTES_MAX 20 /* upper bound on the size of an encoded entry */

enum memphis_no_callers {
	MEMPHIS_NO_CALLERS_LOST = 1, /* the ring of stacks was full */
	MEMPHIS_NO_CALLERS_KERNEL =
		2, /* the interrupt hit the kernel, where the registers are not the program's */
	MEMPHIS_NO_CALLERS_SKID = 3,    /* the interrupt hit another function than that of the sample */
	MEMPHIS_NO_CALLERS_NO_RULE = 4, /* a function without usable call frame information */
	MEMPHIS_NO_CALLERS_SHORT = 5,   /* the copied part of the stack ended before a frame of the program */
	MEMPHIS_NO_CALLERS_NO_MEMORY = 6, /* memory was exhausted, or there are too many chains */
	MEMPHIS_NO_CALLERS_BUDGET = 7,    /* the module copied no stack: memphis_query.stack_budget */
	MEMPHIS_NO_CALLERS_REASONS = 8
};

/*
 * FRAMES: frames of the thread's own stack that contain data of samples. Each entry has one frame, and its
 * `depth` is the number of words of the frame. Ids are as in CHAINS.
 *
 * IN_FRAMES: `count` entries for samples of the preceding SAMPLES chunk whose data is on the thread's own
 * stack. They are encoded as in CALLERS, with ids in FRAMES.
 */
struct memphis_sampled_frame {
	__u64 pc;      /* return address of the call to the next inner frame; in the innermost frame: the
		   * instruction's address plus 1 */
	__u64 low;     /* lowest address of the frame: the stack pointer; in the innermost frame: an
		        * address below it */
	__u64 cfa, bp; /* as in struct memphis_stack_frame */
	__u64 flags;   /* MEMPHIS_FRAME_* */
};

#define MEMPHIS_FRAME_INNERMOST 0x1
#define MEMPHIS_FRAME_NO_BP     0x2 /* bp is unknown */
#define MEMPHIS_FRAME_WORDS     (sizeof(struct memphis_sampled_frame) / 8)

/*
 * STACK_FRAMES: the frames that were on the thread's stack while its outermost caliper was open, innermost
 * first. These are the frames that were found both when the caliper was opened and when it was closed. A
 * record is valid from its time_ns to the time_ns of the next record. If depth is 0, no frames are known.
 */
struct memphis_stack_frames {
	__u64 time_ns; /* when the caliper was opened */
	__u64 low;     /* lowest address of the innermost frame */
	__u32 depth;   /* struct memphis_stack_frame frames[depth] follow */
	__u32 same_sp; /* 1: the innermost frame's stack pointer was `low` when the caliper was opened and closed */
};

struct memphis_stack_frame {
	__u64 cfa; /* DWARF canonical frame address: end of this frame, and start of its caller's frame */
	__u64 bp;  /* register rbp in this frame */
	__u64 pc;  /* return address of the call that led to memphis_begin() */
	__u64 end_pc; /* return address of the call that led to memphis_end(); equal to pc except in the innermost frame */
};

/*
 * REGION_TIMES: the counts of this thread's calipers for a region, up to now. Only regions with changed
 * numbers are written, at least every half second, and when the thread or the process ends. All numbers are
 * exclusive: they do not contain inner regions. No number ever decreases. Real time includes the time of an
 * open caliper. Cycles, instructions and events end at the last change of the thread's region.
 */
#define MEMPHIS_REGION_EVENTS 6

struct memphis_region_time {
	__u32 region;   /* id in REGIONS */
	__u32 reserved; /* 0 */
	__u64 calls;    /* calls of memphis_begin() or its equivalents */
	__u64 ns;       /* real time */
	__u64 cpu_ns;   /* CPU time of the thread while the region was its outermost one, including inner
		       * regions; otherwise 0 */
	__u64 cycles;   /* cycles and instructions in user mode; 0 unless counted (region_counters of
		       * SETTINGS) */
	__u64 instructions;
	__u64 events[MEMPHIS_REGION_EVENTS]; /* in the order of region_events of SETTINGS; further
					      * elements are 0 */
};

/*
 * SPANS: begin and end of each caliper of this thread, down to the depth `spans` of SETTINGS. The depth of a
 * span follows from its region. An ended span is written after the spans inside it. If a span is open for
 * half a second, or when its file is finished, it gets a record with end_ns 0. When it has ended, it gets a
 * second record with the same begin_ns and region.
 */
struct memphis_region_span {
	__u64 begin_ns; /* CLOCK_MONOTONIC */
	__u64 end_ns;   /* 0: open */
	__u32 region;   /* id in REGIONS */
	__u32 reserved; /* 0 */
};

/*
 * MPI: sums over the calls of an MPI function that this thread made inside a region, by partner, up to now.
 * Only changed sums are written, at the same times as REGION_TIMES. No sum ever decreases. The time waited is
 * known only at the end of the job, when the ranks have compared their times. It is in the file of the thread
 * that called MPI_Finalize().
 *
 * IO: the same records for calls of I/O functions of the C library and of MPI (MPI_File_*). The partner is
 * MEMPHIS_MPI_FILE plus the number of the file in FILES, or MEMPHIS_MPI_FILE if the file has no number.
 * Written bytes are in sent_bytes, read bytes in received_bytes. Such calls wait for no other rank.
 */
struct memphis_mpi_sum {
	__u32 region;  /* id in REGIONS of a region that is named after the function and is inside the
		       * calling region; 0: unknown */
	__s32 partner; /* rank in MPI_COMM_WORLD, or MEMPHIS_MPI_* */
	__u64 calls;
	__u64 sent, received; /* messages between two ranks */
	__u64 sent_bytes, received_bytes;
	__u64 ns;
	__u64 waits;     /* messages and collective calls in which the rank may have waited for another one */
	__u64 known;     /* number of these `waits` for which the time waited is known */
	__u64 waited_ns; /* time waited for the partner: the sender, or the rank that entered the
			  * collective call last */
};

#define MEMPHIS_MPI_NONE -1 /* the call has no partner, or several partners */
/* the thread has too many partners, or the partner is not in MPI_COMM_WORLD */
#define MEMPHIS_MPI_OTHERS -2
#define MEMPHIS_MPI_FILE   0x40000000 /* this value and above: a file */

/*
 * MPI_EVENTS: the messages that this thread sent and received, and its collective calls, in the order of
 * their ends. The call that begins to send a message is its send event. The call that completes the receive
 * is its receive event. A non-blocking collective call has the times of the call that begins it.
 */
enum memphis_mpi_event_kind { MEMPHIS_MPI_SEND = 1, MEMPHIS_MPI_RECEIVE = 2, MEMPHIS_MPI_COLLECTIVE = 3 };

struct memphis_mpi_event {
	__u64 begin_ns, end_ns; /* times of the call; CLOCK_MONOTONIC */
	__u64 comm; /* identity of the communicator, the same in all its members; 0: unknown. mpi_world of
		     * SETTINGS is the identity of MPI_COMM_WORLD */
	__u64 sent_bytes, received_bytes;
	__u32 region;  /* id in REGIONS, as in struct memphis_mpi_sum */
	__s32 partner; /* rank in MPI_COMM_WORLD of the other rank of the message or of the root of the
		        * collective call, or MEMPHIS_MPI_* */
	__s32 tag;     /* tag of the message */
	__u32 kind;    /* enum memphis_mpi_event_kind */
};

enum memphis_allocation_kind {
	MEMPHIS_ALLOCATION_MALLOC = 1, /* also calloc, aligned variants, operator new */
	MEMPHIS_ALLOCATION_FREE = 2,   /* also operator delete; size_bytes and stack are 0 */
	MEMPHIS_ALLOCATION_MAP = 3,    /* mmap, anonymous or of a file */
	MEMPHIS_ALLOCATION_UNMAP =
		4, /* munmap of a range, which may cover parts of maps; size 0: shmdt of the segment at the address */
	MEMPHIS_ALLOCATION_SHARE =
		5, /* map of shared memory: shmat; mmap of shm_open(), memfd or MAP_SHARED | MAP_ANONYMOUS */
	MEMPHIS_ALLOCATION_SMALL = 6, /* as MALLOC, of a small block that was taken at random, see below */
	MEMPHIS_ALLOCATION_PART =
		7, /* a part of a larger block, handed out by a pool of the program, see below */
	MEMPHIS_ALLOCATION_PART_FREE = 8, /* release of the pool's part that begins at the address */
	MEMPHIS_ALLOCATION_POOL_RESET = 9 /* release of all parts of the pool; they lie in the given range */
};

/*
 * SMALL: all blocks of at least alloc_min_bytes of SETTINGS are recorded. Smaller blocks are sampled by
 * bytes: a block of s bytes is recorded with probability 1 - exp(-s / previous), independently of all others.
 * `previous` is at first small_bytes of SETTINGS, and is doubled when many blocks have been recorded. A
 * realloc() to a small size counts as a release and a new block. A block that is released shortly after its
 * allocation is left out, unless a sample fell into the same aligned MEMPHIS_SMALL_EXTENT_BYTES at about that
 * time. The records of an extent are therefore complete for the time of any sample in it.
 */
#define MEMPHIS_SMALL_EXTENT_BYTES 65536

/*
 * PART, PART_FREE, POOL_RESET: a pool (memphis_pool_create()) hands out parts of memory that has another owner: a block, a map, a static
 * array. A part that overlaps a live part of its own pool ends that one; a part inside a live part of another pool is the
 * innermost owner of its memory. The release of the block or map around it ends a part. `previous`:
 *	bits 0 to 31	number of the pool, unique in the process, from 1
 *	bits 32 to 47	PART: number of the pool's name in PART_NAMES, 0 = none
 *	bits 48 to 63	PART: number of the part's own name, 0 = none
 * The records of a pool's reset and of the parts that it releases are left out if no sample can lie in these parts.
 */
#define MEMPHIS_PART_POOL(previous)      ((__u32)(previous))
#define MEMPHIS_PART_POOL_NAME(previous) ((__u32)((previous) >> 32) & 0xffff)
#define MEMPHIS_PART_NAME(previous)      ((__u32)((previous) >> 48))

/*
 * An allocation or release. The time stamp of a release is taken before the release, that of an allocation
 * after it. Sorting the events of all threads by time therefore yields their true order at each address.
 *
 * realloc() is recorded as a FREE, followed in the thread's file by a MALLOC whose `previous` is the old
 * address. The new block is the same variable as the old one. mremap() is recorded in the same way, as an
 * UNMAP and a MAP.
 */
struct memphis_allocation {
	__u64 time_ns;
	__u64 address;
	__u64 size_bytes; /* as requested */
	__u64 previous;   /* realloc, mremap: the old address if the old block was recorded, otherwise 0;
			 * SMALL, PART: see above */
	__u32 stack;      /* id in STACKS of the same file; 0 = none */
	__u32 kind;       /* enum memphis_allocation_kind */
};

/* HOLDERS: a word of writable static memory that contained the start address of a live, tracked block. */
struct memphis_holder {
	__u64 time_ns;
	__u64 slot;  /* address of the word */
	__u64 block; /* value of the word: start address of the block */
};

/*
 * COUNTER_METRICS: the counters read around the samples, one line per counter.
 *	id	starts at 1; 0 in lines of kind "refused" or "lost"
 *	source	numastat, vmstat, net, io, uncore, pcp, papi
 *	scope	"process"; or "host": the same for all processes of the machine, must not be summed over them
 *	kind	"counter": increase since the first reading; "gauge": current value;
 *		"refused": there is no such metric, or it can't be read; "lost": the source has stopped responding
 *	node	NUMA node that the counter belongs to, or "-"
 *	unit	"bytes", "pages", "count", "ns" ...; "-": none
 *	name	with kind "refused" and "lost": the name, ": " and the reason
 */
struct memphis_counter_value {
	__u64 time_ns; /* CLOCK_MONOTONIC after the value was read */
	__u64 took_ns; /* duration of the reading */
	double value;
	__u32 metric; /* id in COUNTER_METRICS */
	__u32 flags;  /* MEMPHIS_COUNTER_GAP or 0 */
};

#define MEMPHIS_COUNTER_GAP \
	0x1 /* counter: the increase since the previous value is unknown, and is not included in `value` */

/*
 * COUNTER_MARKS: from time_ns on, `region` is the region of the leading thread's outermost caliper; 0: no
 * caliper is open. The leading thread is the thread that opened the outermost caliper of the process.
 */
struct memphis_counter_mark {
	__u64 time_ns;
	__u32 region;
	__u32 reserved; /* 0 */
};

#ifdef __x86_64__
/*
 * Returns the CRC-32C (Castagnoli) of `bytes` bytes at `data`, continued from `crc` (initially 0). Requires SSE 4.2, which every
 * CPU with IBS op sampling or PEBS load latency has; readers on other machines need a different implementation.
 */
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

#define MEMPHIS_SUM_WHOLE_BYTES (1u << 20) /* only a part of a larger file is summed */

/*
 * Selects the bytes whose CRC-32C is a part of the identity of a mapped file without build-id (MAPS). These
 * are all bytes of a small file, and both ends and some blocks in between of a larger file. Stores the bounds
 * of part number `part` (from 0) in *from and *to. Returns 0 after the last part.
 */
static inline int memphis_summed_part(__u64 bytes, unsigned int part, __u64 *from, __u64 *to)
{
	const __u64 end = 64u << 10, block = 4096;
	const unsigned int last = bytes > MEMPHIS_SUM_WHOLE_BYTES ? 16 : 0;

	*from = part == last && last ? bytes - end : part * (bytes / 16);
	*to = !last || part == last ? bytes : *from + (part ? block : end);
	return part <= last;
}

#endif
