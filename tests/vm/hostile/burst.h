/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of a member that give up many sessions at once, while their threads are inside requests: each has many sessions, and
 * for each session several threads that make requests without a pause.
 */
#ifndef BURST_H
#define BURST_H

#include <stdbool.h>

/* How a process gives up its sessions. */
enum way {
	WAY_CLOSE,   /* closes and unmaps each, by several threads, in both orders */
	WAY_SEND,    /* the same; a daemon of root's holds each descriptor, and closes it */
	WAY_FORK,    /* the same; children hold descriptors and maps, and end */
	WAY_UNSHARE, /* the same; each thread has a table of descriptors of its own */
	WAY_SIBLING, /* another process with the same memory and descriptors closes and unmaps */
	WAY_EXEC,    /* executes another program */
	WAY_EXIT,    /* ends */
	WAY_KILLED,  /* is killed */
	WAYS
};

extern const char *const way_names[WAYS];

struct burst {
	enum way way;
	unsigned int sessions, threads; /* threads: of each session */
	bool attach;                    /* attaches and detaches each thread; otherwise configures counters */
	bool start;                     /* samples */
	bool narrow; /* all threads run on one CPU, so that their requests are on one node */
};

/* Shared by all processes of the storm. */
struct front {
	int ready, go; /* processes that are prepared; 1: make requests, and give up the sessions */
	/* Counts the threads that were made and the requests that have returned. Processes that only wait to be killed do not count. */
	unsigned int progress;
	int sockets[2];
};

/* Runs in a process of its own, as root; becomes the member. Returns when all its requests have returned. */
void run_burst(const struct burst *burst, struct front *front);

/*
 * A process whose threads have two tables of so many descriptors, each thread another one than the thread before, opens and closes the
 * device, and unmaps it.
 */
void run_tables(unsigned int threads, unsigned int descriptors, struct front *front);

/* Opens the device and maps nothing; ends the program on failure. */
int open_plain(void);

/* Sets the limit on the descriptors of this process, which root has started. */
void open_many(unsigned int descriptors);

#endif
