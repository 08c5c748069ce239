/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's own code: samples in it need no callers. It consists of the executable, of objects whose path
 * is in the list of the setting, and of code without a file, which the program has made itself. Used by the
 * drain only.
 */
#ifndef MEMPHIS_PROGRAM_H
#define MEMPHIS_PROGRAM_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Lists the addresses of the program's code, for the drain and in the session's control page, where the handler finds them. To be
 * called when objects were loaded or unloaded. Code of objects beyond MEMPHIS_PROGRAM_RANGES_MAX counts as that of
 * libraries.
 */
void memphis_program_list(void);

bool memphis_program_contains(__u64 pc);

/* Appends the line program_code of SETTINGS: the list of paths. */
void memphis_program_metadata(struct memphis_text_buffer *text);

#endif
