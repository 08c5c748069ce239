/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of Python that the calling thread executes, read from the memory of CPython's interpreter. No function of the interpreter is called that
 * creates an object, allocates, or takes a lock: the caller is in the middle of the program's malloc(). docs/decisions/python.md says why.
 */
#ifndef MEMPHIS_PYTHON_H
#define MEMPHIS_PYTHON_H

#include "base/sys.h"

/* 1: an interpreter is there whose lines can be read. Hidden, so that allocation functions access it without the GOT. */
extern _Atomic int memphis_python_runs __attribute__((visibility("hidden")));

/* Why the lines of an interpreter that is there are not read. */
enum memphis_python_state {
	MEMPHIS_PYTHON_NONE, /* there is no interpreter */
	MEMPHIS_PYTHON_READ,
	MEMPHIS_PYTHON_OFF,     /* by the setting */
	MEMPHIS_PYTHON_VERSION, /* the library does not know this version */
	MEMPHIS_PYTHON_LAYOUT   /* its memory is not what the version lets expect */
};

/*
 * Looks for an interpreter among the loaded objects, unless one is known. Called when the library begins, and by the drain later; `changed`: objects have
 * been loaded or unloaded since.
 */
void memphis_python_look(bool changed);

/* To be called before and after an object is unloaded: what is known of an interpreter that was loaded after the start of the program is forgotten. */
void memphis_python_forget(void);
void memphis_python_unloaded(void);

/* Fork handler of the child. */
void memphis_python_forked(void);

enum memphis_python_state memphis_python_state(void);

/* The interpreter's version, as in PY_VERSION_HEX; 0: there is none. */
unsigned long memphis_python_version(void);

/* A frame of Python: what its function executes. */
struct memphis_python_frame {
	__u64 code;   /* address of the code object */
	__u64 offset; /* of the instruction in it, in bytes */
	__u64 proof;  /* differs for another code object at this address */
};

#define MEMPHIS_PYTHON_FRAMES_MAX 24

/*
 * Fills `frames`, innermost first, and returns their number; 0 if the thread is none of the interpreter's, or if no allocation has come from the
 * interpreter's own code yet. `is_first_thread`: of the program; `caller`: address in the code that has called the allocator.
 */
unsigned int memphis_python_walk(struct memphis_python_frame frames[MEMPHIS_PYTHON_FRAMES_MAX],
				 bool is_first_thread, __u64 caller);

enum memphis_python_description {
	MEMPHIS_PYTHON_UNKNOWN, /* it does not fit, or its line is unknown */
	MEMPHIS_PYTHON_NO_LINE, /* it is the interpreter's own: a call of Python by C */
	MEMPHIS_PYTHON_LINE
};

/* Writes what the frame executes as in a line of PYTHON_LINES (format.h), without the number, into `text`. */
enum memphis_python_description memphis_python_describe(const struct memphis_python_frame *frame, char *text,
							size_t room);

#endif
