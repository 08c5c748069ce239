/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose I/O is known. usage: io SCENARIO, in an empty directory; what a scenario does is in its comment. */
#include <memphis.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
			exit(1);                                           \
		}                                                          \
	} while (0)

static char block[4096];

/* Each function once or several times, with different numbers of bytes. */
static void calls(void)
{
	struct iovec parts[] = {{block, 1000}, {block, 24}};
	FILE *stream;
	int fd;

	fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0640);
	CHECK(write(fd, block, 4096) == 4096 && write(fd, block, 100) == 100);
	CHECK(pwrite(fd, block, 11, 0) == 11 && pwrite64(fd, block, 12, 0) == 12);
	CHECK(writev(fd, parts, 2) == 1024 && pwritev(fd, parts, 1, 0) == 1000);
	CHECK(!fsync(fd) && !fdatasync(fd) && !lseek(fd, 0, SEEK_SET));
	CHECK(read(fd, block, 4000) == 4000 && pread(fd, block, 7, 0) == 7 && pread64(fd, block, 8, 0) == 8);
	CHECK(readv(fd, parts, 2) == 1024 && preadv(fd, parts, 2, 0) == 1024);
	CHECK(!ftruncate(fd, 3000) && pread(fd, block, 4096, 2900) == 100 && !close(fd));
	fd = openat(AT_FDCWD, "data", O_RDONLY);
	CHECK(read(fd, block, 1) == 1 && !close(fd));
	stream = fopen("text", "w+");
	CHECK(fwrite(block, 10, 5, stream) == 5 && fprintf(stream, "%d", 1234) == 4 &&
	      fputs("abc\n", stream) >= 0);
	CHECK(!fflush(stream) && !fseek(stream, 0, SEEK_SET) && fread(block, 10, 5, stream) == 5);
	CHECK(fgets(block, sizeof(block), stream) && !fclose(stream));
}

/* Closes a descriptor above `number`, which somebody has for a moment; one below stays open, so that `number` is the next one. */
static void try_again(int fd, int number)
{
	CHECK(fd >= 0 && (fd < number || !close(fd)) && !usleep(1000));
}

/* Opens a file as this descriptor, which is free; the library may have it, or had a lower one, for a moment. */
static void open_as(int number, const char *path)
{
	int fd;

	while ((fd = open(path, O_WRONLY | O_CREAT, 0600)) != number)
		try_again(fd, number);
	CHECK(write(number, block, 10) == 10);
}

/* What is no file: sockets, pipes and streams of memory. */
static void others(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	int ends[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && write(ends[0], block, 10) == 10);
	CHECK(read(ends[1], block, 10) == 10 && !close(ends[0]) && !close(ends[1]));
	CHECK(!pipe(ends) && write(ends[1], block, 10) == 10 && read(ends[0], block, 10) == 10);
	/* The number of a pipe's end becomes that of a file. */
	CHECK(!close(ends[0]));
	open_as(ends[0], "data");
	CHECK(dup2(ends[0], ends[1]) == ends[1] && write(ends[1], block, 6) == 6);
	CHECK(fwrite(block, 1, 10, stream) == 10 && !fclose(stream));
}

/* The same for the end of a pipe, through which some bytes go. Returns the other end. */
static int pipe_as(int number)
{
	int ends[2];

	while (!pipe(ends) && ends[0] != number) {
		CHECK(!close(ends[1]));
		try_again(ends[0], number);
	}
	CHECK(write(ends[1], block, 7) == 7 && read(number, block, 7) == 7);
	return ends[1];
}

/*
 * Descriptors that are closed without a call of close(), and used again: that of a stream of popen(), of a range, of a stream that can't be
 * opened again; and one that a child of vfork() has used for a pipe.
 */
static void reused(void)
{
	FILE *stream = popen("echo x", "r");
	int fd = fileno(stream), ends[2], other, status;
	pid_t pid;

	CHECK(fgets(block, sizeof(block), stream) && !pclose(stream));
	open_as(fd, "one");
	CHECK(!close_range((unsigned int)fd, (unsigned int)fd, 0));
	other = pipe_as(fd);
	CHECK(!close_range((unsigned int)fd, (unsigned int)fd, 0) && !close(other));
	open_as(fd, "two");
	stream = fdopen(fd, "w");
	CHECK(stream && !freopen("none/none", "w", stream));
	other = pipe_as(fd);
	CHECK(!close(fd) && !close(other));
	open_as(fd, "three");
	CHECK(!pipe(ends));
	pid = vfork();
	if (!pid) {
		dup2(ends[1], fd);
		_exit(write(fd, block, 7) == 7 ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status && write(fd, block, 100) == 100 && !close(fd));
}

/* Streams of memory leave errno alone. */
static void memory(void)
{
	char text[] = "one\ntwo\n", *made = NULL;
	size_t bytes;
	FILE *stream = fmemopen(text, sizeof(text) - 1, "r"), *out = open_memstream(&made, &bytes);

	errno = 0;
	while (fgets(block, sizeof(block), stream))
		CHECK(!errno);
	CHECK(!errno && fread(block, 1, 1, stream) == 0 && !errno && !fclose(stream) && !errno);
	errno = ENOENT;
	CHECK(fprintf(out, "%m") > 0 && !fflush(out) && !strcmp(made, strerror(ENOENT)) && !fclose(out));
	free(made);
}

/* Results and errno are those of the C library. */
static void errors(void)
{
	int fd;

	memory();
	errno = 0;
	CHECK(open("none/none", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(read(-1, block, 1) == -1 && errno == EBADF);
	CHECK(write(9999, block, 1) == -1 && errno == EBADF);
	CHECK(!fopen("none/none", "r") && errno == ENOENT);
	fd = open("data", O_RDONLY | O_CREAT, 0604);
	CHECK(write(fd, block, 1) == -1 && errno == EBADF && close(fd) == 0 && close(fd) == -1 &&
	      errno == EBADF);
	errno = 77;
	fd = open("data", O_RDWR);
	CHECK(write(fd, block, 10) == 10 && !fsync(fd) && close(fd) == 0 && errno == 77);
}

static sigjmp_buf back;
static int log_fd;
static volatile sig_atomic_t logged, jumps;

static void log_line(int number)
{
	(void)number;
	CHECK(write(log_fd, block, 3) == 3);
	logged = logged + 1;
}

static void jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* The calls have frames inside of that of their caller. */
static __attribute__((noinline)) void write_deeper(int fd)
{
	volatile char frame[4096];
	int i;

	frame[0] = 0;
	for (i = 0; i < 5; i++)
		CHECK(pwrite(fd, block, 1, frame[0]) == 1);
}

/* Opens regions and writes, while a handler writes. Returns the number of writes. */
static int write_in_regions(int fd)
{
	const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	char name[16];
	int i;

	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 20000 || logged <= 100; i++) {
		snprintf(name, sizeof(name), "R%d", i % 3000);
		memphis_begin(name);
		CHECK(write(fd, block, 10) == 10);
		memphis_end(name);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return i;
}

/* A handler writes beside the program, and another one leaves a call by siglongjmp(); 5 calls follow. */
static void handlers(void)
{
	const struct itimerval once = {{0, 0}, {0, 50000}};
	const struct sigaction logs = {.sa_handler = log_line, .sa_flags = SA_RESTART},
			       jumping = {.sa_handler = jump};
	int fd = open("data", O_WRONLY | O_CREAT, 0600), fifo;

	log_fd = open("log", O_WRONLY | O_CREAT, 0600);
	sigaction(SIGALRM, &logs, NULL);
	printf("writes %d ", write_in_regions(fd));
	sigaction(SIGALRM, &jumping, NULL);
	CHECK(!mkfifo("fifo", 0600));
	fifo = open("fifo", O_RDWR);
	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &once, NULL);
		CHECK(read(fifo, block, 1) < 0);
	}
	write_deeper(fd);
	printf("handlers %d\n", (int)logged);
}

static void *block_in_read(void *fifo)
{
	CHECK(read(*(int *)fifo, block, 1) < 0);
	return NULL;
}

/* A thread is cancelled in a call, which does not count. */
static void cancelled(void)
{
	pthread_t thread;
	void *result;
	int fifo;

	CHECK(!mkfifo("fifo", 0600));
	fifo = open("fifo", O_RDWR);
	CHECK(!pthread_create(&thread, NULL, block_in_read, &fifo));
	usleep(50000);
	CHECK(!pthread_cancel(thread) && !pthread_join(thread, &result) && result == PTHREAD_CANCELED);
}

/* The child writes more often than its parent. */
static void forked(void)
{
	int fd = open("data", O_WRONLY | O_CREAT, 0600), i, status;
	pid_t pid;

	for (i = 0; i < 3; i++)
		CHECK(write(fd, block, 10) == 10);
	pid = fork();
	if (!pid) {
		memphis_begin("Work");
		for (i = 0; i < 5; i++)
			CHECK(write(fd, block, 100) == 100);
		memphis_end("Work");
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

/* Two threads write 10000 times each, to files of their own. */
static void *write_often(void *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600), i;

	memphis_begin("Thread");
	for (i = 0; i < 10000; i++)
		CHECK(pwrite(fd, block, 2, 0) == 2);
	memphis_end("Thread");
	return NULL;
}

static void threads(void)
{
	static char paths[][8] = {"one", "two"};
	pthread_t list[2];
	int i;

	for (i = 0; i < 2; i++)
		CHECK(!pthread_create(&list[i], NULL, write_often, paths[i]));
	for (i = 0; i < 2; i++)
		CHECK(!pthread_join(list[i], NULL));
}

/* Eight threads run at the same time. Each of them writes once into each of a hundred files of its own. */
static pthread_barrier_t all_there;

static void *write_files(void *first)
{
	int fd, i;
	char path[24];

	pthread_barrier_wait(&all_there);
	for (i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "f%d", *(int *)first + i);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		CHECK(write(fd, block, 1) == 1 && !close(fd));
	}
	return NULL;
}

static void crowd(void)
{
	pthread_t list[8];
	int first[8], i;

	pthread_barrier_init(&all_there, NULL, 8);
	for (i = 0; i < 8; i++) {
		first[i] = 100 * i;
		CHECK(!pthread_create(&list[i], NULL, write_files, &first[i]));
	}
	for (i = 0; i < 8; i++)
		CHECK(!pthread_join(list[i], NULL));
}

/* More files than have names. */
static void many(void)
{
	char path[16];
	int i, fd;

	for (i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "f%d", i);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		CHECK(write(fd, block, 1) == 1 && !close(fd));
	}
}

/* Prints the time of 20 writes of 8 MB, as the program sees it. */
static void timed(void)
{
	struct timespec t;
	double before, ns = 0;
	char *large = calloc(8, 1 << 20);
	int fd = open("data", O_WRONLY | O_CREAT, 0600), i;

	for (i = 0; i < 20; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		before = 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
		CHECK(pwrite(fd, large, 8 << 20, 0) == 8 << 20);
		clock_gettime(CLOCK_MONOTONIC, &t);
		ns += 1e9 * (double)t.tv_sec + (double)t.tv_nsec - before;
	}
	printf("ns %.0f\n", ns);
	free(large);
}

static int large_fd;
static char *large_block;
static double called_ns; /* in calls of the handler */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void arm(void)
{
	const struct itimerval once = {{0, 0}, {0, 10000}};

	setitimer(ITIMER_REAL, &once, NULL);
}

/* Reads for half a second. If the signal came before the read() that it is to interrupt, the next one interrupts it. */
static void read_much(int signal)
{
	const double begin = now_ns();
	double before;

	(void)signal;
	do {
		before = now_ns();
		CHECK(pread(large_fd, large_block, 8 << 20, 0) == 8 << 20);
		called_ns += now_ns() - before;
	} while (before - begin < 5e8);
	arm();
}

/* A read() that a handler interrupts, which reads as well, for most of the time. */
static void interrupted(void)
{
	const struct sigaction reads = {.sa_handler = read_much};
	double before;
	int fifo;

	large_block = calloc(8, 1 << 20);
	large_fd = open("data", O_RDWR | O_CREAT, 0600);
	CHECK(pwrite(large_fd, large_block, 8 << 20, 0) == 8 << 20);
	CHECK(!mkfifo("fifo", 0600));
	fifo = open("fifo", O_RDWR);
	sigaction(SIGALRM, &reads, NULL);
	before = now_ns();
	arm();
	CHECK(read(fifo, block, 1) < 0);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	printf("ns %.0f called_ns %.0f\n", now_ns() - before, called_ns);
	free(large_block);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"calls", calls},       {"others", others},       {"reused", reused},           {"errors", errors},
	{"handlers", handlers}, {"cancelled", cancelled}, {"forked", forked},           {"threads", threads},
	{"many", many},         {"timed", timed},         {"interrupted", interrupted}, {"crowd", crowd},
};

int main(int argc, char **argv)
{
	size_t i;

	memphis_begin("Work");
	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (argc > 1 && !strcmp(argv[1], scenarios[i].name))
			scenarios[i].run();
	memphis_end("Work");
	return 0;
}
