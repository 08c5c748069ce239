/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints, for each kind of call, how many bytes of the calling thread's stack it has used: "NAME BYTES". Each runs in a new thread, whose first call of
 * the library it is. Run with and without the library, the difference is what the library adds. Without it, calipers do nothing.
 * usage: usage NAME...
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <threads.h>
#include <unistd.h>

#define STACK_BYTES (1 << 18)
#define SPARE \
	512 /* bytes below the frame of measure() that are not painted, since the painting function runs there */
#define BLOCK  20000
#define EVENTS 200000 /* more than the blocks of events hold until they are compacted */
#define KEPT   3000

static unsigned char *stack;
static void *kept[KEPT];
/* Those of the library, if it is loaded. */
static int (*begin)(const char *name), (*end)(const char *name);
static void *volatile sink;

static void check(int is_well)
{
	if (!is_well)
		abort();
}

static void use_malloc(void)
{
	free(sink = malloc(BLOCK));
}

static void use_small(void)
{
	int i;

	for (i = 0; i < 100000; i++)
		free(sink = malloc(100));
}

static void use_others(void)
{
	void *block = calloc(2, BLOCK);

	sink = block = realloc(block, 2 * BLOCK);
	sink = block = reallocarray(block, 3, BLOCK);
	free(block);
	check(!posix_memalign(&block, 64, BLOCK));
	free(block);
	free(sink = aligned_alloc(64, 64 * BLOCK));
}

/* Fills blocks of events, and lets the library compact them while they still hold events that it can't drop. */
static void use_events(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		free(kept[i % KEPT]);
		kept[i % KEPT] = malloc(BLOCK);
	}
}

/* Grows the table of call stacks. */
static __attribute__((noinline)) void spread(int depth, unsigned int way)
{
	if (depth && way & 1)
		spread(depth - 1, way >> 1);
	else if (depth)
		spread(depth - 1, way >> 1);
	else
		free(sink = malloc(BLOCK));
	__asm__ volatile("" ::: "memory");
}

static void use_stacks(void)
{
	unsigned int way;

	for (way = 0; way < 1024; way++)
		spread(10, way);
}

static void use_mmap(void)
{
	char *start = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(start != MAP_FAILED);
	start = mmap(start, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	start = mremap(start, 1 << 20, 1 << 21, MREMAP_MAYMOVE);
	check(start != MAP_FAILED);
	munmap(start, 1 << 21);
}

static void use_shared(void)
{
	const int file = memfd_create("usage", 0);
	void *start;

	check(!ftruncate(file, 1 << 20));
	start = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	check(start != MAP_FAILED);
	munmap(start, 1 << 20);
	close(file);
}

static void use_segment(void)
{
	const int segment = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
	void *start = shmat(segment, NULL, 0);

	shmctl(segment, IPC_RMID, NULL);
	check(start != (void *)-1);
	start = shmat(segment, start, SHM_REMAP);
	shmdt(start);
}

static void use_break(void)
{
	char *old = sbrk(1 << 20);

	check(!brk(old));
}

static void use_calipers(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		begin("outer");
		begin("inner");
		begin("innermost");
		end("inner");
		end("innermost");
		end("outer");
	}
}

/* The first caliper of a process opens the session. */
static void use_first(void)
{
	begin("first");
	end("first");
}

/* Leaves calipers. */
static void use_left(void)
{
	jmp_buf out;
	volatile int i;

	for (i = 0; i < 10; i++) {
		begin("around");
		if (!setjmp(out)) {
			begin("left");
			begin("inside");
			longjmp(out, 1);
		}
		end("around");
	}
}

static void use_file(void)
{
	char byte = 1;
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	check(file >= 0 && write(file, &byte, 1) == 1 && pread(file, &byte, 1, 0) == 1 &&
	      !ftruncate(file, 0));
	check(dup2(file, file + 1) == file + 1 && write(file + 1, &byte, 1) == 1);
	close(file + 1);
	close(file);
}

static void use_stream(void)
{
	FILE *file = fopen("/dev/null", "w");

	check(file && fwrite("text", 1, 4, file) == 4 && fputs("text", file) >= 0 && !fflush(file));
	fclose(file);
}

static void *do_nothing(void *argument)
{
	return argument;
}

static int do_nothing_c11(void *argument)
{
	return argument != NULL;
}

static void use_create(void)
{
	pthread_t thread;
	thrd_t other;

	check(!pthread_create(&thread, NULL, do_nothing, NULL) && !pthread_join(thread, NULL));
	check(thrd_create(&other, do_nothing_c11, NULL) == thrd_success &&
	      thrd_join(other, NULL) == thrd_success);
}

static void use_nothing(void)
{
}

static const struct {
	const char *name;
	void (*use)(void);
} kinds[] = {
	{"malloc", use_malloc}, {"small", use_small},       {"others", use_others},  {"events", use_events},
	{"stacks", use_stacks}, {"mmap", use_mmap},         {"shared", use_shared},  {"segment", use_segment},
	{"break", use_break},   {"calipers", use_calipers}, {"left", use_left},      {"file", use_file},
	{"stream", use_stream}, {"create", use_create},     {"thread", use_nothing},
};

/* Returns the lowest byte of the stack that was written since paint(). */
static unsigned char *lowest(void)
{
	unsigned char *at = stack;

	while (*at == 0xa5)
		at++;
	return at;
}

static __attribute__((noinline)) void paint(void)
{
	memset(stack, 0xa5, (size_t)((unsigned char *)__builtin_frame_address(0) - SPARE - stack));
}

static unsigned char *first;
static size_t bytes;

static __attribute__((noinline)) void measure(void (*use)(void))
{
	first = lowest();
	paint();
	use();
	bytes = (size_t)((unsigned char *)__builtin_frame_address(0) - lowest());
}

static void *run(void *argument)
{
	measure(*(void (**)(void))argument);
	return NULL;
}

static void report(const char *name, void (*use)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(stack != MAP_FAILED);
	memset(stack, 0xa5, STACK_BYTES);
	check(!pthread_attr_init(&attributes) && !pthread_attr_setstack(&attributes, stack, STACK_BYTES));
	check(!pthread_create(&thread, &attributes, run, &use) && !pthread_join(thread, NULL));
	if (use == use_nothing) {
		printf("begin %zu\n", (size_t)(stack + STACK_BYTES - first));
		printf("end %zu\n", (size_t)(stack + STACK_BYTES - lowest()));
	} else {
		printf("%s %zu\n", name, bytes);
	}
	munmap(stack, STACK_BYTES);
}

static __attribute__((noinline)) int no_caliper(const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return 0;
}

/* Finds a function of the library. */
static void *find(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	return function ? function : (void *)no_caliper;
}

int main(int count, char **names)
{
	size_t i;
	int at;

	*(void **)&begin = find("memphis_begin");
	*(void **)&end = find("memphis_end");
	report("first", use_first);
	if (getenv("USAGE_SESSION"))
		begin("session");
	for (at = 1; at < count; at++)
		for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(kinds[i].name, names[at]))
				report(names[at], kinds[i].use);
	for (i = 0; count == 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		report(kinds[i].name, kinds[i].use);
	return 0;
}
