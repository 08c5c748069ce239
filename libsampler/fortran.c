/* SPDX-License-Identifier: BSD-3-Clause */
/* The C side of the Fortran module: strings with a length and trailing blanks, arrays with a descriptor. */
#include <ISO_Fortran_binding.h>

#include "caliper.h"
#include "names.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int memphis_fortran_begin(const char *name, size_t length);
PUBLIC int memphis_fortran_end(const char *name, size_t length);
PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length);

static size_t trimmed(const char *name, size_t length)
{
	while (length && name[length - 1] == ' ')
		length--;
	return length;
}

PUBLIC int memphis_fortran_begin(const char *name, size_t length)
{
	length = trimmed(name, length);
	return length ? memphis_caliper_begin(name, length) : -EINVAL;
}

PUBLIC int memphis_fortran_end(const char *name, size_t length)
{
	length = trimmed(name, length);
	return length ? memphis_caliper_end(name, length) : -EINVAL;
}

/* From the lowest to the highest byte of the array, whatever its strides. */
PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length)
{
	const char *low = array->base_addr, *high = low;
	int i;

	if (!low)
		return -EINVAL;
	for (i = 0; i < array->rank; i++) {
		ptrdiff_t reach;

		if (array->dim[i].extent <= 0)
			return -EINVAL;
		reach = (array->dim[i].extent - 1) * array->dim[i].sm;
		if (reach < 0)
			low += reach;
		else
			high += reach;
	}
	return memphis_names_add(low, (size_t)(high - low) + array->elem_len, name, trimmed(name, length));
}
