/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes on maps that could not be tracked: rows of the table of report_notes.c. */
#ifndef MEMPHIS_MAP_NOTES_H
#define MEMPHIS_MAP_NOTES_H

#define MEMPHIS_MAP_NOTES                                                                                  \
	{"maps_ahead",                                                                                     \
	 ": maps of mmap() were not tracked, and have no names: its function takes precedence over "       \
	 "the library's"},                                                                                 \
	{                                                                                                  \
		"maps_bypassed", ": maps of these functions were not tracked, and have no names, since "   \
				 "another library "                                                        \
				 "overwrote them in memory, and its own don't call syscall(); switch its " \
				 "memory hooks "                                                           \
				 "off"                                                                     \
	}

#endif
