/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callers of samples outside the program's own code: the CHAINS and CALLERS chunks of thread files; and frames of samples on the thread's own
 * stack: FRAMES and IN_FRAMES. The callers of a sample are a number: 0, if the file has none for it; one of enum memphis_no_callers, if they are
 * unknown; or a chain. So is its frame.
 */
#ifndef MEMPHIS_READ_CALLERS_H
#define MEMPHIS_READ_CALLERS_H

#include "read/process.h"

/* The lowest number of callers that is a chain; smaller ones are reasons. */
#define MEMPHIS_CALLERS_CHAINS 16
_Static_assert(MEMPHIS_NO_CALLERS_REASONS <= MEMPHIS_CALLERS_CHAINS,
	       "reasons and chains have different numbers");

/* Decodes the next entry of a CALLERS payload: the number of samples skipped, and the code. Returns 0 or -EBADMSG. */
int memphis_callers_decode(const uint8_t **next, const uint8_t *end, uint64_t *skipped, uint64_t *code);

/* Adds the chains or frames of a CHAINS or FRAMES chunk to the process. Returns 0, -ENOMEM, or -EBADMSG with a message in *error. */
int memphis_chains_load(struct memphis_processes *processes, const struct memphis_process *process,
			struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			struct memphis_error *error);

/*
 * Checks the CALLERS or IN_FRAMES chunk against the samples, and the chains or frames, before it, and stores its place. Returns 0, -ENOMEM,
 * or -EBADMSG with a message in *error.
 */
int memphis_callers_load(struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/* Returns the depth of the chain with this number of callers, and sets *process to the index of its process. */
size_t memphis_chain_depth(const struct memphis_processes *processes, uint32_t callers, size_t *process);

/* Returns a return address of the chain; number 0 is the innermost. */
uint64_t memphis_chain_pc(const struct memphis_processes *processes, uint32_t callers, size_t number);

/* Copies the frame with this number to *frame. Returns false if the number is none of a frame. */
bool memphis_frame_get(const struct memphis_processes *processes, uint32_t number,
		       struct memphis_sampled_frame *frame);

/* Returns whether an object with this path is the program's own code (docs/format.md, program_code). */
bool memphis_is_program_code(const struct memphis_process *process, const char *path);

/* The callers of the samples of a chunk, or their frames, in order. */
struct memphis_callers {
	uint8_t *payload;
	size_t room;
	const struct memphis_references *references;
	const uint8_t *next, *end;
	/* number of samples before the next sample that has callers; UINT64_MAX: there is none */
	uint64_t ahead;
	uint32_t callers; /* callers of that sample */
};

/*
 * Prepares the callers of the SAMPLES chunk at `offset` of a thread's file. Must be called before the payload of that chunk is read, as
 * this reads another chunk of the file. Returns 0, or a negative errno with a message in *error.
 */
int memphis_callers_begin(struct memphis_callers *callers, const struct memphis_references *references,
			  struct memphis_file *file, uint64_t offset, struct memphis_error *error);

/* Stores the callers of the next `count` samples in `list`. */
void memphis_callers_next(struct memphis_callers *callers, uint32_t *list, size_t count);
void memphis_callers_close(struct memphis_callers *callers);

#endif
