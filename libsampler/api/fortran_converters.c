/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Needed for gfortran before version 12. If a C function takes arrays, these versions add calls of two
 * functions of libgfortran, which convert array descriptors. If this library were linked with libgfortran,
 * programs in C would load libgfortran, too. Instead, the Fortran module calls the functions below, and they
 * call those of the libgfortran that the program has loaded. The functions below are hidden and not part of
 * the archive, so that the program does not get them.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/sys.h"

/* The types are those of libgfortran. Here, values of these types are only passed on. */
void _gfortran_gfc_desc_to_cfi_desc(void **c_descriptor, const void *descriptor);
void _gfortran_cfi_desc_to_gfc_desc(void *descriptor, void **c_descriptor);

/*
 * Stores a descriptor for C in *c_descriptor. Stores NULL if the function of libgfortran is not found, because
 * the program is linked with -static-libgfortran.
 */
void _gfortran_gfc_desc_to_cfi_desc(void **c_descriptor, const void *descriptor)
{
	void *symbol = dlsym(RTLD_DEFAULT, __func__);
	void (*convert)(void **, const void *);

	*c_descriptor = NULL;
	memcpy(&convert, &symbol, sizeof(convert));
	if (convert)
		convert(c_descriptor, descriptor);
}

/* Converts the descriptor back after the call, and releases it. */
void _gfortran_cfi_desc_to_gfc_desc(void *descriptor, void **c_descriptor)
{
	void *symbol = dlsym(RTLD_DEFAULT, __func__);
	void (*convert)(void *, void **);

	memcpy(&convert, &symbol, sizeof(convert));
	if (convert)
		convert(descriptor, c_descriptor);
}
