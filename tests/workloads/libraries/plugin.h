/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the library that host.c and reload.c load and unload. */
#ifndef PLUGIN_H
#define PLUGIN_H

/* Touches the library's memory and prints its location. Returns the address of the static array. */
double *plugin_open(void);
double plugin_sweep(void);
void plugin_close(void);

#endif
