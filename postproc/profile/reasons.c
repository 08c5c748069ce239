// SPDX-License-Identifier: BSD-3-Clause
/* Names and explanations of the reasons why a sample has no variable and why an interrupt produced no sample. */
#include "profile/reasons.h"

#include <stddef.h>
#include <string.h>

#include <memphis/sample.h>

const struct memphis_reason_text memphis_unattributed_texts[MEMPHIS_UNATTRIBUTED_REASONS] = {
	[MEMPHIS_ATTRIBUTED] = {"attributed", "a variable was found", "nothing"},
	[MEMPHIS_FREED_BLOCK] =
		{"freed-block", "a block stood here earlier and had been released",
		 "look at these lines: they use memory that was freed, or are an allocator's"},
	[MEMPHIS_NOT_YET_ALLOCATED] =
		{"not-yet-allocated",
		 "a block came to stand here only later (an allocator clearing or linking it)",
		 "nothing, if these lines are an allocator's"},
	[MEMPHIS_BLOCK_TOO_SMALL] =
		{"block-too-small",
		 "allocator memory, but no tracked block: below the size given by --alloc-min-bytes when recording",
		 "record again without --small-bytes 0 (default: 2048), or with a smaller --small-bytes or --alloc-min-bytes"},
	[MEMPHIS_ALLOCATIONS_OFF] = {"allocations-off", "allocations were not tracked when recording",
				     "record again without --alloc-min-bytes off"},
	[MEMPHIS_ALLOCATION_LEFT_OUT] =
		{"allocation-left-out", "the bound on allocation records was reached when recording",
		 "record again with a larger MEMPHIS_ALLOC_MAX_RECORDS or --alloc-min-bytes"},
	[MEMPHIS_BEFORE_TRACKING] =
		{"before-tracking", "allocator memory handed out before tracking began",
		 "record the program from its start, or name the memory by memphis_name()"},
	[MEMPHIS_STACK_FRAME] =
		{"stack-frame", "a local variable on a thread's stack",
		 "look at these lines for locals; the function has a name where the device samples, or perf with --callers 512, and enough of the stack is copied (a larger --callers)"},
	[MEMPHIS_FRAME_WITHOUT_VARIABLE] =
		{"frame-without-variable", "a function's frame, where the debug information has no variable",
		 "look at these lines for arrays of variable length and alloca(); if there are none, the compiler keeps values there that found no register, or the function has no debug information (-g)"},
	[MEMPHIS_RECORDED_BY_PERF] =
		{"recorded-by-perf", "recorded by perf: allocations unknown",
		 "record allocations, too: memphis record --backend none under perf record -k mono (memphis-perf-data(5))"},
	[MEMPHIS_NO_DEBUG_INFO] = {"no-debug-info",
				   "static memory of a binary without debug information and symbols",
				   "compile it with -g, or give its debug file's place with --binaries"},
	[MEMPHIS_NO_SYMBOL] = {"no-symbol",
			       "static memory that no variable covers (constants, linker tables ...)",
			       "compile it with -g if it has no debug information; constants have no name"},
	[MEMPHIS_BINARY_IS_MISSING] =
		{"binary-missing",
		 "static memory of a binary that is not here; give its place with --binaries",
		 "give its place with --binaries"},
	[MEMPHIS_BINARY_IS_CHANGED] =
		{"binary-changed",
		 "static memory of a binary that is not the recorded one any more; give the recorded one's place with --binaries",
		 "give the recorded one's place with --binaries, or record again"},
	[MEMPHIS_MAPPED_FILE] = {"mapped-file", "a mapped file that is not a program or library",
				 "name it by memphis_name(), or map it with the library loaded"},
	[MEMPHIS_ANONYMOUS_MAP] =
		{"anonymous-map", "anonymous memory that no recorded allocation covers",
		 "name it by memphis_name(): an allocator that the library does not see has it from the kernel"},
	[MEMPHIS_SPECIAL_MAP] = {"special-map", "memory that the kernel provides (vdso ...)", "nothing"},
	[MEMPHIS_OUTSIDE_EVERY_MAP] =
		{"outside-every-map", "no recorded list of maps shows this address",
		 "name it by memphis_name(): it came and went between two lists of maps"},
};

const struct memphis_reason_text memphis_naming_texts[MEMPHIS_NAMING_REASONS] = {
	[MEMPHIS_NAMING_SEVERAL] =
		{"which-object-is-unclear",
		 "one of several variables that the same line allocates, and the code does not show which",
		 "allocate them on separate lines, or name the block by memphis_name()"},
	[MEMPHIS_NAMING_LINE] =
		{"line-names-nothing", "the allocating line assigns the block to no variable",
		 "compile with -g, which also describes local variables, or name the block by memphis_name()"},
	[MEMPHIS_NAMING_SOURCE] = {"source-not-found", "the source of the allocating line is not here",
				   "give its place with --source"},
	[MEMPHIS_NAMING_CHANGED] =
		{"source-changed",
		 "the source of the allocating line was changed after the program was built",
		 "give the place of the source as it was with --source, or build and record again"},
	[MEMPHIS_NAMING_PYTHON] =
		{"python-code", "the block was allocated by Python code, whose lines are not recorded",
		 "record with CPython 3.11 to 3.14, or name the array by memphis.name(array, 'NAME') (memphis-interfaces(7))"},
	[MEMPHIS_NAMING_ALLOCATOR] =
		{"allocator-not-tracked",
		 "memory that an allocator has from the kernel, outside of the blocks that are tracked (memkind, jemalloc in the program ...)",
		 "name what it hands out by memphis_name(), or report it by memphis_pool_alloc()"},
	[MEMPHIS_NAMING_NO_LINE] = {"no-line-in-stack",
				    "no function in the call stack of the allocation has debug information",
				    "compile with -g"},
	[MEMPHIS_NAMING_NO_STACK] = {"no-stack", "the call stack of the allocation was not recorded",
				     "name the block by memphis_name()"},
	[MEMPHIS_NAMING_CUT] =
		{"stack-cut",
		 "more functions allocated for their callers than were recorded of the call stack (templates built with -O0 ...)",
		 "record with --stack-depth 64, or compile with -O1 or more"},
};

enum memphis_no_name memphis_no_name_of(const char *name)
{
	unsigned int naming = MEMPHIS_NAMING_REASONS - 1;

	while (naming && (!name || strcmp(memphis_naming_texts[naming].name, name)))
		naming--;
	return (enum memphis_no_name)naming;
}

const char *const memphis_how_names[MEMPHIS_HOWS] = {
	[MEMPHIS_HOW_NONE] = "none",           [MEMPHIS_HOW_DEBUG_INFO] = "debug-info",
	[MEMPHIS_HOW_SYMBOL] = "symbol",       [MEMPHIS_HOW_EXPLICIT] = "explicit",
	[MEMPHIS_HOW_HOLDER] = "holder",       [MEMPHIS_HOW_LOCAL] = "local",
	[MEMPHIS_HOW_ASSIGNED] = "assigned",   [MEMPHIS_HOW_SITE] = "site",
	[MEMPHIS_HOW_ESTIMATED] = "estimated",
};

enum memphis_how memphis_how_of(const char *name)
{
	unsigned int how = MEMPHIS_HOWS - 1;

	while (how && (!name || strcmp(memphis_how_names[how], name)))
		how--;
	return (enum memphis_how)how;
}

const struct memphis_reason_text memphis_no_callers_texts[] = {
	[0] = {"known", "the callers are known", "nothing"},
	[MEMPHIS_NO_CALLERS_LOST] = {"lost", "the ring of stacks was full",
				     "record again with a larger --ring-records, or a longer --period"},
	[MEMPHIS_NO_CALLERS_KERNEL] = {"kernel", "the interrupt came in the kernel", "nothing"},
	[MEMPHIS_NO_CALLERS_SKID] = {"skid", "the interrupt came in another function than the access",
				     "nothing"},
	[MEMPHIS_NO_CALLERS_NO_RULE] =
		{"no-rule", "a function without usable call frame information",
		 "use a library that has .eh_frame (compiled without -fno-asynchronous-unwind-tables)"},
	[MEMPHIS_NO_CALLERS_SHORT] = {"short", "the program's frame lies beyond the copied part of the stack",
				      "record again with a larger MEMPHIS_CALLERS"},
	[MEMPHIS_NO_CALLERS_NO_MEMORY] = {"no-memory", "memory was exhausted, or there were too many chains",
					  "nothing"},
	[MEMPHIS_NO_CALLERS_BUDGET] =
		{"budget",
		 "the module copies fewer bytes of the stack for each interrupt on average than were asked for",
		 "record again with a smaller MEMPHIS_CALLERS or a longer --period, or ask the site for a larger stack_budget of the module"},
	[MEMPHIS_NO_CALLERS_CHECK] =
		{"check", "the return addresses found do not follow calls of the binaries that are here",
		 "give the recorded binaries' place with --binaries, if they are not here"},
};

const struct memphis_reason_text memphis_no_type_texts[MEMPHIS_NO_TYPE_REASONS] = {
	[MEMPHIS_NO_TYPE_NOT_EXAMINED] = {"not-examined", "it was not examined",
					  "make the report from the sample files"},
	[MEMPHIS_NO_TYPE_DISASSEMBLER] = {"no-disassembler", "the tool was built without Capstone",
					  "install libcapstone-dev and build it again"},
	[MEMPHIS_NO_TYPE_BINARY] = {"binary-missing", "the binary with the instruction is not here",
				    "give its place with --binaries"},
	[MEMPHIS_NO_TYPE_DEBUG] = {"no-debug-info", "code without debug information",
				   "compile it with -g, or give its debug file's place with --binaries"},
	[MEMPHIS_NO_TYPE_OPERAND] =
		{"no-memory-operand",
		 "the instruction accesses memory without an operand that says so (push, call, ret ...)",
		 "nothing"},
	[MEMPHIS_NO_TYPE_VARIABLE] =
		{"no-variable",
		 "no variable with a type is in the registers of the address, and none was loaded to them",
		 "nothing; less optimised code (-Og) has more variables"},
	[MEMPHIS_NO_TYPE_VOID] = {"void", "the pointer is of type void *", "nothing"},
	[MEMPHIS_NO_TYPE_OUTSIDE] = {"outside", "the access lies outside the type that its pointer has",
				     "nothing"},
	[MEMPHIS_NO_TYPE_STACK] =
		{"stack-slot",
		 "a slot of the stack that is no variable's: a register was saved there, or parameters",
		 "nothing"},
	[MEMPHIS_NO_TYPE_STATIC] =
		{"no-static-variable",
		 "static memory that no variable in the debug information covers, or an index that does not start at an array",
		 "compile with -g what has the variable"},
	[MEMPHIS_NO_TYPE_THREAD] = {"thread-local",
				    "memory of the thread in which no variable of the binary is known",
				    "nothing"},
};

static const char *const filter_names[MEMPHIS_REASONS] = {
	[MEMPHIS_REASON_INVALID] = "invalid",
	[MEMPHIS_REASON_KERNEL_PC] = "kernel-pc",
	[MEMPHIS_REASON_NOT_MEMORY] = "not-memory",
	[MEMPHIS_REASON_NO_ADDRESS] = "no-address",
	[MEMPHIS_REASON_KERNEL_ADDRESS] = "kernel-address",
	[MEMPHIS_REASON_LOADS] = "loads",
	[MEMPHIS_REASON_STORES] = "stores",
	[MEMPHIS_REASON_NOT_DRAM] = "not-dram",
	[MEMPHIS_REASON_LOCAL] = "local",
	[MEMPHIS_REASON_LATENCY] = "latency",
	[MEMPHIS_REASON_STOPPED] = "stopped",
	[MEMPHIS_REASON_GUEST] = "guest",
};

const char *memphis_filter_reason_name(unsigned int reason)
{
	return reason < MEMPHIS_REASONS ? filter_names[reason] : NULL;
}

static const char *const source_names[MEMPHIS_SOURCES] = {
	[MEMPHIS_SOURCE_UNKNOWN] = "unknown",
	[MEMPHIS_SOURCE_L1] = "l1",
	[MEMPHIS_SOURCE_L2] = "l2",
	[MEMPHIS_SOURCE_L3] = "l3",
	[MEMPHIS_SOURCE_PEER_CACHE] = "peer-cache",
	[MEMPHIS_SOURCE_DRAM] = "dram",
	[MEMPHIS_SOURCE_EXTENSION] = "extension",
	[MEMPHIS_SOURCE_IO] = "io",
	[MEMPHIS_SOURCE_FILL_BUFFER] = "fill-buffer",
};

const char *memphis_source_name(unsigned int source)
{
	return source < MEMPHIS_SOURCES ? source_names[source] : "?";
}
