/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ABI of /dev/memphis, the interface between memphis.ko and libmemphis.
 *
 * An open file is a session. The process that opened the file attaches threads (its own, or threads of other processes that it
 * may inspect), maps their rings, and starts and stops sampling for all attached threads at once. All integers are in native
 * byte order. Reserved fields must be zero, and unknown flags are rejected (EINVAL).
 *
 *	fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
 *	page = mmap(..., fd, 0);			the session's page; a session lasts as long as one of its areas is mapped
 *	ioctl(fd, MEMPHIS_IOC_AGREE, &agreement);	which version of this interface both sides speak; without it, the oldest
 *	ioctl(fd, MEMPHIS_IOC_QUERY, &query);		capabilities of the hardware, and limits
 *	ioctl(fd, MEMPHIS_IOC_CONFIGURE, &config);	once, before the first thread is attached
 *	ioctl(fd, MEMPHIS_IOC_ATTACH, &attach);		once per thread; then mmap the thread's two areas
 *	ioctl(fd, MEMPHIS_IOC_START); ... ioctl(fd, MEMPHIS_IOC_STOP);
 *	ioctl(fd, MEMPHIS_IOC_READ, &counters);		counters of the caller, if configured
 *	ioctl(fd, MEMPHIS_IOC_CONTROLLERS, &traffic);	traffic of the machine's memory, if root has switched it on
 *	poll(fd) reports POLLIN when a ring holds at least wakeup_records records
 *	ioctl(fd, MEMPHIS_IOC_DETACH, &tid);
 *
 * Memory map (offsets in bytes; a page is 4096 bytes):
 *	0				struct memphis_control of the session, one page, read-write
 *	attach.control_offset		struct memphis_control of the thread, one page, read-write
 *	attach.ring_offset		struct memphis_status of the thread, one page, then the ring's
 *					records, then at attach.ring_offset + attach.stacks_at the
 *					ring of stacks, if the session has one; attach.ring_bytes in
 *					total; read-only (PROT_WRITE: EPERM)
 * If the descriptor was opened for reading only, all areas are mapped read-only. mmap() fails with EINVAL unless the
 * mapping covers a whole area and is MAP_SHARED, and with EPERM if PROT_EXEC is requested. A mapping keeps the memory
 * allocated and charged to the budget until it is unmapped. A child process inherits the mappings across fork(), and
 * should discard its pointers to them. poll() in another process reports POLLERR.
 *
 * The session belongs to the process that opened it, as long as this process maps an area of the session. The last
 * mapping disappears by munmap(), at the end of the process, or when the process executes another program. Shortly
 * afterwards, sampling is stopped and all threads are detached. Only mappings count, and descriptors do not, not even
 * the owner's. Mappings of a process that shares the memory count, those of children do not. If a mapping replaces the
 * last one (MAP_FIXED), it may come too late, so map the session's page elsewhere first.
 *
 * Any task with the memory in which the session was opened may make requests: the threads of that process, and others that share its
 * memory (CLONE_VM, vfork()). They are serialised per session.
 * Errors of all ioctls:
 *	ENOTTY	unknown request
 *	EFAULT	bad pointer
 *	EINVAL	unknown flag, non-zero reserved field, or value out of range
 *	EPERM	the caller does not have the memory in which the session was opened
 * Errors of open():
 *	EACCES	the permissions of the device do not allow it
 *	EDQUOT	ring_budget_bytes would be exceeded
 *	ENOMEM	memory is exhausted
 */
#ifndef MEMPHIS_DEVICE_H
#define MEMPHIS_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "sample.h"

/*
 * Versions of this interface. The module and the library each know a range of versions. A session uses the
 * newest version that both know, so that they may be updated one after the other. Version 2 is version 1 with
 * MEMPHIS_IOC_AGREE. If a structure grows, it gets another request number, and the module keeps the former
 * request as long as it supports that version.
 */
#define MEMPHIS_ABI        2
#define MEMPHIS_ABI_OLDEST 1

struct memphis_agreement {
	__u32 oldest;   /* in: the oldest version that the caller knows; out: the oldest that the module
			 * knows */
	__u32 newest;   /* in: the newest version that the caller knows; out: the newest that the module
			 * knows */
	__u32 abi;      /* out: the version of the session; 0: the ranges have no version in common */
	__u32 reserved; /* 0 */
};

#define MEMPHIS_HARDWARE_IBS  1 /* AMD Instruction-Based Sampling, op samples */
#define MEMPHIS_HARDWARE_PEBS 2 /* Intel PEBS: load latency, and loads by source */

#define MEMPHIS_SAMPLER_TASK 1 /* perf events of each attached thread */
#define MEMPHIS_SAMPLER_CPU  2 /* one perf event per CPU; the module assigns interrupts to threads */

#define MEMPHIS_COUNT_OPS    0 /* period counts dispatched micro-ops */
#define MEMPHIS_COUNT_CYCLES 1 /* period counts core cycles */
#define MEMPHIS_COUNT_LOADS  2 /* PEBS: period counts the loads that the event counts */

/* Filters: kinds of accesses that the interrupt handler drops. enum memphis_reason has a reason for each of these flags. */
#define MEMPHIS_DROP_LOADS  0x1 /* pure loads */
#define MEMPHIS_DROP_STORES 0x2 /* pure stores */
#define MEMPHIS_DROP_NOT_DRAM \
	0x4 /* accesses not served by DRAM or extension memory; includes all pure stores */
#define MEMPHIS_DROP_LOCAL \
	0x8 /* loads not flagged remote; stores whose home node is the accessing node or unknown */
#define MEMPHIS_DROPS 0xf

/*
 * Filters of the hardware (AMD IBS, docs/hardware.md). The hardware raises no interrupt for the ops that it
 * drops, so they are not in any accounting. Only loads that missed the L3 remain. A dropped op restarts the
 * period.
 */
#define MEMPHIS_HARDWARE_FILTER_NONE    0
#define MEMPHIS_HARDWARE_FILTER_L3_MISS 1 /* drops all ops but loads that missed the L3 */
#define MEMPHIS_HARDWARE_FILTER_LATENCY \
	2 /* also drops loads that took at most min_latency_cycles, rounded down to a step below */
#define MEMPHIS_HARDWARE_FILTERS 3

/* Thresholds of MEMPHIS_HARDWARE_FILTER_LATENCY: multiples of the step, up to the maximum. */
#define MEMPHIS_HARDWARE_LATENCY_STEP 128
#define MEMPHIS_HARDWARE_LATENCY_MAX  2048

/* Counters of each attached thread of the caller's process in user mode. MEMPHIS_IOC_READ reads them. */
#define MEMPHIS_COUNTER_CYCLES       0 /* core cycles while not halted */
#define MEMPHIS_COUNTER_INSTRUCTIONS 1 /* retired instructions */
/* The following counters are the events of memphis_config.counter_events, in this order. */
#define MEMPHIS_COUNTER_EVENT_FIRST 2
#define MEMPHIS_COUNTER_EVENTS_MAX  6
#define MEMPHIS_COUNTERS_MAX        (MEMPHIS_COUNTER_EVENT_FIRST + MEMPHIS_COUNTER_EVENTS_MAX)

/*
 * An event of the core's PMU, as in struct perf_event_attr. The module accepts the types PERF_TYPE_HARDWARE,
 * PERF_TYPE_HW_CACHE and PERF_TYPE_RAW. For raw events, it accepts the event code and umask, and the edge,
 * inv and cmask bits. It accepts no raw event that needs a further register or counts outside the core
 * (docs/security.md).
 */
struct memphis_counter_event {
	__u32 type;
	__u32 reserved; /* 0 */
	__u64 config;
};

struct memphis_query {
	__u32 abi;      /* version of the session; MEMPHIS_ABI_OLDEST of the module if nothing was agreed */
	__u32 hardware; /* MEMPHIS_HARDWARE_* */
	__u32 sampler;  /* MEMPHIS_SAMPLER_* */
	__u32 counts;   /* bit n is set if MEMPHIS_COUNT_* n is supported */
	__u32 drops;    /* supported MEMPHIS_DROP_* flags */
	__u32 hardware_capabilities; /* IBS: CPUID 8000_001B EAX; PEBS: low half of IA32_PERF_CAPABILITIES */
	__u64 period_min;            /* higher with SAMPLER_CPU, which interrupts all CPUs */
	__u64 period_max;            /* longest period with one interrupt per sample */
	__u64 period_step;           /* periods are multiples of this value */
	__u32 ring_records_max;
	__u32 threads_max;       /* per session */
	__u64 ring_budget_bytes; /* limit on the memory pinned by all sessions of a user */
	char version[32];        /* of the module, NUL-terminated */
	char pmu[32];            /* name of the perf PMU in use */
	__u32 events;            /* bit n is set if enum memphis_sampling_event n is supported */
	/*
	 * Bit n is set if CPU and kernel support MEMPHIS_HARDWARE_FILTER_* n. Bit 0 is always set. CONFIGURE
	 * shows whether the site allows sessions with a filter.
	 */
	__u32 hardware_filters;
	/* The next member and filter_period_min replace `sampler` and `period_min` in sessions with a hardware filter. */
	__u32 filter_sampler;
	__u32 counters; /* bit n is set if MEMPHIS_COUNTER_* n is supported */
	__u64 filter_period_min;
	__u32 controllers;  /* number of entries that MEMPHIS_IOC_CONTROLLERS returns; 0: root has not
			    * switched them on */
	__u32 stack_budget; /* average number of stack bytes that are copied for each interrupt of a CPU */
};

struct memphis_config {
	__u64 period;             /* in units of `count` */
	__u32 count;              /* MEMPHIS_COUNT_* */
	__u32 drop;               /* MEMPHIS_DROP_* */
	__u32 min_latency_cycles; /* loads with a shorter latency and pure stores are dropped; 0 = off.
				   * PEBS: such loads do not advance the period either, and 0 selects
				   * the hardware's minimum, 3. If sessions with different values run
				   * on a CPU at the same time, perf alternates between them */
	__u32 ring_records;       /* capacity of each thread's ring; a power of two */
	__u32 wakeup_records;     /* 1 .. ring_records */
	/*
	 * Bit n selects enum memphis_sampling_event n. 0 selects MEMPHIS_EVENT_ACCESS. Several events that
	 * sample loads by their source can be selected. They have the same period. They can't be selected
	 * together with MEMPHIS_EVENT_ACCESS, which samples the same loads. Their samples have no latency, so
	 * min_latency_cycles must be 0.
	 */
	__u32 events;
	/*
	 * MEMPHIS_HARDWARE_FILTER_*. LATENCY requires min_latency_cycles of at least MEMPHIS_HARDWARE_LATENCY_STEP. The module
	 * samples such a session per CPU (memphis_query.filter_sampler), because each stop of an event shortens its period.
	 */
	__u32 hardware_filter;
	/*
	 * Number of bytes of the user's stack to copy, from the stack pointer upwards: a multiple of 8, up to
	 * MEMPHIS_STACK_BYTES_MAX. 0: no stacks are copied. If the pc of a sample is in none of the ranges of
	 * struct memphis_program, all these bytes are copied. For other samples, a stack is copied only if
	 * their data is on the thread's stack, and only the bytes below the data.
	 */
	__u32 stack_bytes;
	__u32 stack_records; /* capacity of each thread's ring of stacks: a power of two, up to ring_records; 0
				* without stacks */
	__u32 counters;      /* bit n selects MEMPHIS_COUNTER_* n */
	/* zero unless their bits are set in `counters` */
	struct memphis_counter_event counter_events[MEMPHIS_COUNTER_EVENTS_MAX];
};

#define MEMPHIS_STACK_BYTES_MAX 16384

struct memphis_attach {
	__s32 tid; /* in: the thread; 0 = the caller */
	/*
	 * In: 0 if the thread belongs to the calling process. For a thread of another process, an open
	 * descriptor of that process's /proc/PID/environ or /proc/PID/auxv. It proves that the kernel allows
	 * the caller to look at the process (ptrace(2), "Ptrace access mode checking":
	 * PTRACE_MODE_READ_FSCREDS). If the session has stacks, a descriptor of /proc/PID/mem, which proves
	 * that the caller may read the process's memory (PTRACE_MODE_ATTACH_FSCREDS).
	 */
	__s32 memory;
	__u64 control_offset; /* out */
	__u64 ring_offset;    /* out */
	__u64 ring_bytes;     /* out */
	__u64 stacks_at;      /* out: offset of the ring of stacks in the thread's read-only area; 0: none */
};

struct memphis_stats {
	__u64 unattached; /* SAMPLER_CPU: interrupts that hit no attached thread of any running
				 * session; machine-wide, since the module was loaded */
	__u64 ring_bytes; /* memory pinned by this session */
	__u32 threads;    /* currently attached */
	__u32 running;    /* 1 between START and STOP */
	/* The following members are sums since the session was last configured. */
	__u64 starved_ns; /* part of enabled_ns in which this session's events did not count, because other perf
				 * events used the hardware */
	__u64 enabled_ns; /* time for which this session's events were enabled: CPU time, summed over its
				 * threads, and averaged over several events of a thread; SAMPLER_CPU: time
				 * between START and STOP, summed over all CPUs */
	/*
	 * Indexed by enum memphis_sampling_event: the number of events in this session's threads, including
	 * those after the last sample. Events are not counted while the event was starved or throttled. PEBS:
	 * only events in user mode. SAMPLER_CPU: 0.
	 */
	__u64 counts[MEMPHIS_EVENTS_MAX];
	__u64 reserved[2];
};

/* Values of the counters, indexed by MEMPHIS_COUNTER_*; 0 if the session does not select the counter. */
struct memphis_reading {
	__u64 values[MEMPHIS_COUNTERS_MAX];
};

#define MEMPHIS_CONTROLLER_READ  0 /* bytes that were read from memory */
#define MEMPHIS_CONTROLLER_WRITE 1 /* bytes that were written to memory */

#define MEMPHIS_CONTROLLERS_MAX        48
#define MEMPHIS_CONTROLLER_NAME_LENGTH 64

/*
 * Counts of the memory controllers of a node since the session was opened. They include all processes and
 * devices of the machine. Entries with the same node and kind but different names count different parts of
 * the traffic, such as the two subchannels of Granite Rapids. Add them up.
 */
struct memphis_controller {
	char name[MEMPHIS_CONTROLLER_NAME_LENGTH]; /* names of PMU and event, NUL-terminated: "amd_umc
						    * cas_read" */
	__s32 node;                                /* -1: unknown, or several nodes, which are in the name */
	__u32 kind;                                /* MEMPHIS_CONTROLLER_* */
	__u64 bytes;                               /* counted in running_ns */
	__u64 enabled_ns; /* time in which the counters were enabled, summed over the counters of the
			   * entry */
	__u64 running_ns; /* time in which they counted; less than enabled_ns if other perf events used
			   * the hardware */
};

struct memphis_controllers {
	__u32 count; /* entries that are filled in */
	__u32 reserved;
	struct memphis_controller entries[MEMPHIS_CONTROLLERS_MAX];
};

/*
 * Control page. User space writes it, and the interrupt handler reads it without trusting the values. The
 * members that the thread writes and those that the drain writes are on separate cache lines.
 */
struct memphis_control {
	__u32 region; /* region of the samples; 0 in a thread's page: use the region in the session's page */
	__u32 pad0;
	__u64 stack_low, stack_high; /* thread's page only: bounds of the thread's stack; 0, 0: unknown */
	__u64 pad2[5];
	__u64 tail;       /* thread's page only: records consumed so far; at most status.head */
	__u64 stack_tail; /* thread's page only: stacks consumed so far; at most status.stack_head */
	__u64 pad1[6];
};

/*
 * Address ranges of the program's own code. No stack is copied for samples there, with the exception in
 * memphis_config.stack_bytes. The structure is in the session's control page, MEMPHIS_PROGRAM_OFFSET bytes
 * from its start. User space may write it at any time, and the handler does not trust it. While the ranges
 * change, set `count` to 0, and afterwards to their number. A count above the maximum is taken as 0.
 */
#define MEMPHIS_PROGRAM_OFFSET     1024
#define MEMPHIS_PROGRAM_RANGES_MAX 128

struct memphis_program {
	__u32 count;
	__u32 pad[15];
	struct {
		__u64 start, end;
	} ranges[MEMPHIS_PROGRAM_RANGES_MAX];
};

/*
 * Status page of a thread. Only the kernel writes it. `sequence` is the counter of a seqlock, and is odd
 * while the handler changes the accounting. To read consistently, read the counter, the fields, and the
 * counter again, and retry if the counter was odd or has changed. The i-th record since the thread was
 * attached is records[i & (ring_records - 1)]. It is valid for i in [tail, head). Load `head` with acquire
 * semantics before reading records, and store `tail` with release semantics afterwards.
 */
struct memphis_status {
	__u32 sequence;
	__u32 exited; /* 1: the thread has ended; no more records will follow */
	__u64 head;
	struct memphis_accounting accounting;
	__u64 stack_head; /* stacks written so far; written before the head that contains their samples */
};

/*
 * Copy of the top of the thread's stack. The i-th stack since the thread was attached is at index i modulo
 * stack_records in the ring of stacks. An entry has sizeof(struct memphis_user_stack) + stack_bytes bytes. It
 * is valid for i in [stack_tail, stack_head). If a sample outside the ranges of struct memphis_program has no
 * stack, the ring of stacks was full. A sample inside these ranges has a stack only if its data is on the
 * thread's stack and the interrupt did not hit the kernel.
 *
 * AMD IBS: the registers are those of the interrupt, which comes some instructions later, possibly in another
 * function. `ip` is then the address of the first instruction that had not been executed. Intel PEBS: the
 * registers are those after the sampled instruction, and `ip` is the address of that instruction.
 */
struct memphis_user_stack {
	__u64 sample; /* number of its sample since the thread was attached */
	__u64 ip, sp, bp;
	__u32 bytes; /* copied from `sp` upwards: fewer than stack_bytes at the end of the stack, or if no more were wanted, and 0
			* with MEMPHIS_STACK_IN_KERNEL */
	__u32 flags;
	/* __u8 stack[stack_bytes] */
};

#define MEMPHIS_STACK_IN_KERNEL \
	0x1 /* the interrupt hit the kernel: the registers are not those of the program, and are 0 */
#define MEMPHIS_STACK_OVER_BUDGET \
	0x2 /* no bytes were copied, because memphis_query.stack_budget was used up */

#define MEMPHIS_PAGE_BYTES 4096

/*
 * Bytes that an attached thread charges to the budget in addition to its two areas, until the thread is
 * detached. The charge covers the task, the perf event and the slot of the thread, which the kernel keeps
 * even after the thread has ended. For comparison: on Linux 6.12, a thread with a ring of one record takes
 * 32.5 kB of the caller's cgroup.
 */
#define MEMPHIS_THREAD_BYTES 24576

/*
 * Bytes charged to the budget for each further event of an attached thread (memphis_config.events) and for
 * each counter. On Linux 6.12, perf uses 1312 of them.
 */
#define MEMPHIS_EVENT_BYTES 2048

/*
 * Bytes that an open session charges to the budget in addition to its control page. The charge covers the
 * open file and the root of the opener's page tables, which the kernel keeps even after that process has
 * ended.
 */
#define MEMPHIS_SESSION_BYTES 16384

/*
 * Type byte of the ioctl requests. No other driver uses it: Documentation/userspace-api/ioctl/ioctl-number.rst of Linux does not
 * list it, and no header of Linux 7.2 contains it. Memphis uses numbers 00 to 1F.
 */
#define MEMPHIS_IOC_MAGIC 0xD6
/* The comment above each request lists its errors, in addition to the errors of all ioctls. */
#define MEMPHIS_IOC_QUERY _IOR(MEMPHIS_IOC_MAGIC, 0, struct memphis_query)
/*
 * Sets the configuration of the session. The times and counts of struct memphis_stats start from zero: those of another
 * configuration may be of another kind.
 *	EBUSY	threads are attached
 *	EACCES	the site does not allow sessions with a filter of the hardware (module parameter hardware_filters)
 *	EACCES, EPERM, or another error that it chooses: a security module of the kernel refuses perf to the caller
 *	EPERM	the configuration has stacks, and the kernel is locked down for confidentiality
 *	ENOSPC	a CPU does not count all selected counters, of which one is an event, at the same time beside the samples and what the
 *		calling thread has already
 *	ENOENT, EOPNOTSUPP and others of perf_event_open(2): perf refuses an event of `counter_events`
 */
#define MEMPHIS_IOC_CONFIGURE _IOW(MEMPHIS_IOC_MAGIC, 1, struct memphis_config)
/*
 * Attaches a thread. If the session is running, the thread is sampled immediately. A thread that executes another program is no
 * longer sampled.
 *	ESRCH	no such thread in the calling process; if `memory` is given: in any process
 *	EBADF	`memory` is not an open descriptor
 *	EACCES	`memory` does not refer to the address space of the thread, or is not /proc/PID/mem and the session has stacks
 *	ENOTCONN	the process maps no area of the session
 *	EEXIST	the thread is already attached, by any session
 *	ENODATA	the session is not configured
 *	EDQUOT	ring_budget_bytes would be exceeded
 *	ENOMEM	no memory for the ring, on the node or in the caller's cgroup
 *	ENOSPC	threads_max threads are attached
 *	EBUSY	the PMU is in use: by a session of the other sampler, or SAMPLER_CPU: by perf, or by a session with
 *		another period, count or filter of the hardware
 * Other errors are returned as perf reports them.
 */
#define MEMPHIS_IOC_ATTACH _IOWR(MEMPHIS_IOC_MAGIC, 2, struct memphis_attach)
/*
 * Detaches a thread. The argument points to the thread ID; 0 means the caller. Threads that have ended can be detached; if a thread
 * ID was reused, the ended thread is detached first. On return the thread's accounting is final; existing mappings stay readable.
 * ESRCH: no such thread is attached.
 */
#define MEMPHIS_IOC_DETACH _IOW(MEMPHIS_IOC_MAGIC, 3, __s32)
/* Starts sampling. EALREADY: sampling is already on. ENODATA: the session is not configured. EBUSY: as for ATTACH. */
#define MEMPHIS_IOC_START _IO(MEMPHIS_IOC_MAGIC, 4)
/*
 * Stops sampling. On return no interrupt handler of this session is running, and the accounting is consistent.
 * EALREADY: sampling is off.
 */
#define MEMPHIS_IOC_STOP  _IO(MEMPHIS_IOC_MAGIC, 5)
#define MEMPHIS_IOC_STATS _IOR(MEMPHIS_IOC_MAGIC, 6, struct memphis_stats)
/*
 * Reads the counters of the calling thread: what it has executed since it was attached, whether the session is running or not.
 * Takes about a microsecond.
 *	ESRCH	the caller is not attached by this session
 *	ENODATA	the session selects no counters, or perf gave this thread none
 *	EBUSY	a counter is no longer available: another perf event with precedence needed the hardware
 */
#define MEMPHIS_IOC_READ _IOR(MEMPHIS_IOC_MAGIC, 7, struct memphis_reading)
/*
 * Reads the counters of the memory controllers: what they have counted since the session was opened. No thread needs to be attached,
 * and the session needs no configuration. Interrupts the CPU of each counter once.
 *	EACCES	root has not switched the counters on (module parameter controllers; memphis node --controllers on)
 *	EACCES, EPERM, or another error: a security module of the kernel refuses perf to the caller
 *	ESTALE	root has switched the counters on, again or for the first time, after the session was opened: open another one
 *	ENXIO	a counter has gone away with its CPU, and counts no more until root switches the counters on again
 *	ENOMEM	memory is exhausted
 */
#define MEMPHIS_IOC_CONTROLLERS _IOR(MEMPHIS_IOC_MAGIC, 8, struct memphis_controllers)
/*
 * Agrees on the version of this interface that the session has, before it is configured. This request never changes. A module of version 1
 * does not know it.
 *	EINVAL	`oldest` is 0 or above `newest`, or `reserved` is not 0
 *	EBUSY	the session is configured
 */
#define MEMPHIS_IOC_AGREE _IOWR(MEMPHIS_IOC_MAGIC, 9, struct memphis_agreement)

#endif
