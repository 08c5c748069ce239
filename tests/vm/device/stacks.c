// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies of the user's stack: what the device accepts, for which samples it copies and how much, that the bytes are those of the thread's stack and
 * end where the stack's memory ends, what happens with a full ring, a wrong tail and stack pointers that are none or point to a
 * device, and how much is copied at most.
 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define LARGE  (16u << 20) /* larger than an L3 */
#define LOADS  3000000u
#define STACKS 1024u
#define BYTES  512u
#define WORDS  8u

static const uint64_t *buffer;

static int configure(uint32_t bytes, uint32_t stacks)
{
	struct memphis_config config = some_config();
	int fd = open_device(), error;

	config.stack_bytes = bytes;
	config.stack_records = stacks;
	error = request(fd, MEMPHIS_IOC_CONFIGURE, &config);
	close_device(fd);
	return error;
}

static void check_values(void)
{
	check_equal("stacks: none", configure(0, 0), 0);
	check_equal("stacks: smallest", configure(8, 1), 0);
	check_equal("stacks: largest", configure(MEMPHIS_STACK_BYTES_MAX, 4096), 0);
	check_equal("stacks: EINVAL: a ring without bytes", configure(0, 1), EINVAL);
	check_equal("stacks: EINVAL: bytes without a ring", configure(8, 0), EINVAL);
	check_equal("stacks: EINVAL: bytes that are no words", configure(12, 1), EINVAL);
	check_equal("stacks: EINVAL: too many bytes", configure(MEMPHIS_STACK_BYTES_MAX + 8, 1), EINVAL);
	check_equal("stacks: EINVAL: ring not a power of two", configure(8, 3), EINVAL);
	check_equal("stacks: EINVAL: more stacks than records", configure(8, 8192), EINVAL);
}

/* A session whose only thread is the caller. */
struct run {
	int fd;
	struct memphis_control *session;
	struct memphis_program *program;
	struct thread_map map;
	uint32_t bytes, stacks;
};

static struct run begin(uint32_t bytes, uint32_t stacks)
{
	struct memphis_config config = some_config();
	struct run run = {.fd = open_device(), .bytes = bytes, .stacks = stacks};

	config.stack_bytes = bytes;
	config.stack_records = stacks;
	need(!request(run.fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	run.session = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, run.fd, 0);
	need(run.session != MAP_FAILED, "map of the session's page");
	run.program = (void *)((char *)run.session + MEMPHIS_PROGRAM_OFFSET);
	run.map = attach_mapped(run.fd, 0, &config);
	return run;
}

static void start(const struct run *run)
{
	need(!request(run->fd, MEMPHIS_IOC_START, NULL), "start");
}

static void stop(const struct run *run)
{
	need(!request(run->fd, MEMPHIS_IOC_STOP, NULL), "stop");
}

static void end(struct run *run)
{
	unmap(&run->map);
	munmap(run->session, MEMPHIS_PAGE_BYTES);
	close_device(run->fd);
}

static const struct memphis_user_stack *stack_at(const struct run *run, uint64_t number)
{
	const char *stacks = (const char *)run->map.status + run->map.attach.stacks_at;

	return (const void *)(stacks +
			      number % run->stacks * (sizeof(struct memphis_user_stack) + run->bytes));
}

static void check_areas(void)
{
	struct run run = begin(0, 0);

	check_equal("areas: a session without stacks has none", run.map.attach.stacks_at, 0);
	check_equal("areas: size without stacks", run.map.attach.ring_bytes, 4096 + 4096 * 40);
	end(&run);
	run = begin(BYTES, STACKS);
	check_equal("areas: the stacks follow the records", run.map.attach.stacks_at, 4096 + 4096 * 40);
	/* 1024 * (40 + 512) is 138 pages. */
	check_equal("areas: size with stacks", run.map.attach.ring_bytes, 4096 + 4096 * 40 + 138 * 4096);
	end(&run);
}

/* Loads from a function whose caller has known words on the stack. Returns the address of these words. */
static __attribute__((noinline)) uint64_t load_below_words(void)
{
	volatile uint64_t words[WORDS];

	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = 0x5a5a000000000000u + i;
	walk(buffer, LARGE, LOADS);
	return (uintptr_t)&words[0] + (words[0] & 1);
}

static void check_own_code(void)
{
	struct run run = begin(BYTES, STACKS);

	run.program->ranges[0].start = 0;
	run.program->ranges[0].end = ~0ull;
	run.program->count = 1;
	start(&run);
	load_below_words();
	stop(&run);
	check("own code: samples are taken", run.map.status->head > 10);
	check_equal("own code: no stack is copied", run.map.status->stack_head, 0);
	/* A count that no program can have is taken as none. */
	run.program->count = MEMPHIS_PROGRAM_RANGES_MAX + 1;
	start(&run);
	load_below_words();
	stop(&run);
	check("own code: a wrong count of ranges is taken as 0", run.map.status->stack_head > 10);
	end(&run);
}

static void check_bytes(void)
{
	uint64_t words, with_words = 0, of_walk = 0, bad_words = 0, bad_order = 0, in_kernel = 0, i;
	const struct memphis_user_stack *stack;
	struct run run = begin(BYTES, STACKS);

	start(&run);
	words = load_below_words();
	stop(&run);
	check("bytes: samples are taken", run.map.status->head > 10 && run.map.status->head < STACKS);
	check_equal("bytes: each sample has a stack", run.map.status->stack_head, run.map.status->head);
	for (i = 0; i < run.map.status->stack_head; i++) {
		const struct memphis_sample *sample = &run.map.records[i];
		uint64_t copied[WORDS];

		stack = stack_at(&run, i);
		bad_order += stack->sample != i;
		in_kernel += stack->flags == MEMPHIS_STACK_IN_KERNEL && !stack->bytes && !stack->sp;
		if (!in_walk(sample->pc) || stack->flags)
			continue;
		of_walk++;
		if (stack->sp > words || words + sizeof(copied) > stack->sp + stack->bytes)
			continue;
		memcpy(copied, (const char *)(stack + 1) + (words - stack->sp), sizeof(copied));
		for (unsigned int w = 0; w < WORDS; w++)
			bad_words += copied[w] != 0x5a5a000000000000u + w;
		with_words++;
	}
	check_equal("bytes: each stack names its sample", bad_order, 0);
	check("bytes: most interrupts hit the program", of_walk > 10 && 10 * in_kernel < i);
	check_equal("bytes: each copy reaches the caller's frame", with_words, of_walk);
	check_equal("bytes: each copy has the words of the stack", bad_words, 0);
	end(&run);
}

static ucontext_t back, there;

static void load_there(void)
{
	walk(buffer, LARGE, LOADS);
}

static void load_on(char *stack, size_t size)
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &back;
	makecontext(&there, load_there, 0);
	swapcontext(&back, &there);
}

/* A stack whose memory ends little above the stack pointer. */
static void check_end_of_stack(void)
{
	const size_t size = 65536;
	char *memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t of_walk = 0, wrong = 0, i;
	struct run run = begin(BYTES, STACKS);

	need(memory != MAP_FAILED && !munmap(memory + size, 4096), "stack");
	start(&run);
	load_on(memory, size);
	stop(&run);
	for (i = 0; i < run.map.status->stack_head; i++) {
		const struct memphis_user_stack *stack = stack_at(&run, i);

		if (!in_walk(run.map.records[stack->sample].pc) || stack->flags)
			continue;
		of_walk++;
		wrong += stack->bytes >= BYTES || stack->sp + stack->bytes != (uintptr_t)memory + size;
	}
	check("end of stack: samples are taken", of_walk > 10);
	check_equal("end of stack: each copy ends with the stack", wrong, 0);
	munmap(memory, size);
	end(&run);
}

static void check_full_ring(void)
{
	struct run run = begin(BYTES, 4);
	struct pollfd poll_for = {.fd = run.fd, .events = POLLIN};
	uint64_t head;

	check_equal("full: nothing to poll for in an empty ring", (uint64_t)poll(&poll_for, 1, 0), 0);
	start(&run);
	load_below_words();
	stop(&run);
	head = run.map.status->head;
	check("full: samples are taken beside a full ring of stacks", head > 10);
	check_equal("full: none is lost", read_books(&run.map).lost, 0);
	check_equal("full: as many stacks as there is room", run.map.status->stack_head, 4);
	check_equal("full: the last stack is that of the fourth sample", stack_at(&run, 3)->sample, 3);
	check_equal("full: poll reports it, far below the wake-up of the records",
		    (uint64_t)poll(&poll_for, 1, 0), 1);
	run.map.control->stack_tail = 4;
	check_equal("full: poll reports nothing after the stacks were read", (uint64_t)poll(&poll_for, 1, 0),
		    0);
	start(&run);
	load_below_words();
	stop(&run);
	check_equal("full: there is room again", run.map.status->stack_head, 8);
	check_equal("full: the next stack is that of the next sample", stack_at(&run, 4)->sample, head);
	run.map.control->stack_tail = 1ull << 60;
	start(&run);
	load_below_words();
	stop(&run);
	check_equal("full: a ring with an impossible tail counts as full", run.map.status->stack_head, 8);
	end(&run);
}

/*
 * Makes loads from the first words of the buffer, as many as that number of bits, while the stack pointer has the value `sp`. No signal arrives
 * during the loads, so that nothing uses the stack.
 */
static __attribute__((noinline)) void load_words_with_sp(uint64_t sp, unsigned int bits)
{
	uint64_t loads = LOADS / 2, state = 1;

	asm volatile("mov %%rsp, %%r12\n"
		     "mov %[sp], %%rsp\n"
		     "1: imul %[factor], %[state]\n"
		     "add %[odd], %[state]\n"
		     "mov %[state], %%rax\n"
		     "shr %%cl, %%rax\n"
		     "mov (%[buffer], %%rax, 8), %%rax\n"
		     "dec %[loads]\n"
		     "jnz 1b\n"
		     "mov %%r12, %%rsp\n"
		     : [state] "+r"(state), [loads] "+r"(loads)
		     : [sp] "r"(sp), [factor] "r"(6364136223846793005ull), [odd] "r"(1442695040888963407ull),
		       [buffer] "r"(buffer), "c"(64 - bits)
		     : "rax", "r12", "memory", "cc");
}

static void load_with_sp(uint64_t sp)
{
	load_words_with_sp(sp, 21); /* LARGE */
}

/* Each copy at this stack pointer has this many bytes. */
static void check_copies(const char *name, uint64_t sp, uint32_t bytes)
{
	struct run run = begin(BYTES, STACKS);
	uint64_t other_bytes = 0, of_sp = 0, i;
	char text[100];

	start(&run);
	load_with_sp(sp);
	stop(&run);
	for (i = 0; i < run.map.status->stack_head; i++) {
		const struct memphis_user_stack *stack = stack_at(&run, i);

		if (stack->sp && stack->sp != sp)
			continue; /* from before or after the loads */
		of_sp++;
		other_bytes += stack->sp ? stack->bytes != bytes : stack->bytes != 0;
	}
	snprintf(text, sizeof(text), "pointer %s: samples are taken", name);
	check(text, of_sp > 10);
	snprintf(text, sizeof(text), "pointer %s: %u bytes are copied", name, bytes);
	check_equal(text, other_bytes, 0);
	end(&run);
}

static void check_no_stack(const char *name, uint64_t sp)
{
	check_copies(name, sp, 0);
}

/*
 * Samples in the program's own code, of data on the stack: the stack begins and ends within the words, and the stack pointer is between two of
 * them.
 */
static void check_own_data(void)
{
	const uint64_t low = (uintptr_t)buffer + 256, high = low + 1536, sp = low + 516;
	uint64_t below = 0, near = 0, far = 0, bad_bytes = 0, bad_place = 0, with_sp = 0, inside = 0, i;
	struct run run = begin(BYTES, STACKS);

	run.program->ranges[0].start = 0;
	run.program->ranges[0].end = ~0ull;
	run.program->count = 1;
	run.map.control->stack_low = low;
	run.map.control->stack_high = high;
	start(&run);
	load_words_with_sp(sp, 8);
	stop(&run);
	for (i = 0; i < run.map.status->head; i++)
		inside += run.map.records[i].address >= low && run.map.records[i].address < high;
	for (i = 0; i < run.map.status->stack_head; i++) {
		const struct memphis_user_stack *stack = stack_at(&run, i);
		const uint64_t address = run.map.records[stack->sample].address;
		const uint64_t bytes = address <= sp ? 0 : (address - sp + 7) / 8 * 8;

		bad_place += address < low || address >= high;
		if (stack->sp != sp)
			continue; /* from before or after the loads */
		with_sp++;
		below += !bytes;
		near += bytes && bytes < BYTES;
		far += bytes > BYTES;
		bad_bytes += stack->bytes != (bytes < BYTES ? bytes : BYTES);
	}
	check("own data: samples are taken below the stack pointer, near it and far above it",
	      below > 2 && near > 2 && far > 2 && run.map.status->head < 4096);
	check_equal("own data: what is below the data is copied, and no more than was asked for", bad_bytes,
		    0);
	check_equal("own data: only data on the stack have a copy", bad_place, 0);
	check("own data: nearly all of them have one", 10 * with_sp > 9 * inside && inside < STACKS);
	end(&run);
}

/* Registers of a device behind a page of memory: reading them may change the device's state. */
static void check_device(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int device = file_of_root("FILE_REGISTERS", "/dev/registers", O_RDWR);

	need(memory != MAP_FAILED &&
		     mmap(memory + 4096, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, device, 0) != MAP_FAILED,
	     "registers of a device");
	memset(memory, 1, 4096);
	check_no_stack("to a device's registers", (uintptr_t)memory + 4096 + 8);
	check_copies("to memory before a device's registers", (uintptr_t)memory + 4096 - 64, 64);
	munmap(memory, 8192);
}

/*
 * A program that asks for more than is copied for each interrupt on average gets fewer copies, and the others say so.
 */
static void check_budget(void)
{
	struct run run = begin(MEMPHIS_STACK_BYTES_MAX, 256);
	uint64_t copied = 0, whole = 0, none = 0, of_sp = 0, i;

	start(&run);
	load_with_sp((uintptr_t)buffer);
	stop(&run);
	for (i = 0; i < run.map.status->stack_head; i++) {
		const struct memphis_user_stack *stack = stack_at(&run, i);

		copied += stack->bytes;
		if (stack->sp != (uintptr_t)buffer)
			continue; /* in the kernel, or from before or after the loads */
		whole += stack->bytes == MEMPHIS_STACK_BYTES_MAX && !stack->flags;
		none += !stack->bytes && stack->flags == MEMPHIS_STACK_OVER_BUDGET;
		of_sp++;
	}
	check("budget: copies are made", run.map.status->stack_head > 10 && run.map.status->stack_head < 256);
	check("budget: no more is copied than 2048 bytes for each interrupt and one stack",
	      copied <= 2048 * read_books(&run.map).interrupts + MEMPHIS_STACK_BYTES_MAX);
	check("budget: some stacks are copied, and some are not", whole > 0 && none > 0);
	check_equal("budget: each stack is whole, or says why it is not there", whole + none, of_sp);
	end(&run);
}

int main(void)
{
	run_on(2);
	buffer = buffer_on(0, LARGE);
	run_on(2);
	check_values();
	check_areas();
	check_own_code();
	check_own_data();
	check_bytes();
	check_end_of_stack();
	check_full_ring();
	check_device();
	check_budget();
	check_no_stack("to unmapped memory", 4096);
	check_no_stack("to the end of the address space", 0x7ffffffff000 - 64);
	check_no_stack("to the kernel's code", 0xffffffff81000000);
	check_no_stack("to the kernel's memory", 0xffff888000001000);
	check_no_stack("that is not canonical", 0x800000000000);
	return 0;
}
