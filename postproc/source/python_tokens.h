/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits Python text into logical lines and their tokens: names, numbers, strings, operators and brackets. */
#ifndef MEMPHIS_PYTHON_TOKENS_H
#define MEMPHIS_PYTHON_TOKENS_H

#include "source/c_tokens.h"
#include "source/source.h"

/* A simple statement, or the head of a compound statement. */
struct python_statement {
	struct token tokens[TOKENS_MAX];
	size_t count;    /* 0 if the statement has more than TOKENS_MAX tokens */
	size_t indent;   /* column of the first token of the line */
	const char *end; /* position after the last token */
};

/*
 * Reads the statement that begins at *at, and sets *at to the position after it. Each statement of a list
 * separated by ";" is read separately. Text after the ":" of a compound statement on the same line belongs to
 * that statement. Returns false at the end of the text.
 */
bool memphis_python_statement_next(const struct memphis_source_file *file, const char **at,
				   struct python_statement *statement);

#endif
