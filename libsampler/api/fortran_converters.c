/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before version 12, gfortran converts the descriptors of arrays, which the Fortran module hands to C, by functions of its library. Programs in C do not
 * have this library, so it is not linked: calls go to that of the program. The functions are hidden, and no part of the archive.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/sys.h"

/* The types are those of libgfortran; here they are only passed on. */
void _gfortran_gfc_desc_to_cfi_desc(void **c_descriptor, const void *descriptor);
void _gfortran_cfi_desc_to_gfc_desc(void *descriptor, void **c_descriptor);

/* Makes a descriptor for C; NULL if the program does not export the function, as if libgfortran is linked statically. */
void _gfortran_gfc_desc_to_cfi_desc(void **c_descriptor, const void *descriptor)
{
	void *symbol = dlsym(RTLD_DEFAULT, __func__);
	void (*convert)(void **, const void *);

	*c_descriptor = NULL;
	memcpy(&convert, &symbol, sizeof(convert));
	if (convert)
		convert(c_descriptor, descriptor);
}

/* Takes back the descriptor after the call, and releases it. */
void _gfortran_cfi_desc_to_gfc_desc(void *descriptor, void **c_descriptor)
{
	void *symbol = dlsym(RTLD_DEFAULT, __func__);
	void (*convert)(void *, void **);

	memcpy(&convert, &symbol, sizeof(convert));
	if (convert)
		convert(descriptor, c_descriptor);
}
