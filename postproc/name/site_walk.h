/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk along the call stack of an allocation, and what its steps in all languages have in common. */
#ifndef MEMPHIS_SITE_WALK_H
#define MEMPHIS_SITE_WALK_H

#include "attribute/join.h"
#include "dwarf/parameters.h"
#include "dwarf/symbols.h"
#include "name/site.h"
#include "source/assigned.h"
#include "source/source.h"

#define MEMPHIS_SITE_LEVELS_MAX 16 /* maximum number of functions through which a block is handed */

struct memphis_site_walk {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_alloc_site *site;
	struct memphis_handover from; /* how the frame visited last handed over the block */
	char function[256];           /* full name of that frame's function */
	unsigned int levels;          /* number of frames with source that handed it over */
	bool is_recursive;            /* the function called itself */
	bool is_only_call;            /* the name of the function at the call is unknown */
	bool is_allocator;            /* the call is that of the allocator, which a macro may hide */
	size_t process;
	bool has_code;   /* a frame of the program without a line was visited */
	bool has_passed; /* a frame with a line, of the language's library, was passed */
	bool is_lost;    /* a function without source kept the block */
	bool settled;    /* the name is final: do not look at further frames */
	bool is_map;     /* the memory was mapped, not allocated */
	bool in_pool;    /* of a part of a pool, no frame was visited yet */
	bool passed_place; /* the place is one to pass over: of a pool's own code, or in a file that is missing */
};

/* A function in the call stack, possibly inlined. */
struct memphis_site_frame {
	struct memphis_binary *binary;
	const struct memphis_location *location;
	const struct memphis_frame *at;
	size_t level; /* number of functions that are inlined into this one */
	uint64_t return_vaddr;
	uint64_t bias;
	bool outermost; /* not inlined: this function contains the call instruction */
};

const char *memphis_site_function(const struct memphis_frame *at);

/* Begins to hand over the block of the frame's function to its caller. */
struct memphis_handover *memphis_site_hand_over(struct memphis_site_walk *walk,
						const struct memphis_frame *at,
						enum memphis_handover_kind kind);

void memphis_site_keep_place(struct memphis_site_walk *walk, const struct memphis_frame *at);

/* Takes the name, which is looked up in the scope of the frame; "*p" is called p. */
void memphis_site_take_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *name);

/* Takes the names of all objects that the line allocates, because it is unclear which of them the call allocates. */
void memphis_site_take_list(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *list);

/* Returns the index of the object that the frame's call allocates, or -1 if it is ambiguous. */
int memphis_site_find_object(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			     unsigned int first, unsigned int last, size_t objects);

/* Returns the first part of the name, "self" of "self%a" and "p" of "*p"; *path becomes what follows. */
void memphis_split_name(const char *name, char *root, size_t size, const char **path);

/* Sets the text of the function from the allocating line on. Returns false if it is not known. */
bool memphis_site_read_body(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const struct memphis_source_file *file, unsigned int first, const char **from,
			    size_t *all);

struct memphis_parameter memphis_site_find_parameter(const struct memphis_site_walk *walk,
						     const struct memphis_site_frame *frame,
						     const char *root);

struct memphis_handover *memphis_site_hand_over_argument(struct memphis_site_walk *walk,
							 const struct memphis_site_frame *frame,
							 const char *keyword, unsigned int position);

/*
 * Hands the object with this name over to the caller. The function must have it from the caller, or in the
 * object whose member function it is. Returns false if the object is local to the function.
 */
bool memphis_site_hand_over_object(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				   const char *name);

/* Returns true if the path leads to the whole of what is handed over, not to a member of it. */
bool memphis_path_is_whole(const char *path);

/*
 * Returns true if the report is to give the frame's line as the place of the allocation. It is the line where the block gets its name; but if a function
 * other than a constructor allocates a member of its caller's object, it is the line in that function.
 */
bool memphis_site_gives_place(const struct memphis_site_walk *walk);

/* The caller gives the block that it gets no name: its line tells such blocks apart. */
void memphis_site_drop_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame);

#endif
