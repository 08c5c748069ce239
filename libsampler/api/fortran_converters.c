/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gfortran before version 12 compiles calls of C functions that take arrays into calls of two functions of libgfortran, which convert array
 * descriptors. Linking libgfortran would load it into programs in C. Instead, the Fortran module calls these functions, which call those of the
 * libgfortran that the program has loaded. They are hidden, so that the program does not get them, and no part of the archive.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/sys.h"

/* The types are those of libgfortran; here they are only passed on. */
void _gfortran_gfc_desc_to_cfi_desc(void **c_descriptor, const void *descriptor);
void _gfortran_cfi_desc_to_gfc_desc(void *descriptor, void **c_descriptor);

/* Stores a descriptor for C; NULL if the function is not found, because the program is linked with -static-libgfortran. */
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
