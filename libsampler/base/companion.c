/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts companions, ends them, and handles their faults. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <locale.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <linux/futex.h>
#include <linux/kcmp.h>

#include "base/busy.h"
#include "base/companion.h"
#include "base/fd.h"
#include "base/proc.h"
#include "base/sys.h"

/*
 * The thread control block of a companion. The register fs of the companion contains the address of this
 * block. The thread-local variables of objects that were loaded at the start are at fixed distances below it.
 * A companion has such variables of the library and of the C library only.
 */
#define CONTROL_BLOCK_BYTES 8192u /* room for the block itself */
#define PAGE_BYTES          4096u
#define GAP_BYTES           (1u << 20)
/* maximum number of objects with thread-local variables that companions use: the library and the C library */
#define MODULES 4

/* A block of thread-local variables that companions need. Its position is relative to the thread pointer. */
static struct block {
	__u64 below; /* distance from the beginning of the block up to the thread pointer, in bytes */
	size_t bytes;
	const void *image; /* initial contents; the rest of the block is zeroed */
	size_t image_bytes;
} blocks[MODULES];
static size_t block_count, bytes_below;

static __u64 thread_pointer(void)
{
	__u64 pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* Stores the block if it contains errno or the library's own variables. */
static int note_block(struct dl_phdr_info *info, size_t size, UNUSED void *unused)
{
	const __u64 begin = (__u64)(uintptr_t)info->dlpi_tls_data, own = (__u64)(uintptr_t)&memphis_busy;
	const __u64 of_libc = (__u64)(uintptr_t)&errno;
	const ElfW(Phdr) * part;

	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(info->dlpi_tls_data))
		return 1;
	for (part = info->dlpi_phdr; part < info->dlpi_phdr + info->dlpi_phnum; part++)
		if (part->p_type == PT_TLS && block_count < MODULES &&
		    (own - begin < part->p_memsz || of_libc - begin < part->p_memsz)) {
			blocks[block_count++] =
				(struct block){.below = thread_pointer() - begin,
					       .bytes = part->p_memsz,
					       .image = (void *)(info->dlpi_addr + part->p_vaddr),
					       .image_bytes = part->p_filesz};
			if (thread_pointer() - begin > bytes_below)
				bytes_below = (thread_pointer() - begin + 63) & ~(size_t)63;
		}
	return 0;
}

/* Finds the thread-local variables. Must be called once, before main(). */
static void find_variables(void)
{
	dl_iterate_phdr(note_block, NULL);
}

/* Returns the size of the control block and of all blocks below it in bytes, as a multiple of the page size. */
static size_t block_bytes(void)
{
	return ((bytes_below + PAGE_BYTES - 1) & -(size_t)PAGE_BYTES) + CONTROL_BLOCK_BYTES;
}

/*
 * Writes the thread control block and the thread-local variables of a companion. The layout is part of the
 * ABI (ELF Handling For Thread-Local Storage, 4.4.6, and the fields that compilers use). The control block
 * contains its own address, twice, the stack canary, and glibc's key for saved registers.
 */
static void fill_block(char *pointer)
{
	static __u64 no_vector[4];
	__u64 *const block = (__u64 *)pointer;
	size_t i;

	memset(block, 0, CONTROL_BLOCK_BYTES);
	for (i = 0; i < block_count; i++) {
		memset(pointer - blocks[i].below, 0, blocks[i].bytes);
		memcpy(pointer - blocks[i].below, blocks[i].image, blocks[i].image_bytes);
	}
	block[0] = block[2] = (__u64)(uintptr_t)block;
	block[1] = (__u64)(uintptr_t)&no_vector[2];
	block[3] = 1; /* some versions of glibc read here whether there are several threads */
	__asm__("mov %%fs:0x28, %0" : "=r"(block[5]));
	__asm__("mov %%fs:0x30, %0" : "=r"(block[6]));
}

/*
 * Unmaps the memory between the variables that companions use, if a gap has a megabyte or more. A program may
 * have hundreds of megabytes of thread-local variables. Smaller gaps stay mapped and are zero, because
 * libraries that interpose functions of the C library, such as the runtime of MemorySanitizer, have their
 * variables there. `pointer`: address of the control block, with block_bytes() of zeroed memory around it.
 * Other maps may get the unmapped pages later.
 */
static void unmap_gaps(char *pointer)
{
	const __u64 page = PAGE_BYTES;
	char *from = pointer - bytes_below;
	size_t i;

	while (from < pointer) {
		char *next = pointer, *end = pointer;

		for (i = 0; i < block_count; i++)
			if (pointer - blocks[i].below >= from && pointer - blocks[i].below < next) {
				next = pointer - blocks[i].below;
				end = next + blocks[i].bytes;
			}
		from = (char *)(((__u64)(uintptr_t)from + page - 1) & -page);
		next = (char *)((__u64)(uintptr_t)next & -page);
		if (from + GAP_BYTES <= next)
			sys_unmap(from, (size_t)(next - from));
		from = end;
	}
}

#define STACK_BYTES (256u << 10)
#define GUARD_BYTES 4096u
#define FAULT_BYTES (16u << 10) /* stack of the handler of faults */
#define MASK_BYTES  1024        /* sufficient for 8192 CPUs */
#define MASK_WORDS  (MASK_BYTES / sizeof(unsigned long))
/* if the limit of processes is below this number, the program may use it up */
#define FEW           1024
#define RESERVE       16 /* number of processes that others may start in the meantime */
#define START_CODE    26 /* field of /proc/PID/stat */
#define FOLLOW_SIGNAL SIGUSR1
/* time to wait for a companion; it may be in a system call that a file system does not interrupt */
#define FOLLOW_NS 2000000000u

/* The CPUs that the process may use; empty if unknown. The kernel ignores CPUs that a cgroup has removed in the meantime. */
static unsigned long mask[MASK_WORDS];

static void note_nothing(void)
{
}

/*
 * Reads the CPU mask. OpenMP's runtime may bind the main thread in its constructor, which runs before the
 * library's constructor, so the mask must be read earlier. This function is the resolver of an indirect
 * function (ifunc). Resolvers run when the library is relocated, and can't call other objects.
 */
static __attribute__((used)) void (*resolve_note(void))(void)
{
	register long pid __asm__("rdi") = 0, bytes __asm__("rsi") = sizeof(mask);
	register unsigned long *to __asm__("rdx") = mask;
	long result = SYS_sched_getaffinity;

	__asm__ volatile("syscall" : "+a"(result) : "r"(pid), "r"(bytes), "r"(to) : "rcx", "r11", "memory");
	return note_nothing;
}

static void note(void) __attribute__((ifunc("resolve_note")));

/*
 * Adds the CPUs of all threads to the mask. If the library is loaded late, the calling thread may already be
 * bound to a few CPUs.
 */
static void add_masks_of_threads(void)
{
	struct memphis_directory tasks;
	unsigned long other[MASK_WORDS];
	const char *name;
	long bytes;
	size_t i;

	memphis_directory_open(&tasks, "/proc/self/task");
	while ((name = memphis_directory_next(&tasks))) {
		bytes = syscall(SYS_sched_getaffinity, atoi(name), sizeof(other), other);
		for (i = 0; bytes > 0 && i < (size_t)bytes / sizeof(*other); i++)
			mask[i] |= other[i];
	}
	memphis_directory_close(&tasks);
}

extern char __libc_single_threaded __attribute__((weak)); /* of glibc 2.32 */

static locale_t c_locale;
static bool is_valgrind;

void memphis_companion_setup(void)
{
	int adopts = 0;

	memphis_busy++;
	note(); /* this reference makes the loader run the resolver */
	/* Ask procfs only if necessary, because that takes some 10 us in a new process. */
	if ((!&__libc_single_threaded || !__libc_single_threaded) && memphis_proc_has_threads())
		add_masks_of_threads();
	find_variables();
	/* Companions can't be used in Valgrind, which does not support tasks of this kind and ends the program. */
	is_valgrind = getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "/vgpreload_");
	syscall(SYS_prctl, PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
	memphis_companions_are_adopted = adopts;
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the C locale is a static object of the C
							      * library, so this allocates nothing */
	memphis_busy--;
}

bool memphis_companion_is_valgrind(void)
{
	return is_valgrind;
}

__thread pid_t memphis_companion_pid __attribute__((tls_model("initial-exec")));

/* State of the calling companion. */
static __thread struct {
	struct memphis_companion *self;
	sigjmp_buf *rescue; /* where the companion continues after a fault; NULL: nowhere */
	__u32 followed;     /* number of the latest system call that the companion was asked to make */
} current __attribute__((tls_model("initial-exec")));

/*
 * A system call that the companions must make, and the number of such requests so far. Only one thread of the
 * program at a time makes a request.
 */
static MEMPHIS_AT_FORK struct {
	_Atomic __u32 asker; /* futex: tid of the requesting thread; 0: none */
	_Atomic __u32 asked;
	long number, arguments[6];
} follow;
static MEMPHIS_AT_FORK struct memphis_companion *_Atomic companions;
MEMPHIS_AT_FORK bool memphis_companions_are_adopted;

/* Signal handler of a companion: makes the requested system call, whatever the companion is doing. */
static void on_follow(UNUSED int signal)
{
	const int saved = errno;
	const long *a = follow.arguments;

	if (current.followed != atomic_load(&follow.asked)) {
		current.followed = atomic_load(&follow.asked);
		sys_call(follow.number, a[0], a[1], a[2], a[3], a[4], a[5]);
		atomic_store(&current.self->followed, current.followed);
		sys_wake(&current.self->followed, INT_MAX);
	}
	errno = saved;
}

static void on_fault(int signal)
{
	if (current.rescue)
		siglongjmp(*current.rescue, signal);
	syscall(SYS_exit_group, signal);
}

/* Installs the companion's own signal handlers. A companion does not share the program's handlers. */
static void catch_faults(char *stack)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
	const stack_t apart = {.ss_sp = stack, .ss_size = FAULT_BYTES};
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
	struct sigaction asked = {.sa_handler = on_follow, .sa_flags = SA_RESTART};
	sigset_t set;
	size_t i;

	sigaltstack(&apart, NULL);
	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		sigaction(faults[i], &action, NULL);
		sigaddset(&set, faults[i]);
	}
	sigfillset(&asked.sa_mask);
	sigaction(FOLLOW_SIGNAL, &asked, NULL);
	sigaddset(&set, FOLLOW_SIGNAL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int memphis_companion_try(void (*function)(void *), void *data)
{
	sigjmp_buf rescue, *const before = current.rescue;
	int err = 0;

	if (!memphis_companion_is_self()) {
		function(data);
		return 0;
	}
	if (sigsetjmp(rescue, 0)) {
		err = -EFAULT;
	} else {
		current.rescue = &rescue;
		function(data);
	}
	current.rescue = before;
	return err;
}

/* Prepares the companion and runs it. All signals are blocked on entry. */
static void run_companion(struct memphis_companion *companion)
{
	const struct sched_param priority = {0};

	current.self = companion;
	memphis_companion_pid = atomic_load(&companion->pid);
	current.followed = atomic_load(&companion->followed);
	/* Never decremented, because allocations of a companion are never the program's. */
	memphis_busy++;
	uselocale(c_locale);
	catch_faults(companion->memory + GUARD_BYTES);
	syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask);
	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &priority);
	/*
	 * The signal makes the companion check at once whether the program has ended. The kernel also sends
	 * it if only the thread that started the companion has ended.
	 */
	syscall(SYS_prctl, PR_SET_PDEATHSIG, FOLLOW_SIGNAL, 0, 0, 0);
	sys_call(SYS_prctl, PR_SET_NAME, (long)(uintptr_t)companion->name, 0, 0, 0, 0);
	companion->run();
}

static size_t memory_bytes(void)
{
	return GUARD_BYTES + FAULT_BYTES + STACK_BYTES + block_bytes();
}

/*
 * Calls clone(2) with the companion's stack. The companion begins with a call of run_companion(companion):
 * both addresses are pushed onto its stack here. Returns the PID of the companion, or -errno.
 */
static long clone_companion(struct memphis_companion *companion, __u64 *stack, const __u64 *block)
{
	register long flags __asm__("rdi") = CLONE_VM | CLONE_FILES | CLONE_UNTRACED | CLONE_SETTLS |
					     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	register _Atomic __u32 *set __asm__("rdx") = &companion->pid, *clear __asm__("r10") = &companion->pid;
	register const __u64 *pointer __asm__("r8") = block;
	register __u64 *top __asm__("rsi");
	long result = SYS_clone;

	stack[-1] = (__u64)(uintptr_t)companion;
	stack[-2] = (__u64)(uintptr_t)run_companion;
	top = stack - 2;
	__asm__ volatile("syscall\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "pop %%rax\n\t"
			 "pop %%rdi\n\t"
			 "call *%%rax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "mov %[end], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "+a"(result)
			 : "r"(flags), "r"(top), "r"(set), "r"(clear), "r"(pointer), [end] "i"(SYS_exit_group)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

bool memphis_companion_is_apart(void)
{
	char own[64], children[64];
	const ssize_t own_bytes = readlink("/proc/thread-self/ns/pid", own, sizeof(own));
	const ssize_t bytes = readlink("/proc/thread-self/ns/pid_for_children", children, sizeof(children));

	/* pid_for_children can't be read until the new namespace has its first process, so bytes is -1 then. */
	return own_bytes > 0 && (bytes != own_bytes || memcmp(own, children, (size_t)bytes) != 0);
}

/*
 * Returns true if the user's limit of processes is low, and the program may need all of them. The number of
 * the user's processes is unknown, but is at most the number of all processes.
 */
static bool are_processes_scarce(void)
{
	struct rlimit limit;
	struct sysinfo info;

	return !getrlimit(RLIMIT_NPROC, &limit) && limit.rlim_cur < FEW && !sysinfo(&info) &&
	       (rlim_t)info.procs + RESERVE > limit.rlim_cur;
}

/*
 * Waits until no other thread makes a request. Returns false in a signal handler that has interrupted a
 * thread during its request.
 */
static bool begin_asking(void)
{
	const __u32 own = (__u32)syscall(SYS_gettid);
	__u32 asker = 0;

	while (!atomic_compare_exchange_strong(&follow.asker, &asker, own)) {
		if (asker == own)
			return false;
		sys_wait(&follow.asker, asker, now_ns() + 10000000);
		asker = 0;
	}
	return true;
}

static void end_asking(void)
{
	atomic_store(&follow.asker, 0);
	sys_wake(&follow.asker, INT_MAX);
}

int memphis_companion_start_forked(struct memphis_companion *companion)
{
	char *memory = companion->memory, *block;
	sigset_t all, before;
	long result;
	int saved = errno;
	bool asking;

	memphis_companion_wait(companion, 0);
	companion->program = current.self ? current.self->program : getpid();
	if (is_valgrind)
		return -ENOSYS;
	if (are_processes_scarce())
		return -EDQUOT;
	if (!memory)
		memory = sys_map(memory_bytes());
	if (!memory)
		return -ENOMEM;
	block = memory + memory_bytes() - CONTROL_BLOCK_BYTES;
	if (!companion->memory) {
		mprotect(memory, GUARD_BYTES, PROT_NONE);
		unmap_gaps(block);
	}
	companion->memory = memory;
	fill_block(block);
	/* The companion must never run the program's signal handlers. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	/* From here on, the companion must make each requested system call, even before it can receive signals. */
	asking = begin_asking();
	if (!companion->is_listed) {
		companion->is_listed = true;
		companion->next = atomic_load(&companions);
		atomic_store(&companions, companion);
	}
	atomic_store(&companion->followed, atomic_load(&follow.asked));
	result = clone_companion(companion, (__u64 *)(memory + GUARD_BYTES + FAULT_BYTES + STACK_BYTES),
				 (const __u64 *)block);
	/*
	 * Set the process group here, too. A signal to the program's group may come before the companion
	 * runs. It would stop the companion, and the program would get a SIGCHLD.
	 */
	if (result > 0)
		sys_call(SYS_setpgid, result, result, 0, 0, 0, 0);
	if (asking)
		end_asking();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (result > 0)
		companion->unwaited = (pid_t)result;
	errno = saved;
	return result < 0 ? (int)result : 0;
}

int memphis_companion_start(struct memphis_companion *companion)
{
	return memphis_companion_is_apart() ? -EINVAL : memphis_companion_start_forked(companion);
}

bool memphis_companion_wait(struct memphis_companion *companion, __u64 until_ns)
{
	int saved = errno;
	__u32 pid;

	while ((pid = atomic_load(&companion->pid)) && now_ns() < until_ns) {
		const struct timespec moment = {.tv_nsec = 10000000};

		/* When a task ends, the kernel wakes a futex without FUTEX_PRIVATE_FLAG. */
		syscall(SYS_futex, &companion->pid, FUTEX_WAIT, pid, &moment, NULL, 0);
		/* There is no wake-up if the companion was killed together with the last other user of its memory. */
		if (syscall(SYS_kill, (pid_t)pid, 0) && errno == ESRCH)
			atomic_store(&companion->pid, 0);
	}
	/* Remove the process table entry. The task can be waited for shortly after it has released its memory. */
	while (!pid && companion->unwaited) {
		if (sys_call(SYS_wait4, companion->unwaited, 0, __WALL, 0, 0, 0) != -EINTR)
			companion->unwaited = 0;
	}
	errno = saved;
	return !pid;
}

void memphis_companion_forked(struct memphis_companion *companion)
{
	atomic_store(&follow.asker, 0);
	atomic_store(&companion->pid, 0);
	companion->unwaited = 0;
	memphis_companions_are_adopted = false;
}

/*
 * Returns true if the process uses this memory, or if that is unknown. Compares the addresses of the
 * program's code. Used with kernels and containers that refuse kcmp(2).
 */
static bool has_same_code(void)
{
	char path[MEMPHIS_PROC_PATH];
	const long own = memphis_proc_field("/proc/self/stat", START_CODE);
	const long its = memphis_proc_field(memphis_proc(path, "stat"), START_CODE);

	/* The kernel writes 0 or 1 instead of an address that the reader may not know. */
	return own < 2 || its < 2 || own == its;
}

/* Returns true if a thread of the program uses this memory. */
static bool has_thread_with_memory(void)
{
	struct memphis_directory tasks;
	char path[MEMPHIS_PROC_PATH];
	const char *name;
	bool has = false;

	memphis_directory_open(&tasks, memphis_proc(path, "task"));
	while (!has && (name = memphis_directory_next(&tasks)))
		has = !syscall(SYS_kcmp, getpid(), atoi(name), KCMP_VM, 0, 0);
	memphis_directory_close(&tasks);
	return has;
}

bool memphis_companion_is_needed(void)
{
	const pid_t process = current.self->program;
	long result = syscall(SYS_kcmp, getpid(), process, KCMP_VM, 0, 0);

	if (!result)
		return true;
	/* A task that has ended has no memory. If it is the program's first thread, other threads may still run. */
	if (result > 0)
		return has_thread_with_memory();
	return errno != ESRCH && (!kill(process, 0) || errno != ESRCH) && has_same_code();
}

void memphis_companion_leave_session(void)
{
	unsigned int tries;

	/*
	 * The leader of a process group can't leave its session. So the companion first joins another group:
	 * the program's group or, if the program has left the session, the group of the session's leader. It
	 * tries twice, because the program may make the companion a leader between the two calls.
	 */
	for (tries = 0; setsid() < 0 && tries < 2; tries++)
		if (setpgid(0, getpgid(current.self->program)))
			setpgid(0, getsid(0));
	setpgid(0, 0);
}

int memphis_companion_own_descriptors(const int *keep, unsigned int count)
{
	unsigned int from = 0, flags = CLOSE_RANGE_UNSHARE, i;

	for (i = 0; i < count; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned int)keep[i] > from) {
			if (syscall(SYS_close_range, from, keep[i] - 1, flags))
				return -errno;
			flags = 0;
		}
		from = (unsigned int)keep[i] + 1;
	}
	if (syscall(SYS_close_range, from, ~0u, flags))
		return -errno;
	for (i = 0; i < 3; i++)
		if (sys_error(sys_call(SYS_fcntl, i, F_GETFD, 0, 0, 0, 0)))
			sys_call(SYS_open, (long)(uintptr_t) "/dev/null", O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
	return 0;
}

/* Waits until the companion has made the system call. Kills the companion if it does not do so in time. */
static void await_follower(struct memphis_companion *companion, __u32 number)
{
	const __u64 until = now_ns() + FOLLOW_NS;
	__u32 seen, pid;

	while ((pid = atomic_load(&companion->pid)) && (seen = atomic_load(&companion->followed)) != number) {
		if (now_ns() >= until) {
			syscall(SYS_kill, (pid_t)pid, SIGKILL);
			return;
		}
		sys_wait(&companion->followed, seen, now_ns() + 10000000);
	}
}

/* Returns false in a child of vfork(2). The child shares its parent's memory, but the companions are the parent's. */
bool memphis_companions_are_there(void)
{
	const struct memphis_companion *companion;

	for (companion = atomic_load(&companions); companion; companion = companion->next)
		if (atomic_load(&companion->pid) && companion->program == getpid())
			return true;
	return false;
}

bool memphis_companion_runs_as(pid_t pid)
{
	const struct memphis_companion *companion;

	for (companion = atomic_load(&companions); companion; companion = companion->next)
		if (pid == (pid_t)atomic_load(&companion->pid))
			return true;
	return false;
}

bool memphis_companion_has_pid(pid_t pid)
{
	struct memphis_companion *companion;

	for (companion = atomic_load(&companions); companion; companion = companion->next)
		if (pid == (pid_t)atomic_load(&companion->pid) || pid == companion->unwaited)
			return true;
	return false;
}

bool memphis_companion_has_name(pid_t pid)
{
	static const char *const names[] = {MEMPHIS_DRAIN_NAME, MEMPHIS_COUNTERS_NAME, MEMPHIS_PCP_NAME,
					    MEMPHIS_PAPI_NAME};
	char path[MEMPHIS_PROC_PATH], name[17];
	ssize_t length;
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : syscall(SYS_read, fd, name, sizeof(name) - 1);
	if (fd >= 0)
		syscall(SYS_close, fd);
	name[length > 0 ? length - 1 : 0] = '\0'; /* replaces the line feed */
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool memphis_companion_reap(pid_t pid)
{
	struct memphis_companion *companion;
	int saved = errno;
	bool is = false;

	for (companion = atomic_load(&companions); companion; companion = companion->next)
		if (pid == companion->unwaited) {
			/* If the program has waited with WNOWAIT, the entry is still in the process table. */
			sys_call(SYS_wait4, pid, 0, __WALL | WNOHANG, 0, 0, 0);
			companion->unwaited = 0;
			is = true;
		}
	errno = saved;
	return is;
}

void memphis_companions_follow(long number, const long arguments[6])
{
	struct memphis_companion *companion;
	int saved = errno;
	__u32 asked;

	if (!memphis_companions_are_there() || !begin_asking())
		return;
	follow.number = number;
	memcpy(follow.arguments, arguments, sizeof(follow.arguments));
	asked = atomic_fetch_add(&follow.asked, 1) + 1;
	for (companion = atomic_load(&companions); companion; companion = companion->next)
		if (atomic_load(&companion->pid) && companion->program == getpid()) {
			/*
			 * If the thread runs as another user than the companion, it can't send a signal. Then
			 * do not wait for the companion.
			 */
			if (!syscall(SYS_kill, (pid_t)companion->pid, FOLLOW_SIGNAL))
				await_follower(companion, asked);
		}
	end_asking();
	errno = saved;
}
