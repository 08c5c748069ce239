/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is loaded and goes again. */
#ifndef PLUGIN_H
#define PLUGIN_H

/* Touches its memory, and says where that lies; the address of its static part. */
double *plugin_open(void);
double plugin_sweep(void);
void plugin_close(void);

#endif
