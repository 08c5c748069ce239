/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the Python lines that the calling thread executes, by reading the memory of the CPython interpreter.
 * The caller is in the middle of the program's malloc(). Therefore no function of the interpreter is called
 * that creates an object, allocates, or takes a lock. docs/decisions/python.md has the reasons.
 */
#ifndef MEMPHIS_PYTHON_H
#define MEMPHIS_PYTHON_H

#include "base/sys.h"

/*
 * 1: there is an interpreter whose lines can be read. The symbol is hidden, so that the allocation functions
 * access it without the GOT.
 */
extern _Atomic int memphis_python_runs __attribute__((visibility("hidden")));

/* Whether the lines of an interpreter are read and, if not, the reason. */
enum memphis_python_state {
	MEMPHIS_PYTHON_NONE, /* there is no interpreter */
	MEMPHIS_PYTHON_READ,
	MEMPHIS_PYTHON_OFF,     /* switched off by the setting */
	MEMPHIS_PYTHON_VERSION, /* the library does not know this version */
	MEMPHIS_PYTHON_LAYOUT   /* the interpreter's memory does not have the layout of its version */
};

/*
 * Searches the loaded objects for an interpreter, unless one is known. Called when the library is
 * initialised, and later by the drain. `changed`: objects were loaded or unloaded since the last call.
 */
void memphis_python_look(bool changed);

/*
 * Called before and after an object is unloaded. memphis_python_forget() forgets an interpreter that was
 * loaded after the start of the program.
 */
void memphis_python_forget(void);
void memphis_python_unloaded(void);

/* Fork handler of the child. */
void memphis_python_forked(void);

enum memphis_python_state memphis_python_state(void);

/* Returns the interpreter's version, as in PY_VERSION_HEX, or 0 if there is none. */
unsigned long memphis_python_version(void);

/* A Python frame: the code object of its function, and the current instruction. */
struct memphis_python_frame {
	__u64 code;   /* address of the code object */
	__u64 offset; /* offset of the current instruction from the code object's first one, in bytes */
	__u64 proof;  /* checksum that differs if another code object has the same address later */
};

#define MEMPHIS_PYTHON_FRAMES_MAX 24

/*
 * Fills `frames`, innermost first. Returns their number. Returns 0 if the thread does not belong to the
 * interpreter, or if no allocation has come from the interpreter's own code yet. `is_first_thread`: the
 * caller is the first thread of the program. `caller`: address in the code that has called the allocator.
 */
unsigned int memphis_python_walk(struct memphis_python_frame frames[MEMPHIS_PYTHON_FRAMES_MAX],
				 bool is_first_thread, __u64 caller);

enum memphis_python_description {
	MEMPHIS_PYTHON_UNKNOWN, /* the text does not fit, or the line is unknown */
	MEMPHIS_PYTHON_NO_LINE, /* the frame belongs to the interpreter itself, which uses it when C calls
				 * Python */
	MEMPHIS_PYTHON_LINE
};

/* Writes the frame's line in the format of a line of PYTHON_LINES (format.h), without the number, to `text`. */
enum memphis_python_description memphis_python_describe(const struct memphis_python_frame *frame, char *text,
							size_t room);

#endif
