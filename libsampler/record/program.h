/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's own code. Callers are recorded only for samples outside it. The program's own code consists
 * of the executable, of objects whose path is in the list of the setting, and of executable memory without a
 * file, which the program itself has filled with code. Used by the drain only.
 */
#ifndef MEMPHIS_PROGRAM_H
#define MEMPHIS_PROGRAM_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Lists the addresses of the program's code for the drain, and in the session's control page for the handler.
 * Must be called when objects were loaded or unloaded. If the code has more than MEMPHIS_PROGRAM_RANGES_MAX
 * ranges, the rest counts as library code.
 */
void memphis_program_list(void);

bool memphis_program_contains(__u64 pc);

/* Appends the line program_code of SETTINGS, which is the list of paths. */
void memphis_program_add_metadata(struct memphis_text_buffer *text);

#endif
