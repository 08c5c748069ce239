/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fuzzer of /dev/memphis: what its parts share.
 *
 * fuzz.c runs rounds: it loads the module, lets workers and disturbers loose on it, ends them, and asks health.c
 * whether anything is left. A worker (worker.c) is a process of several threads that does steps; a step is one row of the
 * tables in requests.c, memory.c and process.c. disturb.c has what goes on around them, inject.c fails the
 * n-th allocation of each request, for all n.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <memphis/device.h>

/* ---- chance ---- */

/*
 * Each step has dice of its own, made of seed, process, thread and the step's number: what a thread tries does not
 * depend on what the others do, nor on what it got.
 */
struct dice {
	uint64_t state;
};

struct dice dice_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
uint32_t roll(struct dice *dice, uint32_t sides); /* 0 .. sides - 1 */
uint64_t roll_odd(struct dice *dice);             /* a number of the kind that breaks things */

#define PICK(dice, table) ((table)[roll(dice, sizeof(table) / sizeof((table)[0]))])

/* ---- what all processes share ---- */

#define PROCESSES   6
#define KINDS       8 /* the seven requests, and unknown ones */
#define ERRNOS      134
#define ACTIONS     64
#define COVER_BYTES (1u << 16)

struct round {
	uint64_t seed; /* of the whole run */
	uint32_t number;
	uint32_t processes;
	uint32_t threads;
	bool inject; /* allocations of the workers fail now and then */
};

struct shared {
	struct round round;
	int stop;
	pid_t workers[PROCESSES];
	uint64_t outcomes[KINDS][ERRNOS]; /* by errno, 0: done */
	uint64_t steps[ACTIONS];
	uint64_t crashes; /* workers that touched what another thread had unmapped */
	uint64_t text;    /* where the module's code is now */
	uint8_t covered[COVER_BYTES];
};

extern struct shared *shared;

/* These descriptors are the same in all processes, also after an exec. */
#define FD_SHARED  200
#define FD_SEND    201
#define FD_RECEIVE 202

/* ---- a worker ---- */

#define FILES       6
#define THREADS_MAX 6

struct worker {
	struct dice dice;
	uint8_t *page;    /* two pages, the second can't be touched; below 4 GiB, for the old system call */
	uint8_t *sealed;  /* a page that can't be written */
	uint32_t process; /* index in shared->workers */
	uint32_t thread;
};

struct action {
	const char *name;
	uint32_t weight;
	void (*run)(struct worker *worker);
};

extern const struct action request_actions[], memory_actions[], process_actions[];

/* Descriptors, and threads of this process: changed by all threads at any time, as a storm should. */
extern int files[FILES];
extern pid_t tids[THREADS_MAX];

int worker_main(uint32_t process, uint64_t generation);
int some_file(struct worker *worker);
pid_t some_tid(struct worker *worker);
pid_t some_worker(struct worker *worker);
void put_file(uint32_t place, int fd); /* closes what was there */
void worker_exec(struct worker *worker);

/* A MEMPHIS_COUNT_* that this machine's hardware offers. */
uint32_t usable_count(void);

/* An ioctl whose outcome is counted. */
int ask(int fd, unsigned long request, void *argument);

/* Runs code that may touch what isn't there. */
extern __thread sigjmp_buf touch_return;
extern __thread volatile sig_atomic_t touching;
#define TOUCH(code)                                \
	do {                                       \
		touching = 1;                      \
		if (!sigsetjmp(touch_return, 1)) { \
			code;                      \
		}                                  \
		touching = 0;                      \
	} while (0)

/* Maps go to this arena only, at places that nothing else uses: what was unmapped is not somebody's stack later. */
#define ARENA       0x10000000UL
#define ARENA_PAGES 8192u

/* ---- around the workers ---- */

extern const struct action disturbers[]; /* run: until shared->stop; worker->dice are theirs */

#define MODULE_NAME "memphis"

int insert_module(int fd);         /* 0 or errno */
int load_module(const char *path); /* the same, and lets users open the device */
int unload_module(void);
void restore_machine(void); /* all CPUs online, parameters as they were, no failing allocations */
bool write_file(const char *path, const char *text);
bool read_file(const char *path, char *text, size_t bytes);
void fail_allocations(
	unsigned int percent); /* of tasks that are marked, below the module's code; 0: of nobody */

/* Fails the n-th allocation of each request, and of loading the module, n = 1 .. until none fails. */
void inject_requests(void);
void inject_load(const char *path, uint32_t first, uint32_t count);

/* After a round. Each prints "ok ..." or "not ok ..."; returns how many did not hold. */
unsigned int health_open(void);   /* nobody uses the device, which is there */
unsigned int health_closed(void); /* the module has gone */

/* ---- which blocks of the module's code tasks ran through ---- */

void cover_begin(void);
void cover_end(void);
void cover_locate(void); /* the module was loaded */

#endif
