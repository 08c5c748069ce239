/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface between the parts of make_samples: the file being written, and the programs in which addresses
 * are looked up.
 */
#ifndef MAKE_SAMPLES_H
#define MAKE_SAMPLES_H

#include <stdint.h>
#include <stdio.h>

#include <memphis/format.h>

/* Prints the error `what` about `which` and exits. */
void die(const char *what, const char *which) __attribute__((noreturn));

/*
 * Output file. Consecutive records of one type are collected and written as one chunk when another type
 * begins.
 */
struct output {
	FILE *file;
	uint16_t type;
	uint32_t count;
	unsigned char *payload;
	size_t bytes, room;
	struct memphis_sample last; /* last sample of the chunk being filled */
	unsigned char *rest;        /* of a file that is continued: what follows the place */
	size_t rest_bytes;
};

void output_open(struct output *output, const char *path, uint16_t kind, const uint64_t run[2],
		 unsigned int pid, unsigned int tid);
/*
 * Opens an existing file, in which the next chunks are to precede the END chunk of the thread, or of the file if `tid` is 0. The nodes of the
 * machine are left out. Sets `first` to the header of the file.
 */
void output_continue(struct output *output, const char *path, unsigned int tid,
		     struct memphis_file_header *first);
/* Begins a member of a file of ended threads. */
void output_member(struct output *output, const uint64_t run[2], unsigned int pid, unsigned int tid);
void output_close(struct output *output);
void output_flush(struct output *output);
void output_chunk(struct output *output, uint16_t type, const void *payload, size_t bytes, uint32_t count);
void output_text_chunk(struct output *output, uint16_t type, const char *text);
void output_sample(struct output *output, const struct memphis_sample *sample);
void output_entry(struct output *output, uint16_t type, uint64_t skipped, uint64_t code);

struct object {
	char name[64], path[4096];
	uint64_t bias;
	int fd;
	void *elf, *dwarf;
};

void object_open(struct object *object, const char *name, const char *path, uint64_t base);
void object_close(struct object *object);
void object_maps(const struct object *object, FILE *to);

/*
 * Returns a run-time address. `kind` is '!' (symbol), '@' (FILE:LINE) or '^' (FILE:LINE#N, a return address).
 */
uint64_t object_address(const struct object *object, char kind, const char *what);

#endif
