/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces between the parts of the fuzzer of /dev/memphis.
 *
 * fuzz.c runs rounds: it loads the module, starts workers and disturbers, ends them, and checks with health.c whether anything
 * is left. A worker (worker.c) is a process of several threads that perform steps; a step is a row of the tables in requests.c,
 * memory.c, process.c and share.c. From time to time all workers give up their sessions at once (share.c). disturb.c contains the
 * disturbers, such as CPU hotplug; second.c is one of them, a second user whose books must balance; inject.c fails the n-th
 * allocation of each request, for all n.
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

/* ---- random numbers ---- */

/*
 * Each step has its own random generator, seeded with seed, process, thread and step number: the steps of a thread do not depend
 * on other threads, nor on earlier results.
 */
struct dice {
	uint64_t state;
};

struct dice dice_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
uint32_t roll(struct dice *dice, uint32_t sides); /* 0 .. sides - 1 */
uint64_t roll_odd(struct dice *dice);             /* a boundary value, power of two or random number */

#define PICK(dice, table) ((table)[roll(dice, sizeof(table) / sizeof((table)[0]))])

/* ---- memory that all processes share ---- */

#define PROCESSES   6
#define KINDS       10 /* the nine requests, and unknown ones */
#define ERRNOS      134
#define ACTIONS     64
#define COVER_BYTES (1u << 16)

struct round {
	uint64_t seed; /* of the whole run */
	uint32_t number;
	uint32_t processes;
	uint32_t threads;
	bool inject; /* some allocations of the workers fail */
};

struct shared {
	struct round round;
	int stop;
	uint32_t bursts;            /* so far, in this round */
	uint32_t unbalanced, turns; /* of the second user */
	pid_t workers[PROCESSES];
	uint64_t outcomes[KINDS][ERRNOS]; /* by errno, 0: success */
	uint64_t steps[ACTIONS];
	uint64_t crashes; /* workers that accessed memory that another thread had unmapped */
	uint64_t text;    /* current address of the module's code */
	uint8_t covered[COVER_BYTES];
};

extern struct shared *shared;

/* Descriptor numbers that are the same in all processes, also after an exec. */
#define FD_SHARED  200
#define FD_SEND    201
#define FD_RECEIVE 202

/* ---- a worker ---- */

#define FILES       6
#define THREADS_MAX 6

struct worker {
	struct dice dice;
	uint8_t *page;    /* a page followed by an inaccessible one; below 4 GiB, for 32-bit system calls */
	uint8_t *sealed;  /* a read-only page */
	uint32_t process; /* index in shared->workers */
	uint32_t thread;
};

struct action {
	const char *name;
	uint32_t weight;
	void (*run)(struct worker *worker);
};

#define TABLES 4
extern const struct action request_actions[], memory_actions[], process_actions[], share_actions[];
extern const struct action *const action_tables[TABLES];

/* Descriptors and threads of this process. All threads change them at any time, without locks, on purpose. */
extern int files[FILES];
extern pid_t tids[THREADS_MAX];

int worker_main(uint32_t process, uint64_t generation);
int some_file(struct worker *worker);
pid_t some_tid(struct worker *worker);
pid_t some_worker(struct worker *worker);
void put_file(uint32_t place, int fd); /* closes the previous descriptor in that place */
void worker_exec(struct worker *worker);
void take_part(struct worker *worker, uint32_t burst); /* in a burst */

/* Returns a MEMPHIS_COUNT_* that this machine's hardware supports. */
uint32_t usable_count(void);

/* Makes an ioctl and counts its outcome. Returns 0 or errno. */
int ask(int fd, unsigned long request, void *argument);

/* Runs code that may access unmapped memory: a fault ends the code. */
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

/* All maps are placed in this arena, which nothing else uses, so that a map never replaces a stack or other memory of the process. */
#define ARENA       0x10000000UL
#define ARENA_PAGES 8192u
uint8_t *some_place(struct worker *worker);

/* ---- around the workers ---- */

#define SECOND_USER 0                    /* the disturber of each round */
extern const struct action disturbers[]; /* `run` returns at shared->stop; it uses worker->dice only */

unsigned int cpus(void); /* of the machine, also those offline */
void second_user(struct worker *worker);
bool should_stop(void);

#define MODULE_NAME "memphis"

int insert_module(int fd);         /* 0 or errno */
int load_module(const char *path); /* 0 or errno; also lets users open the device */
int unload_module(void);
void restore_machine(void); /* all CPUs online, default parameters, no failing allocations */
bool write_file(const char *path, const char *text);
bool read_file(const char *path, char *text, size_t bytes);
void fail_allocations(
	unsigned int percent); /* of the module's allocations, in tasks that are marked; 0: none */

/* Fails the n-th allocation of each request, and of loading the module, for n = 1 .. until no more allocation is left. */
void inject_requests(void);
void inject_load(const char *path, uint32_t first, uint32_t count);

/* Checks after a round. Each prints "ok ..." or "not ok ..."; returns the number of failed checks. */
unsigned int health_open(void);   /* the module is loaded, and unused */
unsigned int health_closed(void); /* the module is unloaded */

/* ---- coverage: the basic blocks of the module that ran in tasks ---- */

void cover_begin(void);
void cover_end(void);
void cover_locate(void); /* call after the module was loaded */

#endif
