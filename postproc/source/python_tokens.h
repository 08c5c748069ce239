/* SPDX-License-Identifier: BSD-3-Clause */
/* Logical lines of Python text, and their tokens: names, numbers, strings, operators and brackets. */
#ifndef MEMPHIS_PYTHON_TOKENS_H
#define MEMPHIS_PYTHON_TOKENS_H

#include "source/c_tokens.h"
#include "source/source.h"

/* A simple statement, or the head of a compound one. */
struct python_statement {
	struct token tokens[TOKENS_MAX];
	size_t count;    /* 0: it has more than TOKENS_MAX tokens */
	size_t indent;   /* column of the first token of the line */
	const char *end; /* after the last token */
};

/*
 * Reads the statement that begins at *at, which then is behind it. Statements separated by ";" count as one each; what follows the ":" of a compound
 * statement in the same line, as a part of it. Returns false at the end of the text.
 */
bool memphis_python_statement_next(const struct memphis_source_file *file, const char **at,
				   struct python_statement *statement);

#endif
