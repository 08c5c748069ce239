// SPDX-License-Identifier: BSD-3-Clause
/*
 * libcorpus.so, see corpus.h. Writes a line to the file $CORPUS_TRUTH for each statement, with tabs between the fields:
 *	PID TID TIME_NS PC BIAS ADDRESS BYTES FRAME OBJECT TRUTH
 * BIAS is what the loader has added to the addresses of OBJECT, the file of the instruction. FRAME is the frame of the calling thread's stack in
 * which the memory lies, as the compiler's own unwinder finds it: PC,LOW,CFA,BP,FLAGS of struct memphis_sampled_frame; or `-`.
 */
#define _GNU_SOURCE
#include "corpus.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

/* Programs know nothing of the library, which `memphis record` loads. */
#pragma weak memphis_flush
#pragma weak memphis_pause
#pragma weak memphis_resume

static int truth_fd = -1, is_short, has_truth;
static const void *latest_pc;
/* Threads without data have no files; those that are really sampled have, with the places of their stack and their thread-local variables. */
static __thread void *data_of_thread;

static void search_pointers(void)
{
	if (memphis_pause && !is_short)
		memphis_pause();
}

void corpus_compute(void)
{
	if (truth_fd < 0)
		return;
	search_pointers();
	if (memphis_resume)
		memphis_resume();
}

void corpus_is_short(void)
{
	is_short = 1;
}

void corpus_use(const void *start)
{
	(void)start;
}

struct search {
	uintptr_t address;
	uintptr_t pc, low, cfa,
		bp; /* of the frame that is being looked at; at the end, of the one that was found */
};

/* For a frame, the unwinder has the stack pointer, which is where the frame of its callee ends. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
	struct search *search = data;
	const uintptr_t low = _Unwind_GetCFA(context);

	if (search->pc && search->address >= search->low && search->address < low) {
		search->cfa = low;
		return _URC_END_OF_STACK;
	}
	search->pc = _Unwind_GetIP(context);
	search->low = low;
	search->bp = _Unwind_GetGR(context, 6);
	return _URC_NO_REASON;
}

static void find_frame(const void *start, char text[128])
{
	struct search search = {.address = (uintptr_t)start};

	_Unwind_Backtrace(look_at_frame, &search);
	if (search.cfa)
		snprintf(text, 128, "%#zx,%#zx,%#zx,%#zx,0", search.pc, search.low, search.cfa, search.bp);
	else
		strcpy(text, "-");
}

void corpus_truth_at(const void *start, size_t bytes, const char *truth, const void *pc)
{
	struct link_map *map = NULL;
	struct timespec now;
	char line[1024], frame[128];
	Dl_info object = {.dli_fname = "-"};
	int used;

	if (truth_fd < 0)
		return;
	/* Other programs run for longer, and are searched meanwhile; objects of C++ that exist by now are destroyed after this. */
	if (!has_truth++)
		atexit(search_pointers);
	if (!data_of_thread)
		data_of_thread = malloc(BYTES);
	/* A block that is released soon is in the files only if it was written before. Of small ones, programs state many in loops. */
	if ((pc != latest_pc || bytes >= BYTES / 4) && memphis_flush)
		memphis_flush();
	latest_pc = pc;
	dladdr1(pc, &object, (void **)&map, RTLD_DL_LINKMAP);
	find_frame(start, frame);
	clock_gettime(CLOCK_MONOTONIC, &now);
	used = snprintf(line, sizeof(line), "%d\t%d\t%lld\t%#zx\t%#zx\t%#zx\t%zu\t%s\t%s\t%.*s\n", getpid(),
			gettid(), now.tv_sec * 1000000000LL + now.tv_nsec, (uintptr_t)pc,
			map ? (uintptr_t)map->l_addr : 0, (uintptr_t)start, bytes, frame,
			object.dli_fname ? object.dli_fname : "-", (int)strcspn(truth, ";"), truth);
	if (used >= (int)sizeof(line) || write(truth_fd, line, (size_t)used) != used)
		abort();
}

void corpus_truth(const void *start, size_t bytes, const char *truth)
{
	/* The call instruction, which is of the calling line. */
	corpus_truth_at(start, bytes, truth, (const char *)__builtin_return_address(0) - 1);
}

/* What descriptors of arrays have in common among Fortran compilers. */
struct descriptor {
	const void *start;
	size_t element_bytes;
	int version;
	signed char rank;
	struct {
		ptrdiff_t low, extent, stride;
	} dimensions[];
};

void corpus_truth_of(const struct descriptor *array, const char *truth)
{
	size_t bytes = array->element_bytes;

	for (int i = 0; i < array->rank; i++)
		bytes *= (size_t)array->dimensions[i].extent;
	corpus_truth_at(array->start, bytes, truth, (const char *)__builtin_return_address(0) - 1);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CORPUS_TRUTH");

	if (!path)
		return;
	truth_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (truth_fd < 0) {
		perror(path);
		exit(1);
	}
}
