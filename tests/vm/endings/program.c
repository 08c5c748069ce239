/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Works inside a caliper if the library is there, and ends as its argument selects. Output and exit status are
 * the same with and without the library. One source for a dynamic program, which finds the library only if it
 * is preloaded, and for static ones (LINKED).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <memphis.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES  (4u << 20)
#define WALKS  30
#define ALARMS 50

static char *array;
static void *volatile fresh;
static volatile sig_atomic_t alarms;

#ifdef LINKED
#define begin_caliper memphis_begin
#define end_caliper   memphis_end
#define flush_samples memphis_flush
#else
static int call(void *library, const char *function, const char *name)
{
	int (*caliper)(const char *);
	void *symbol = dlsym(library, function);

	memcpy(&caliper, &symbol, sizeof(caliper));
	return symbol ? caliper(name) : 0;
}

static int begin_caliper(const char *name)
{
	return call(RTLD_DEFAULT, "memphis_begin", name);
}

static int end_caliper(const char *name)
{
	return call(RTLD_DEFAULT, "memphis_end", name);
}

static int flush_samples(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "memphis_flush");
	int (*flush)(void);

	memcpy(&flush, &symbol, sizeof(flush));
	return symbol ? flush() : 0;
}
#endif

__attribute__((noinline)) static long walk(int times)
{
	long sum = 0;
	size_t i;

	while (times--)
		for (i = 0; i < BYTES; i += 64)
			sum += *(volatile char *)&array[i];
	return sum;
}

/* The thread has a caliper of its own, because the main thread's ends with the main thread. */
static void *walk_in_thread(void *unused)
{
	begin_caliper("Thread");
	walk(WALKS);
	end_caliper("Thread");
	return unused;
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Sleeps until all samples have been written to the file: half a second, or longer on a busy host. */
static void linger(void)
{
	fflush(stdout);
	usleep(2500000);
}

static void child_works(void)
{
	begin_caliper("Child");
	walk(WALKS);
	fresh = malloc(BYTES);
	memset(fresh, 1, BYTES);
	end_caliper("Child");
}

static int returns(void)
{
	return 7;
}

static int exit_deep(void)
{
	fflush(stdout);
	exit(5);
}

static void *exit_here(void *unused)
{
	walk(WALKS);
	exit(5);
	return unused;
}

/* Exits while the main thread continues its work. */
static int exit_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exit_here, NULL))
		return 1;
	for (;;)
		walk(1);
}

/* The process ends with its last thread. */
static int thread_outlives(void)
{
	pthread_t thread;

	fflush(stdout);
	if (!pthread_create(&thread, NULL, walk_in_thread, NULL))
		pthread_exit(NULL);
	return 1;
}

static int exit_at_once(void)
{
	linger();
	_exit(3);
}

static int exit_quickly(void)
{
	fflush(stdout);
	quick_exit(4);
}

static int aborts(void)
{
	linger();
	abort();
}

static int faults(void)
{
	linger();
	raise(SIGSEGV);
	return 1;
}

static int is_killed(void)
{
	linger();
	raise(SIGKILL);
	return 1;
}

/*
 * Waits until the process has waited for work in poll(2) for 50 ms, for 100 seconds at most. What it was asked to do may begin and end after its answer, and
 * it waits elsewhere while it works.
 */
static void await_poll(int pid)
{
	char path[64];
	int number, quiet = 0, i;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (i = 0; i < 100000 && quiet < 50; i++) {
		usleep(1000);
		file = fopen(path, "r");
		if (!file)
			return; /* It has ended. */
		/* "running", if it does not wait. */
		if (fscanf(file, "%d", &number) != 1)
			number = -1;
		fclose(file);
		quiet = number == SYS_poll ? quiet + 1 : 0;
	}
}

/* Kills the companions of the library, which are children of this process, when they have nothing to do. */
static void kill_companions(void)
{
	char path[64], name[16];
	FILE *children, *file;
	int child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	children = fopen(path, "r");
	while (children && fscanf(children, "%d", &child) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", child);
		file = fopen(path, "r");
		if (file && fscanf(file, "%15s", name) == 1 && !strcmp(name, "memphis-drain")) {
			await_poll(child);
			kill(child, SIGKILL);
		}
		if (file)
			fclose(file);
	}
	if (children)
		fclose(children);
}

static int outlives_companion(void)
{
	flush_samples();
	kill_companions();
	walk(WALKS);
	return 7;
}

static int is_killed_after_companion(void)
{
	flush_samples();
	kill_companions();
	raise(SIGKILL);
	return 1;
}

static int is_terminated(void)
{
	linger();
	raise(SIGTERM);
	return 1;
}

static void exit_in_handler(int signal)
{
	exit(signal);
}

static int exits_in_handler(void)
{
	fflush(stdout);
	signal(SIGTERM, exit_in_handler);
	raise(SIGTERM);
	return 1;
}

static int executes(void)
{
	fflush(stdout);
	execl("/proc/self/exe", "program", "return", (char *)NULL);
	return 1;
}

static int executes_nothing(void)
{
	execl("/nonexistent", "program", (char *)NULL);
	walk(WALKS);
	return errno == ENOENT ? 6 : 1;
}

static int forks(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		child_works();
		exit(4);
	}
	printf("child %d\n", wait_for(pid));
	walk(WALKS);
	return 7;
}

static int forks_raw(void)
{
	pid_t pid;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_fork);
	if (!pid) {
		child_works();
		exit(4);
	}
	printf("child %d\n", wait_for(pid));
	walk(WALKS);
	return 7;
}

/* Starts children that only end, or become other programs. */
static int spawns(void)
{
	char *arguments[] = {"program", "child", NULL};
	extern char **environ;
	pid_t pid;

	fflush(stdout);
	pid = vfork();
	if (!pid)
		_exit(2);
	printf("vfork %d\n", wait_for(pid));
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ))
		return 1;
	printf("spawn %d\n", wait_for(pid));
	printf("system %d\n", WEXITSTATUS(system("exit 3")));
	walk(WALKS);
	return 7;
}

static int is_child(void)
{
	return 8;
}

/* Like daemon(3), but closes all descriptors that may be open, as daemons do. */
static int is_daemon(void)
{
	int fd, out = dup(STDOUT_FILENO);

	end_caliper("Work");
	fflush(stdout);
	if (fork())
		return 7;
	setsid();
	if (chdir("/") || fork())
		_exit(0);
	for (fd = 0; fd < (int)sysconf(_SC_OPEN_MAX) && fd < 70000; fd++)
		if (fd != out)
			close(fd);
	/* Its log file replaces standard error. */
	for (fd = 0; fd < 3; fd++)
		if (open(fd == 2 ? "/dev/shm/daemon" : "/dev/null", O_RDWR | O_CREAT | O_TRUNC, 0600) != fd)
			_exit(1);
	child_works();
	if (dprintf(2, "the daemon's own\n") < 0 || dprintf(out, "daemon\n") < 0)
		_exit(1);
	exit(0);
}

static int closes_all(void)
{
	int i;

	fflush(stdout);
	closefrom(3);
	for (i = 0; i < 700; i++)
		if (dup(1) < 0)
			break;
	walk(WALKS);
	return 7;
}

static int opens_all(void)
{
	struct rlimit limit;
	pthread_t thread;
	int count = 0;

	while (dup(1) >= 0)
		count++;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("%d files, of %d\n", count, (int)limit.rlim_cur);
	if (pthread_create(&thread, NULL, walk_in_thread, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 7;
}

/* The handler may interrupt the program's allocator (bump.c). */
static void allocate_in_handler(int signal)
{
	(void)signal;
	alarms++;
	free(malloc(8192));
}

static int is_interrupted(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}};

	signal(SIGALRM, allocate_in_handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (alarms < ALARMS)
		free(malloc(8192));
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	walk(WALKS);
	return 7;
}

#ifndef LINKED
/* A thread that the library finds only by looking for new threads, while it sleeps. */
static void *walk_when_found(void *unused)
{
	linger();
	return walk_in_thread(unused);
}
#endif

/* Loads and unloads a library while the program allocates and creates threads. */
static int unloads(void)
{
#ifndef LINKED
	const char *path = getenv("UNLOADED");
	void *library;
	pthread_t thread;
	int i;

	library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (library && call(library, "memphis_begin", "Loaded"))
		return 1;
	walk(WALKS);
	fresh = malloc(BYTES);
	if (library && dlclose(library))
		return 1;
	for (i = 0; i < 3; i++) {
		free(fresh);
		fresh = malloc(BYTES);
		memset(fresh, i, BYTES);
		if (pthread_create(&thread, NULL, i < 2 ? walk_in_thread : walk_when_found, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
#endif
	return 7;
}

/* The kernel allows this only to a single-threaded process. */
static int enters_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		return 1;
	walk(WALKS);
	fresh = malloc(BYTES);
	return 7;
}

/* From here on, the process can't create threads. */
static int goes_without_threads(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 1;
	/* A number of samples that small buffers hold, because nothing drains them before the end. */
	walk(2);
	return 7;
}

static const struct {
	const char *name;
	int (*end)(void);
} endings[] = {
	{"return", returns},
	{"exit", exit_deep},
	{"exit-in-thread", exit_in_thread},
	{"pthread_exit", thread_outlives},
	{"_exit", exit_at_once},
	{"quick_exit", exit_quickly},
	{"abort", aborts},
	{"fault", faults},
	{"kill", is_killed},
	{"kill-companion", outlives_companion},
	{"kill-both", is_killed_after_companion},
	{"term", is_terminated},
	{"exit-in-handler", exits_in_handler},
	{"exec", executes},
	{"exec-nothing", executes_nothing},
	{"fork", forks},
	{"raw-fork", forks_raw},
	{"spawn", spawns},
	{"child", is_child},
	{"daemon", is_daemon},
	{"close-all", closes_all},
	{"open-all", opens_all},
	{"interrupt", is_interrupted},
	{"unload", unloads},
	{"unshare", enters_namespace},
	{"unshare-pid", goes_without_threads},
};

int main(int argc, char **argv)
{
	size_t i;
	int fd;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (argc > 1 && !strcmp(argv[1], endings[i].name))
			break;
	if (i == sizeof(endings) / sizeof(endings[0]))
		return 1;
	array = calloc(1, BYTES);
	if (endings[i].end == is_child)
		return is_child();
	begin_caliper("Work");
	/*
	 * Even a small limit has space for these samples. How many samples come at once later depends on
	 * the machine's speed.
	 */
	walk(1);
	flush_samples();
	walk(WALKS);
	/* Programs rely on getting the lowest descriptor number that they left free. */
	fd = argc > 2 ? -1 : dup(0);
	printf("%s: next is %d\n", argv[1], fd);
	close(fd);
	fd = endings[i].end();
	end_caliper("Work");
	return fd;
}
