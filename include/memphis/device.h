/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ABI of /dev/memphis, between memphis.ko and libmemphis.
 *
 * One open file is one session. The process that opened it attaches threads, its own or those of processes that it may
 * look at, maps their rings, and starts and stops sampling for all of them at once. All integers are native-endian;
 * every reserved field must be zero, every unknown flag is refused (EINVAL).
 *
 *	fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, MEMPHIS_IOC_QUERY, &query);		what can this machine do
 *	ioctl(fd, MEMPHIS_IOC_CONFIGURE, &config);	once, before the first attach
 *	ioctl(fd, MEMPHIS_IOC_ATTACH, &attach);		per thread; then mmap its two areas
 *	ioctl(fd, MEMPHIS_IOC_START); ... ioctl(fd, MEMPHIS_IOC_STOP);
 *	poll(fd): POLLIN when a ring holds wakeup_records or more
 *	ioctl(fd, MEMPHIS_IOC_DETACH, &tid);
 *
 * Memory map (offsets in bytes; pages of 4096):
 *	0				struct memphis_control of the session, one page, read-write
 *	attach.control_offset		struct memphis_control of the thread, one page, read-write
 *	attach.ring_offset		struct memphis_status of the thread, one page, then the ring's
 *					records; attach.ring_bytes in all; read-only (PROT_WRITE: EPERM)
 * Maps are whole and MAP_SHARED, else EINVAL; PROT_EXEC is refused with EPERM. They keep the session alive, and
 * count in the budget, until they are unmapped. A child inherits them over fork: reset pointers to them there.
 * poll() by another process gives POLLERR.
 *
 * Common errors of all ioctls: ENOTTY unknown request; EFAULT bad pointer; EINVAL unknown flag, non-zero
 * reserved field or value out of range; EPERM caller is not of the process that opened the session.
 * Safe from every thread of that process; requests are serialised per session. Errors of open: EACCES by the device's
 * permissions; EDQUOT ring_budget_bytes exceeded; ENOMEM.
 */
#ifndef MEMPHIS_DEVICE_H
#define MEMPHIS_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "sample.h"

#define MEMPHIS_ABI 3

#define MEMPHIS_HARDWARE_IBS  1 /* AMD Instruction-Based Sampling, op samples */
#define MEMPHIS_HARDWARE_PEBS 2 /* Intel PEBS load latency */

#define MEMPHIS_SAMPLER_TASK 1 /* one perf event per attached thread */
#define MEMPHIS_SAMPLER_CPU  2 /* one perf event per CPU, interrupts sorted by thread */

#define MEMPHIS_COUNT_OPS    0 /* period counts dispatched micro-ops */
#define MEMPHIS_COUNT_CYCLES 1 /* period counts core cycles */
#define MEMPHIS_COUNT_LOADS  2 /* PEBS: period counts loads that take min_latency_cycles or longer */

/* What to drop in the interrupt handler; each has its reason in enum memphis_reason. */
#define MEMPHIS_DROP_LOADS    0x1 /* accesses that only load */
#define MEMPHIS_DROP_STORES   0x2 /* accesses that only store */
#define MEMPHIS_DROP_NOT_DRAM 0x4 /* all but DRAM and extension memory; thus also every pure store */
#define MEMPHIS_DROP_LOCAL    0x8 /* loads: not flagged remote; stores: page on the own node or unknown */
#define MEMPHIS_DROPS         0xf

struct memphis_query {
	__u32 abi;                   /* MEMPHIS_ABI of the module */
	__u32 hardware;              /* MEMPHIS_HARDWARE_* */
	__u32 sampler;               /* MEMPHIS_SAMPLER_* */
	__u32 counts;                /* bit n: MEMPHIS_COUNT_* n is offered */
	__u32 drops;                 /* MEMPHIS_DROP_* offered */
	__u32 hardware_capabilities; /* IBS: CPUID 8000_001B EAX; PEBS: low half of IA32_PERF_CAPABILITIES */
	__u64 period_min;            /* SAMPLER_CPU: a longer one, as all CPUs are interrupted */
	__u64 period_max;            /* one hardware interrupt per sample up to here */
	__u64 period_step;           /* periods are multiples of this */
	__u32 ring_records_max;
	__u32 threads_max;       /* per session */
	__u64 ring_budget_bytes; /* pinned memory allowed to one user's sessions together */
	char version[32];        /* of the module, NUL-terminated */
	char pmu[32];            /* name of the perf PMU that it uses */
};

struct memphis_config {
	__u64 period;             /* in units of `count` */
	__u32 count;              /* MEMPHIS_COUNT_* */
	__u32 drop;               /* MEMPHIS_DROP_* */
	__u32 min_latency_cycles; /* drop loads below; 0 = off. With it set, pure stores are dropped too.
				   * PEBS: loads below are not counted in the first place; 0 = the
				   * least that the hardware takes, 3. Sessions that run on one CPU at
				   * one time with different values take turns */
	__u32 ring_records;       /* capacity of each thread's ring; a power of two */
	__u32 wakeup_records;     /* 1 .. ring_records */
	__u32 reserved[5];
};

struct memphis_attach {
	__s32 tid; /* in: a thread; 0 = the caller */
	/*
	 * In: 0 = the thread is of the calling process. Else of another one, and this is an open descriptor of that
	 * process's /proc/PID/environ or auxv, which says that the kernel lets the caller look at its memory
	 * (ptrace(2), "Ptrace access mode checking": PTRACE_MODE_READ_FSCREDS).
	 */
	__s32 memory;
	__u64 control_offset; /* out */
	__u64 ring_offset;    /* out */
	__u64 ring_bytes;     /* out */
};

struct memphis_stats {
	__u64 unattached; /* SAMPLER_CPU: interrupts, machine-wide since the module was loaded,
				 * that hit no attached thread of any running session */
	__u64 ring_bytes; /* pinned by this session */
	__u32 threads;    /* attached now */
	__u32 running;    /* 1 between START and STOP */
	__u64 starved_ns; /* time in which this session's events were to count and did not, because other perf
				 * events had the hardware ... */
	__u64 enabled_ns; /* ... of so much in which they were to. Sums over its threads, and the time that each
				 * was on a CPU; SAMPLER_CPU: over all CPUs, between START and STOP */
	__u64 reserved[2];
};

/*
 * Written by user space, read by the interrupt handler and by nothing that trusts it.
 * The two words stand on cache lines of their own: their writers are different threads.
 */
struct memphis_control {
	__u32 region; /* stamped on samples. Thread's page: 0 = use the session's page */
	__u32 pad0[15];
	__u64 tail; /* thread's page: records consumed so far; at most status.head */
	__u64 pad1[7];
};

/*
 * Written by the kernel only. `sequence` is odd while the handler changes the accounting: read it, read
 * the fields, read it again, and retry if it moved or was odd. Record i of the stream is
 * records[i & (ring_records - 1)]; valid for i in [tail, head). Load `head` with acquire before the
 * records; store `tail` with release after them.
 */
struct memphis_status {
	__u32 sequence;
	__u32 exited; /* 1: the thread has ended; nothing more will come */
	__u64 head;
	struct memphis_accounting accounting;
};

#define MEMPHIS_PAGE_BYTES 4096

/*
 * What an attached thread counts in the budget beside its two areas, until it is detached: the kernel keeps its task, its
 * perf event and its slot, also when it has ended: 32.5 kB of the caller's cgroup with a ring of one record, on Linux 6.12.
 */
#define MEMPHIS_THREAD_BYTES 24576

/*
 * What an open session counts beside its control page: the kernel keeps its file, and of the process that opened it the root of the page
 * tables, also when that process has ended.
 */
#define MEMPHIS_SESSION_BYTES 16384

/*
 * Nobody else's: no block of this type is registered in Linux, Documentation/userspace-api/ioctl/ioctl-number.rst, nor does a
 * header of Linux 7.2 use it. 00 to 1F are ours.
 */
#define MEMPHIS_IOC_MAGIC 0xD6
/* Errors beside the common ones stand at each. */
#define MEMPHIS_IOC_QUERY _IOR(MEMPHIS_IOC_MAGIC, 0, struct memphis_query)
/* EBUSY: threads are attached */
#define MEMPHIS_IOC_CONFIGURE _IOW(MEMPHIS_IOC_MAGIC, 1, struct memphis_config)
/*
 * ESRCH: no such thread in this process, with `memory` at all; EBADF: `memory` is no open descriptor; EACCES: it does not
 * stand for the memory that the thread runs in; EEXIST: attached already (to any session); ENODATA: not
 * configured; EDQUOT: ring_budget_bytes exceeded; ENOMEM: no memory for the ring, on the node or in the
 * caller's cgroup; ENOSPC: threads_max reached; EBUSY: the PMU is taken
 * (SAMPLER_CPU: by perf, or by a session with another period or count); others as perf gives them.
 * Attached while running, a thread is sampled at once. A thread that executes another program is sampled no more.
 */
#define MEMPHIS_IOC_ATTACH _IOWR(MEMPHIS_IOC_MAGIC, 2, struct memphis_attach)
/* ESRCH: not attached. The argument points to the tid; 0 = the caller. Works on ended threads; where a tid
 * was used again, the ended thread is detached first. On return the thread's accounting is final;
 * existing maps stay readable. */
#define MEMPHIS_IOC_DETACH _IOW(MEMPHIS_IOC_MAGIC, 3, __s32)
/* EALREADY: running; ENODATA: not configured; EBUSY as ATTACH */
#define MEMPHIS_IOC_START _IO(MEMPHIS_IOC_MAGIC, 4)
/* EALREADY: not running. On return no handler of this session runs: the accounting is consistent. */
#define MEMPHIS_IOC_STOP  _IO(MEMPHIS_IOC_MAGIC, 5)
#define MEMPHIS_IOC_STATS _IOR(MEMPHIS_IOC_MAGIC, 6, struct memphis_stats)

#endif
