/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the Python lines that the calling thread executes. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/companion.h"
#include "base/loaded.h"
#include "base/lock.h"
#include "base/symbols.h"
#include "settings/env.h"
#include "unwind/python.h"

/*
 * Offsets in structures of CPython. They are the same in all releases of a minor version. Sources:
 * Include/cpython/pystate.h and code.h, Include/internal/pycore_frame.h, pycore_interpframe_structs.h.
 */
static const struct layout {
	unsigned int minor;    /* of version 3 */
	unsigned int frame;    /* PyThreadState: current_frame; or cframe, if `in_cframe` */
	bool in_cframe;        /* true: the frame is in the structure to which cframe points */
	unsigned int current;  /* _PyCFrame: current_frame */
	unsigned int code;     /* _PyInterpreterFrame: f_code or f_executable */
	unsigned int previous; /* _PyInterpreterFrame: previous */
	unsigned int at;       /* _PyInterpreterFrame: prev_instr or instr_ptr */
	unsigned int first;    /* PyCodeObject: co_code_adaptive */
} layouts[] = {
	{11, 56, true, 8, 32, 48, 56, 184},
	{12, 56, true, 0, 0, 8, 56, 192},
	{13, 72, false, 0, 0, 8, 56, 200},
	{14, 72, false, 0, 0, 8, 56, 208},
};

/* These offsets are the same in all these versions. */
#define OBJECT_TYPE 8   /* PyObject: ob_type */
#define BYTES_SIZE  16  /* PyVarObject: ob_size */
#define CODE_FILE   112 /* PyCodeObject: co_filename, */
#define CODE_NAME   128 /* co_qualname, */
#define CODE_LINES  136 /* co_linetable */
#define TAGS        7u  /* bits of a reference that are not part of the address, from 3.14 on */
#define STEPS_MAX   256 /* maximum number of frames examined; some of them execute no Python code */
/* walks that find frames but no code, before the layout counts as unknown */
#define TRIES_MAX 64

static struct {
	const struct layout *layout;
	const void *code_type, *text_type;
	void *(*get_current)(
		void); /* returns the state of the thread that holds the interpreter's lock; from 3.12 on,
		        * only if it is the caller */
	void *(*get_own)(void); /* returns the state of the calling thread, even if it does not hold the
				 * lock */
	int (*ends)(void);      /* returns nonzero while the interpreter is being finalised */
	int (*find_place)(void *code, int offset, int *line, int *column, int *end_line, int *end_column);
	ssize_t (*length)(void *text);
	__u32 (*character)(void *text, ssize_t at);
	__u64 low, high; /* addresses of the interpreter's object */
	bool is_loaded_later;
} python;

_Atomic int memphis_python_runs;
static _Atomic int state; /* enum memphis_python_state */
static _Atomic unsigned long version;
static _Atomic int is_proven, tries;
static _Atomic bool is_entered; /* the interpreter's code has run, so the loader has relocated the object */

/* Held while the library searches for an interpreter or forgets it. */
static MEMPHIS_AT_FORK struct memphis_lock lock;
static MEMPHIS_AT_FORK unsigned int unloading; /* calls of dlclose() that are in progress */
static _Atomic bool is_forgotten;

/* ---- the interpreter ---- */

/*
 * Stores the address of a symbol in *pointer, which may be a pointer to a function. POSIX permits this
 * conversion, ISO C does not.
 */
static bool find_symbol(const struct link_map *map, const char *name, void *pointer)
{
	const void *address = memphis_symbol_find(map, name);

	memcpy(pointer, &address, sizeof(address));
	return address;
}

static bool find_functions(const struct link_map *map, unsigned int minor)
{
	return find_symbol(map, "PyCode_Type", &python.code_type) &&
	       find_symbol(map, "PyUnicode_Type", &python.text_type) &&
	       find_symbol(map, minor < 13 ? "_PyThreadState_UncheckedGet" : "PyThreadState_GetUnchecked",
			   &python.get_current) &&
	       find_symbol(map, "PyGILState_GetThisThreadState", &python.get_own) &&
	       find_symbol(map, minor < 13 ? "_Py_IsFinalizing" : "Py_IsFinalizing", &python.ends) &&
	       find_symbol(map, "PyCode_Addr2Location", &python.find_place) &&
	       find_symbol(map, "PyUnicode_GetLength", &python.length) &&
	       find_symbol(map, "PyUnicode_ReadChar", &python.character);
}

/* Returns true for the program itself and for libraries of the interpreter. */
static bool may_be_python(const struct link_map *map, const struct link_map *program)
{
	static const char library[] = "libpython3";
	const char *name = strrchr(map->l_name, '/');

	return map == program || !strncmp(name ? name + 1 : map->l_name, library, sizeof(library) - 1);
}

/* Weak, because a static program has no dynamic loader. */
#pragma weak _r_debug

static void look_for_interpreter(void *data)
{
	const bool is_later = *(const bool *)data;
	const struct link_map *program = &_r_debug ? _r_debug.r_map : NULL, *map;
	const unsigned long *known = NULL;
	unsigned int minor;
	size_t i;

	for (map = program; map && !known; map = map->l_next)
		if (may_be_python(map, program) && find_symbol(map, "Py_Version", &known))
			break;
	if (!known)
		return;
	minor = *known >> 24 == 3 ? *known >> 16 & 0xff : 0;
	memset(&python, 0, sizeof(python));
	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].minor == minor && find_functions(map, minor) &&
		    memphis_loaded_extent(map, &python.low, &python.high))
			python.layout = &layouts[i];
	atomic_store(&is_entered, false);
	python.is_loaded_later = is_later;
	atomic_store(&version, *known);
	atomic_store(&state, !memphis_settings.python ? MEMPHIS_PYTHON_OFF
			     : python.layout          ? MEMPHIS_PYTHON_READ
						      : MEMPHIS_PYTHON_VERSION);
	atomic_store(&memphis_python_runs, atomic_load(&state) == MEMPHIS_PYTHON_READ);
}

void memphis_python_look(bool changed)
{
	static bool is_later;
	bool data = is_later;

	is_later = true;
	if (atomic_load(&state) != MEMPHIS_PYTHON_NONE || (!changed && !atomic_load(&is_forgotten)) ||
	    !memphis_lock_try(&lock))
		return;
	if (!unloading) {
		atomic_store(&is_forgotten, false);
		if (memphis_companion_is_self())
			memphis_companion_try(look_for_interpreter, &data);
		else
			look_for_interpreter(&data);
	}
	memphis_lock_release(&lock);
}

void memphis_python_forget(void)
{
	memphis_lock_take(&lock);
	unloading++;
	if (python.is_loaded_later) {
		atomic_store(&memphis_python_runs, 0);
		atomic_store(&state, MEMPHIS_PYTHON_NONE);
		atomic_store(&is_proven, 0);
		atomic_store(&is_forgotten, true);
	}
	memphis_lock_release(&lock);
}

void memphis_python_unloaded(void)
{
	memphis_lock_take(&lock);
	unloading--;
	memphis_lock_release(&lock);
}

void memphis_python_forked(void)
{
	memphis_lock_reset(&lock);
	unloading = 0;
}

enum memphis_python_state memphis_python_state(void)
{
	return (enum memphis_python_state)atomic_load(&state);
}

unsigned long memphis_python_version(void)
{
	return atomic_load(&version);
}

/* ---- frames ---- */

static void disable_python(void)
{
	atomic_store(&memphis_python_runs, 0);
	atomic_store(&state, MEMPHIS_PYTHON_LAYOUT);
}

/*
 * Loads a word. If the address is not `safe`, it may be invalid, so the kernel copies the word. Returns false
 * if the kernel can't copy it.
 */
static inline bool load_word(bool safe, __u64 address, __u64 *word)
{
	if (unlikely(!safe))
		return sys_copy(word, address, sizeof(*word)) == sizeof(*word);
	memcpy(word, (const void *)(uintptr_t)address, sizeof(*word));
	return true;
}

static inline bool has_type(bool safe, __u64 object, const void *type)
{
	__u64 word;

	return load_word(safe, object + OBJECT_TYPE, &word) && word == (__u64)(uintptr_t)type;
}

/* Returns true and fills *frame if `object` is a code object with a file, a name and a table of lines. */
static inline bool read_code(bool safe, __u64 object, __u64 at, struct memphis_python_frame *frame)
{
	__u64 file, name, lines, size;

	if (!object || !has_type(safe, object, python.code_type) ||
	    !load_word(safe, object + CODE_FILE, &file) || !load_word(safe, object + CODE_NAME, &name) ||
	    !load_word(safe, object + CODE_LINES, &lines) || !load_word(safe, lines + BYTES_SIZE, &size) ||
	    (!safe && (!has_type(false, file, python.text_type) || !has_type(false, name, python.text_type))))
		return false;
	at -= object + python.layout->first;
	frame->code = object;
	frame->offset = at < INT_MAX ? at : 0; /* in a function that has not begun, the current
					        * instruction is before the code */
	frame->proof = ((file * 31 + name) * 31 + lines) * 31 + size;
	return true;
}

static inline unsigned int walk_frames(bool safe, __u64 thread, struct memphis_python_frame *frames)
{
	const struct layout *layout = python.layout;
	unsigned int count = 0, steps = 0;
	__u64 frame, object, at;

	if (!load_word(safe, thread + layout->frame, &frame) ||
	    (layout->in_cframe && !load_word(safe, frame + layout->current, &frame)))
		return 0;
	for (; frame && steps < STEPS_MAX && count < MEMPHIS_PYTHON_FRAMES_MAX; steps++) {
		if (!load_word(safe, frame + layout->code, &object) ||
		    !load_word(safe, frame + layout->at, &at))
			break;
		count += read_code(safe, object & ~(__u64)TAGS, at, &frames[count]);
		if (!load_word(safe, frame + layout->previous, &frame))
			break;
	}
	/*
	 * Frames without code are frames through which C calls Python. If repeated walks find only such
	 * frames, the layout is wrong.
	 */
	if (unlikely(!atomic_load_explicit(&is_proven, memory_order_relaxed)) && !count && steps &&
	    atomic_fetch_add(&tries, 1) == TRIES_MAX)
		disable_python();
	return count;
}

/*
 * Returns true if functions of the interpreter may be called. The loader lists an object before it relocates
 * it, and allocates between these steps. A thread in dlopen() may therefore come here before the interpreter
 * can run. The first allocation from the interpreter's own code shows that the interpreter runs.
 */
static bool is_interpreter_running(__u64 caller)
{
	if (likely(atomic_load_explicit(&is_entered, memory_order_relaxed)))
		return true;
	if (caller < python.low || caller >= python.high)
		return false;
	atomic_store(&is_entered, true);
	return true;
}

/*
 * A thread that has released the interpreter's lock, as numpy does around calloc(), still has its frames.
 * Only the finalisation of the interpreter removes the frames of other threads. The program's first thread
 * finalises the interpreter, so the frames of that thread are safe to read.
 */
unsigned int memphis_python_walk(struct memphis_python_frame frames[MEMPHIS_PYTHON_FRAMES_MAX],
				 bool is_first_thread, __u64 caller)
{
	const bool is_proven_now = atomic_load_explicit(&is_proven, memory_order_relaxed);
	__u64 current, thread;
	unsigned int count;

	if (!is_interpreter_running(caller))
		return 0;
	current = (__u64)(uintptr_t)python.get_current();
	thread = (__u64)(uintptr_t)python.get_own();
	if (!thread || (current != thread && python.ends()))
		return 0;
	if (likely(is_proven_now && (is_first_thread || current == thread)))
		return walk_frames(true, thread, frames);
	count = walk_frames(false, thread, frames);
	if (count && !is_proven_now)
		atomic_store(&is_proven, 1);
	return count;
}

/* Appends a character as UTF-8. Returns its size in bytes, or 0 if there is no room. */
static size_t append_utf8(char *to, size_t room, __u32 c)
{
	const unsigned int size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	unsigned int i;

	if (size >= room)
		return 0;
	for (i = size - 1; i; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(first[size] | c);
	return size;
}

/*
 * Appends a Python text. Returns its size in bytes, or 0 if it is empty or there is no room. `blank`:
 * character that replaces blanks, because a blank would end the text in the file; '\0': blanks are kept.
 */
static size_t append_text(char *to, size_t room, void *text, char blank)
{
	const ssize_t length = python.length(text);
	size_t used = 0, size;
	ssize_t i;
	__u32 c;

	for (i = 0; i < length; i++) {
		c = python.character(text, i);
		size = append_utf8(to + used, room - used, blank && c == ' ' ? (__u32)blank : c);
		if (!size || !c)
			return 0;
		used += size;
	}
	to[used] = '\0';
	return used;
}

enum memphis_python_description memphis_python_describe(const struct memphis_python_frame *frame, char *text,
							size_t room)
{
	int line, column, end_line, end_column, used;
	void *file, *name;
	size_t more;

	memcpy(&file, (const void *)(uintptr_t)(frame->code + CODE_FILE), sizeof(file));
	memcpy(&name, (const void *)(uintptr_t)(frame->code + CODE_NAME), sizeof(name));
	if (!python.find_place((void *)(uintptr_t)frame->code, (int)frame->offset, &line, &column, &end_line,
			       &end_column) ||
	    line <= 0)
		return python.length(file) && python.character(file, 0) == '<' ? MEMPHIS_PYTHON_NO_LINE
									       : MEMPHIS_PYTHON_UNKNOWN;
	used = snprintf(text, room, "%d %d %d %d ", line, column, end_line, end_column);
	if (used < 0 || (size_t)used >= room)
		return MEMPHIS_PYTHON_UNKNOWN;
	more = append_text(text + used, room - (size_t)used, name, '_');
	used += (int)more;
	if (!more || (size_t)used + 1 >= room)
		return MEMPHIS_PYTHON_UNKNOWN;
	text[used++] = ' ';
	return append_text(text + used, room - (size_t)used, file, '\0') ? MEMPHIS_PYTHON_LINE
									 : MEMPHIS_PYTHON_UNKNOWN;
}
