/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ABI of /dev/memphis, between memphis.ko and libmemphis.
 *
 * An open file is a session. The process that opened it attaches threads, its own or those of processes that it may inspect,
 * maps their rings, and starts and stops sampling for all of them at once. All integers are native-endian; reserved fields
 * must be zero, and unknown flags are refused (EINVAL).
 *
 *	fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, MEMPHIS_IOC_QUERY, &query);		what the machine can do
 *	ioctl(fd, MEMPHIS_IOC_CONFIGURE, &config);	once, before the first attach
 *	ioctl(fd, MEMPHIS_IOC_ATTACH, &attach);		once per thread; then mmap its two areas
 *	ioctl(fd, MEMPHIS_IOC_START); ... ioctl(fd, MEMPHIS_IOC_STOP);
 *	poll(fd): POLLIN when a ring holds wakeup_records or more
 *	ioctl(fd, MEMPHIS_IOC_DETACH, &tid);
 *
 * Memory map (offsets in bytes; pages of 4096):
 *	0				struct memphis_control of the session, one page, read-write
 *	attach.control_offset		struct memphis_control of the thread, one page, read-write
 *	attach.ring_offset		struct memphis_status of the thread, one page, then the ring's
 *					records; attach.ring_bytes in all; read-only (PROT_WRITE: EPERM)
 * A map must cover a whole area and be MAP_SHARED, else EINVAL; PROT_EXEC is refused with EPERM. Maps keep the session alive, and
 * count in the budget, until they are unmapped. A child inherits them over fork, and should reset its pointers to them.
 * poll() by another process returns POLLERR.
 *
 * Common errors of all ioctls: ENOTTY unknown request; EFAULT bad pointer; EINVAL unknown flag, non-zero
 * reserved field or value out of range; EPERM the caller is not in the process that opened the session.
 * Any thread of that process may make requests, which are serialised per session. Errors of open: EACCES by the device's
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
#define MEMPHIS_SAMPLER_CPU  2 /* one perf event per CPU, interrupts assigned to threads */

#define MEMPHIS_COUNT_OPS    0 /* period counts dispatched micro-ops */
#define MEMPHIS_COUNT_CYCLES 1 /* period counts core cycles */
#define MEMPHIS_COUNT_LOADS  2 /* PEBS: period counts loads that take min_latency_cycles or longer */

/* Accesses that the interrupt handler drops; each flag has its reason in enum memphis_reason. */
#define MEMPHIS_DROP_LOADS  0x1 /* pure loads */
#define MEMPHIS_DROP_STORES 0x2 /* pure stores */
#define MEMPHIS_DROP_NOT_DRAM \
	0x4 /* accesses not served by DRAM or extension memory; includes all pure stores */
#define MEMPHIS_DROP_LOCAL \
	0x8 /* loads not flagged remote; stores whose page is on the accessing node or unknown */
#define MEMPHIS_DROPS 0xf

struct memphis_query {
	__u32 abi;                   /* MEMPHIS_ABI of the module */
	__u32 hardware;              /* MEMPHIS_HARDWARE_* */
	__u32 sampler;               /* MEMPHIS_SAMPLER_* */
	__u32 counts;                /* bit n: MEMPHIS_COUNT_* n is offered */
	__u32 drops;                 /* MEMPHIS_DROP_* offered */
	__u32 hardware_capabilities; /* IBS: CPUID 8000_001B EAX; PEBS: low half of IA32_PERF_CAPABILITIES */
	__u64 period_min;            /* longer with SAMPLER_CPU, where all CPUs are interrupted */
	__u64 period_max;            /* longest period with one interrupt per sample */
	__u64 period_step;           /* periods are multiples of this value */
	__u32 ring_records_max;
	__u32 threads_max;       /* per session */
	__u64 ring_budget_bytes; /* limit of pinned memory of all sessions of a user */
	char version[32];        /* of the module, NUL-terminated */
	char pmu[32];            /* name of the perf PMU in use */
};

struct memphis_config {
	__u64 period;             /* in units of `count` */
	__u32 count;              /* MEMPHIS_COUNT_* */
	__u32 drop;               /* MEMPHIS_DROP_* */
	__u32 min_latency_cycles; /* loads with less are dropped, and so are pure stores; 0 = off.
				   * PEBS: loads with less do not count for the period; 0 = the
				   * minimum of the hardware, 3. Sessions with different values
				   * that run on a CPU at the same time take turns */
	__u32 ring_records;       /* capacity of each thread's ring; a power of two */
	__u32 wakeup_records;     /* 1 .. ring_records */
	__u32 reserved[5];
};

struct memphis_attach {
	__s32 tid; /* in: the thread; 0 = the caller */
	/*
	 * In: 0 = the thread belongs to the calling process. For a thread of another process, an open descriptor of
	 * /proc/PID/environ or /proc/PID/auxv of that process, which proves that the kernel lets the caller read its memory
	 * (ptrace(2), "Ptrace access mode checking": PTRACE_MODE_READ_FSCREDS).
	 */
	__s32 memory;
	__u64 control_offset; /* out */
	__u64 ring_offset;    /* out */
	__u64 ring_bytes;     /* out */
};

struct memphis_stats {
	__u64 unattached; /* SAMPLER_CPU: interrupts that hit no attached thread of any running
				 * session; machine-wide, since the module was loaded */
	__u64 ring_bytes; /* memory pinned by this session */
	__u32 threads;    /* attached at the moment */
	__u32 running;    /* 1 between START and STOP */
	__u64 starved_ns; /* part of enabled_ns in which this session's events did not count, because other perf
				 * events used the hardware */
	__u64 enabled_ns; /* time in which this session's events were enabled: CPU time summed over its
				 * threads; SAMPLER_CPU: time between START and STOP, summed over all CPUs */
	__u64 reserved[2];
};

/*
 * Written by user space, and read by the interrupt handler, which does not trust the values. The two words are on separate cache
 * lines, since different threads write them.
 */
struct memphis_control {
	__u32 region; /* stamped on samples; 0 in a thread's page = use the session's page */
	__u32 pad0[15];
	__u64 tail; /* thread's page only: records consumed so far; at most status.head */
	__u64 pad1[7];
};

/*
 * Written by the kernel only. `sequence` is the counter of a seqlock, odd while the handler changes the accounting: read it, read
 * the fields, read it again, and retry if it has changed or was odd. Record i of the stream is
 * records[i & (ring_records - 1)], valid for i in [tail, head). Load `head` with acquire before the
 * records; store `tail` with release after them.
 */
struct memphis_status {
	__u32 sequence;
	__u32 exited; /* 1: the thread has ended; no more records will follow */
	__u64 head;
	struct memphis_accounting accounting;
};

#define MEMPHIS_PAGE_BYTES 4096

/*
 * Charge of an attached thread to the budget, in addition to its two areas, until it is detached. The kernel keeps the thread's
 * task, perf event and slot, even after the thread has ended; on Linux 6.12, that is 32.5 kB of the caller's cgroup with a
 * ring of one record.
 */
#define MEMPHIS_THREAD_BYTES 24576

/*
 * Charge of an open session to the budget, in addition to its control page. The kernel keeps the file, and the root of the page
 * tables of the process that opened it, even after that process has ended.
 */
#define MEMPHIS_SESSION_BYTES 16384

/*
 * Not used by other drivers: Linux, Documentation/userspace-api/ioctl/ioctl-number.rst, lists no block of this type, and no
 * header of Linux 7.2 uses it. Memphis uses numbers 00 to 1F.
 */
#define MEMPHIS_IOC_MAGIC 0xD6
/* Errors of each request, in addition to the common ones. */
#define MEMPHIS_IOC_QUERY _IOR(MEMPHIS_IOC_MAGIC, 0, struct memphis_query)
/* EBUSY: threads are attached */
#define MEMPHIS_IOC_CONFIGURE _IOW(MEMPHIS_IOC_MAGIC, 1, struct memphis_config)
/*
 * ESRCH: no such thread in this process, or with `memory` in any process; EBADF: `memory` is not an open descriptor; EACCES:
 * `memory` does not refer to the address space of the thread; EEXIST: already attached (to any session); ENODATA: not
 * configured; EDQUOT: ring_budget_bytes exceeded; ENOMEM: no memory for the ring, on the node or in the
 * caller's cgroup; ENOSPC: threads_max reached; EBUSY: the PMU is in use
 * (SAMPLER_CPU: by perf, or by a session with another period or count); other errors as perf returns them.
 * A thread that is attached while the session runs is sampled at once. A thread that executes another program is not sampled
 * any more.
 */
#define MEMPHIS_IOC_ATTACH _IOWR(MEMPHIS_IOC_MAGIC, 2, struct memphis_attach)
/* ESRCH: not attached. The argument points to the tid; 0 = the caller. Ended threads can be detached; if a tid
 * was reused, the ended thread is detached first. On return the thread's accounting is final;
 * existing maps stay readable. */
#define MEMPHIS_IOC_DETACH _IOW(MEMPHIS_IOC_MAGIC, 3, __s32)
/* EALREADY: running; ENODATA: not configured; EBUSY as for ATTACH */
#define MEMPHIS_IOC_START _IO(MEMPHIS_IOC_MAGIC, 4)
/* EALREADY: not running. On return no interrupt handler of this session runs, and the accounting is consistent. */
#define MEMPHIS_IOC_STOP  _IO(MEMPHIS_IOC_MAGIC, 5)
#define MEMPHIS_IOC_STATS _IOR(MEMPHIS_IOC_MAGIC, 6, struct memphis_stats)

#endif
