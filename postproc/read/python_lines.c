// SPDX-License-Identifier: BSD-3-Clause
/* Lines of Python code in the call stacks of allocations. */
#include "read/python_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define LINES_MAX 65535u

/* Parses the part of a line after its number: positions, function and path. */
static int parse(struct memphis_process *process, struct memphis_span text, struct memphis_python_line *line)
{
	unsigned int *const numbers[] = {&line->line, &line->column, &line->end_line, &line->end_column};
	struct memphis_span function;
	uint64_t number;
	char *path;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!memphis_next_number(&text, false, &number) || number > INT32_MAX)
			return -EBADMSG;
		*numbers[i] = (unsigned int)number;
	}
	if (!memphis_next_field(&text, &function))
		return -EBADMSG;
	path = memphis_span_unescape(text);
	line->path = path ? memphis_strings_add_text(&process->log->names, path) : MEMPHIS_NO_STRING;
	free(path);
	line->function = memphis_strings_add(&process->log->names, function.text, function.bytes);
	return line->path == MEMPHIS_NO_STRING || line->function == MEMPHIS_NO_STRING ? -ENOMEM : 0;
}

/* The writer numbers the lines from 1 in the order in which it writes them. */
int memphis_python_lines_load(struct memphis_process *process, struct memphis_span payload)
{
	struct memphis_python_line *last;
	struct memphis_span line;
	uint64_t number;
	int rc;

	while (memphis_next_line(&payload, &line)) {
		if (!memphis_next_number(&line, false, &number) || !number || number > LINES_MAX)
			return -EBADMSG;
		while (process->log->python_line_count <= number) {
			last = memphis_append(process->log->python_lines, process->log->python_line_count,
					      process->log->python_line_room);
			if (!last)
				return -ENOMEM;
			memset(last, 0, sizeof(*last));
		}
		rc = parse(process, line, &process->log->python_lines[number]);
		if (rc)
			return rc;
	}
	return 0;
}

uint32_t memphis_stack_of(const struct memphis_thread_log *log, uint32_t id)
{
	const size_t low = memphis_bisect(at, log->stack_id_count, log->stack_ids[at].id < id);

	return low < log->stack_id_count && log->stack_ids[low].id == id ? log->stack_ids[low].stack : 0;
}

uint32_t memphis_stack_add(struct memphis_process *process, const struct memphis_thread_log *log,
			   const uint8_t *words, size_t depth)
{
	size_t native_bytes;
	uint64_t first = 0;
	uint32_t native, stack;
	char *whole;

	if (depth)
		memcpy(&first, words, sizeof(first));
	if (MEMPHIS_PC_KIND(first) != MEMPHIS_PC_STACK)
		return memphis_strings_add(&process->log->stacks, words, depth * 8);
	native = memphis_stack_of(log, MEMPHIS_PC_NUMBER(first));
	native_bytes = memphis_strings_bytes(&process->log->stacks, native);
	whole = malloc(native_bytes + depth * 8);
	if (!whole)
		return MEMPHIS_NO_STRING;
	memcpy(whole, memphis_strings_get(&process->log->stacks, native), native_bytes);
	memcpy(whole + native_bytes, words + 8, (depth - 1) * 8);
	stack = memphis_strings_add(&process->log->stacks, whole, native_bytes + (depth - 1) * 8);
	free(whole);
	return stack;
}

const struct memphis_python_line *memphis_python_line_of(const struct memphis_process *process, uint64_t word)
{
	const uint32_t number = MEMPHIS_PC_NUMBER(word);

	if (MEMPHIS_PC_KIND(word) != MEMPHIS_PC_PYTHON || number >= process->log->python_line_count ||
	    !process->log->python_lines[number].path)
		return NULL;
	return &process->log->python_lines[number];
}
