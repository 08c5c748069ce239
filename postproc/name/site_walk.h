/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks along the call stack of an allocation to find a name for the block. This part is common to all languages. */
#ifndef MEMPHIS_SITE_WALK_H
#define MEMPHIS_SITE_WALK_H

#include "attribute/join.h"
#include "dwarf/parameters.h"
#include "dwarf/symbols.h"
#include "name/site.h"
#include "source/assigned.h"
#include "source/source.h"

#define MEMPHIS_SITE_LEVELS_MAX 16 /* maximum number of functions that hand the block to their callers */

struct memphis_site_walk {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_alloc_site *site;
	struct memphis_handover from; /* how the frame that was visited last hands the block to its caller */
	char function[256];           /* full name of the function that was visited last */
	unsigned int levels;          /* number of visited frames with source that handed over the block */
	/* The function that was visited last is also the function of this frame. */
	bool is_recursive;
	/* The call instruction is indirect, and not a call of an imported function: the called function is unknown. */
	bool is_only_call;
	/* The frame calls the allocator itself. A macro may hide that name in the source text. */
	bool is_allocator;
	size_t process;
	bool has_code;   /* the walk visited a frame that is in the program's own code and has no line */
	bool has_passed; /* the walk skipped a frame that has a line, such as one of the language's library */
	/* A function without source does not return the block, so its role in the callers is unknown. */
	bool is_lost;
	bool settled; /* the name is final: do not look at further frames */
	bool is_map;  /* the memory was mapped, not allocated */
	bool in_pool; /* the block is a part of a pool, and no line was visited yet */
	/*
	 * The next frame with a source file replaces site->line. The current place is in a pool's own code,
	 * in a missing file, or beyond a function that is unknown.
	 */
	bool passed_place;
	bool has_place; /* the place is final, but not the name */
};

/* A function in the call stack, possibly inlined. */
struct memphis_site_frame {
	struct memphis_binary *binary;
	const struct memphis_location *location;
	const struct memphis_frame *at;
	size_t level; /* number of functions that are inlined into this one */
	uint64_t return_vaddr;
	uint64_t bias;
	bool outermost; /* this function is not inlined: it contains the call instruction */
};

const char *memphis_site_function(const struct memphis_frame *at);

/* Records that the frame's function hands the block to its caller. The caller must fill in the rest of the result. */
struct memphis_handover *memphis_site_hand_over(struct memphis_site_walk *walk,
						const struct memphis_frame *at,
						enum memphis_handover_kind kind);

void memphis_site_keep_place(struct memphis_site_walk *walk, const struct memphis_frame *at);

/* Sets the name of the block. The name is valid in the scope of the frame. "*p" is stored as "p". */
void memphis_site_take_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *name);

/* Sets a list of names, "x|y". The line allocates all these objects, and the frame's call may allocate any of them. */
void memphis_site_take_list(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			    const char *list);

/*
 * Returns the index of the object that the frame's call allocates, or -1 if several objects are possible. The
 * lines [first, last] allocate `objects` objects.
 */
int memphis_site_find_object(const struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
			     unsigned int first, unsigned int last, size_t objects);

/*
 * Splits a name into its first variable and the rest. "self%a" becomes root "self" and path "%a". "*p"
 * becomes root "p" and path "*".
 */
void memphis_split_name(const char *name, char *root, size_t size, const char **path);

/*
 * Sets *from and *all to the start and length of the function's text, from line `first` on. Returns false if
 * the text is not known.
 */
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
 * Records that the function hands the object with this name to its caller. This is so if the name begins with
 * a parameter, or with a member of the object whose member function is called. Returns false if the object is
 * local to the function.
 */
bool memphis_site_hand_over_object(struct memphis_site_walk *walk, const struct memphis_site_frame *frame,
				   const char *name);

/* Returns true if the path denotes the whole object that is handed over, not a member of it. */
bool memphis_path_is_whole(const char *path);

/*
 * Returns true if the report shows the frame's line as the place of the allocation. It is normally the line
 * that assigns the block to a variable. Exceptions: if a function other than a constructor allocates a member
 * of its caller's object, the place is the line in that function, and if a function returns an object with a
 * member whose member is the block, the line that made the inner object, whoever makes the whole one. Call
 * this once for each frame.
 */
bool memphis_site_gives_place(struct memphis_site_walk *walk);

/*
 * Removes the name if the frame's line does not assign the block to a variable. The report then distinguishes
 * blocks by this line.
 */
void memphis_site_drop_name(struct memphis_site_walk *walk, const struct memphis_site_frame *frame);

#endif
