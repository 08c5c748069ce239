/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the callers of samples outside the program's own code (CHAINS and CALLERS chunks of thread files),
 * and the stack frames that contain the address of a sample on the thread's own stack (FRAMES and IN_FRAMES
 * chunks).
 *
 * The callers of a sample are encoded in one number:
 * - 0: the file has no callers for this sample
 * - below MEMPHIS_CALLERS_CHAINS: enum memphis_no_callers, the reason why the callers are unknown
 * - from MEMPHIS_CALLERS_CHAINS on: a chain, whose string in memphis_processes.chains is this number minus
 *   MEMPHIS_CALLERS_CHAINS
 *
 * The frame of a sample is encoded in the same way.
 */
#ifndef MEMPHIS_READ_CALLERS_H
#define MEMPHIS_READ_CALLERS_H

#include "read/process.h"

/* The smallest `callers` number that identifies a chain. Smaller numbers are reasons. */
#define MEMPHIS_CALLERS_CHAINS 16
_Static_assert(MEMPHIS_NO_CALLERS_REASONS <= MEMPHIS_CALLERS_CHAINS,
	       "reasons and chains have different numbers");

/*
 * Decodes the next entry of a CALLERS or IN_FRAMES payload. Sets *skipped to the number of samples between
 * the entry's sample and the sample of the entry before, and *code to a reason or an id. Returns 0 or
 * -EBADMSG.
 */
int memphis_callers_decode(const uint8_t **next, const uint8_t *end, uint64_t *skipped, uint64_t *code);

/*
 * Adds the chains of a CHAINS chunk or the frames of a FRAMES chunk to processes->chains. Returns 0, -ENOMEM,
 * or -EBADMSG with a message in *error.
 */
int memphis_chains_load(struct memphis_processes *processes, const struct memphis_process *process,
			struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			struct memphis_error *error);

/*
 * Checks that the entries of a CALLERS or IN_FRAMES chunk refer only to samples, chains and frames that
 * precede the chunk in the file. Stores the offset of the chunk, for reading it again with the samples.
 * Returns 0, -ENOMEM, or -EBADMSG with a message in *error.
 */
int memphis_callers_load(struct memphis_thread_log *log, const struct memphis_chunk_view *chunk,
			 struct memphis_error *error);

/* Returns the number of callers in the chain, and sets *process to the index of its process. */
size_t memphis_chain_depth(const struct memphis_processes *processes, uint32_t callers, size_t *process);

/* Returns the return address number `number` of the chain. Number 0 is the innermost caller. */
uint64_t memphis_chain_pc(const struct memphis_processes *processes, uint32_t callers, size_t number);

/* Copies the frame that `number` identifies to *frame. Returns false if `number` does not identify a frame. */
bool memphis_frame_get(const struct memphis_processes *processes, uint32_t number,
		       struct memphis_sampled_frame *frame);

/* Returns true if the object file at `path` is part of the program's own code (docs/format.md, program_code). */
bool memphis_is_program_code(const struct memphis_process *process, const char *path);

/* Iterates over the callers, or over the frames, of the samples of one chunk. */
struct memphis_callers {
	uint8_t *payload;
	size_t room;
	const struct memphis_references *references;
	const uint8_t *next, *end;
	/* number of samples before the next sample that has callers; UINT64_MAX if no further sample has any */
	uint64_t ahead;
	uint32_t callers; /* callers of this next sample */
};

/*
 * Prepares the callers of the SAMPLES chunk at `offset` of a thread's file. Reads another chunk of the file,
 * and therefore must be called before the payload of the SAMPLES chunk is read. Returns 0, or a negative
 * errno with a message in *error.
 */
int memphis_callers_begin(struct memphis_callers *callers, const struct memphis_references *references,
			  struct memphis_file *file, uint64_t offset, struct memphis_error *error);

/* Stores the callers of the next `count` samples in `list`. */
void memphis_callers_next(struct memphis_callers *callers, uint32_t *list, size_t count);
void memphis_callers_close(struct memphis_callers *callers);

#endif
