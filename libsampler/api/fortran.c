/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C side of the Fortran module: converts array descriptors, and strings with a length and trailing
 * blanks.
 */
#include <ISO_Fortran_binding.h>
#include <string.h>

#include <memphis.h>

#include "api/caliper.h"
#include "core/names.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int memphis_fortran_begin(const char *name, size_t length);
PUBLIC int memphis_fortran_end(const char *name, size_t length);
PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length);
PUBLIC void memphis_fortran_name_described(const CFI_cdesc_t *array, const CFI_cdesc_t *name, int *status);
PUBLIC int memphis_fortran_configure(const char *key, size_t key_length, const char *value,
				     size_t value_length);
PUBLIC void memphis_fortran_status(char *text, size_t length);
PUBLIC void memphis_fortran_version(char *text, size_t length);

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

/* Names the memory from the lowest to the highest byte of the array, whichever strides it has. */
PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length)
{
	const char *low = array->base_addr, *high = low;
	int i;

	length = trimmed(name, length);
	if (!low || !length)
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
	return memphis_names_add(low, (size_t)(high - low) + array->elem_len, name, length);
}

PUBLIC void memphis_fortran_name_described(const CFI_cdesc_t *array, const CFI_cdesc_t *name, int *status)
{
	int err = memphis_fortran_name(array, name->base_addr, name->elem_len);

	if (status)
		*status = err;
}

/* Copies to a C string without trailing blanks. Returns 0, or -EINVAL if the text does not fit. */
static int to_c(char *to, size_t bytes, const char *from, size_t length)
{
	length = trimmed(from, length);
	if (length >= bytes)
		return -EINVAL;
	memcpy(to, from, length);
	to[length] = '\0';
	return 0;
}

static void from_c(char *to, size_t length, const char *from)
{
	size_t bytes = strlen(from);

	memset(to, ' ', length);
	memcpy(to, from, bytes < length ? bytes : length);
}

PUBLIC int memphis_fortran_configure(const char *key, size_t key_length, const char *value,
				     size_t value_length)
{
	char key_text[64], value_text[4096];

	if (to_c(key_text, sizeof(key_text), key, key_length))
		return -ENOENT;
	if (to_c(value_text, sizeof(value_text), value, value_length))
		return -EINVAL;
	return memphis_configure(key_text, value_text);
}

PUBLIC void memphis_fortran_status(char *text, size_t length)
{
	char line[8192];

	memphis_status(line, sizeof(line));
	from_c(text, length, line);
}

PUBLIC void memphis_fortran_version(char *text, size_t length)
{
	from_c(text, length, memphis_version());
}
