/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread-local variables of a library that tls.c is linked with, or (-DLATE) loads. */
#ifdef LATE
static _Thread_local double much[LATE];

double *late(void)
{
	return much;
}
#else
_Thread_local double linked[500];
#endif
