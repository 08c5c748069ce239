/* SPDX-License-Identifier: BSD-3-Clause */
/* The C part of the Fortran module. It converts array descriptors, and strings that have a length and trailing blanks. */
#include <ISO_Fortran_binding.h>
#include <string.h>

#include <memphis.h>

#include "api/caliper.h"
#include "core/names.h"
#include "interpose/parts.h"

PUBLIC int memphis_fortran_begin(const char *name, size_t length);
PUBLIC int memphis_fortran_end(const char *name, size_t length);
PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length);
PUBLIC void memphis_fortran_name_described(const CFI_cdesc_t *array, const CFI_cdesc_t *name, int *status);
PUBLIC struct memphis_pool *memphis_fortran_pool_create(const char *name, size_t length);
PUBLIC int memphis_fortran_pool_alloc(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
				      const char *name, size_t length);
PUBLIC int memphis_fortran_pool_free(struct memphis_pool *const *pool, const CFI_cdesc_t *array);
PUBLIC void memphis_fortran_pool_alloc_described(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
						 const CFI_cdesc_t *name, int *status);
PUBLIC void memphis_fortran_pool_free_described(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
						int *status);
PUBLIC int memphis_fortran_configure(const char *key, size_t key_length, const char *value,
				     size_t value_length);
PUBLIC void memphis_fortran_status(char *text, size_t length);
PUBLIC void memphis_fortran_version(char *text, size_t length);

static size_t trimmed_length(const char *name, size_t length)
{
	while (length && name[length - 1] == ' ')
		length--;
	return length;
}

PUBLIC int memphis_fortran_begin(const char *name, size_t length)
{
	length = trimmed_length(name, length);
	return length ? memphis_caliper_begin(name, length) : -EINVAL;
}

PUBLIC int memphis_fortran_end(const char *name, size_t length)
{
	length = trimmed_length(name, length);
	return length ? memphis_caliper_end(name, length) : -EINVAL;
}

/*
 * Returns the address of the lowest byte of the array, and the size from there to its highest byte. The
 * strides may have any values. Returns NULL if the array has no elements.
 */
static void *array_memory(const CFI_cdesc_t *array, size_t *bytes)
{
	char *low = array ? array->base_addr : NULL, *high = low;
	int i;

	if (!array)
		return NULL;
	for (i = 0; low && i < array->rank; i++) {
		ptrdiff_t reach;

		if (array->dim[i].extent <= 0)
			return NULL;
		reach = (array->dim[i].extent - 1) * array->dim[i].sm;
		if (reach < 0)
			low += reach;
		else
			high += reach;
	}
	*bytes = (size_t)(high - low) + array->elem_len;
	return low;
}

PUBLIC int memphis_fortran_name(const CFI_cdesc_t *array, const char *name, size_t length)
{
	size_t bytes;
	const void *low = array_memory(array, &bytes);

	length = trimmed_length(name, length);
	if (!low || !length)
		return -EINVAL;
	return memphis_names_add(low, bytes, name, length);
}

PUBLIC void memphis_fortran_name_described(const CFI_cdesc_t *array, const CFI_cdesc_t *name, int *status)
{
	int err = memphis_fortran_name(array, name->base_addr, name->elem_len);

	if (status)
		*status = err;
}

/*
 * Copies a Fortran string to a C string without its trailing blanks. Returns false if the string does not
 * fit, in which case the copy is truncated.
 */
static bool copy_to_c_string(char *to, size_t bytes, const char *from, size_t length)
{
	const size_t whole = trimmed_length(from, length), copied = whole < bytes ? whole : bytes - 1;

	memcpy(to, from, copied);
	to[copied] = '\0';
	return copied == whole;
}

PUBLIC struct memphis_pool *memphis_fortran_pool_create(const char *name, size_t length)
{
	char text[256];

	copy_to_c_string(text, sizeof(text), name, length);
	return memphis_pool_create(text);
}

/* `pool` points to the only component of the Fortran type. The value of this component is the C handle. */
PUBLIC int memphis_fortran_pool_alloc(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
				      const char *name, size_t length)
{
	char text[256];
	size_t bytes;
	void *low = array_memory(array, &bytes);

	if (!*pool || !low)
		return -EINVAL;
	copy_to_c_string(text, sizeof(text), name, length);
	memphis_parts_add(*pool, low, bytes, text, __builtin_frame_address(0));
	return 0;
}

PUBLIC int memphis_fortran_pool_free(struct memphis_pool *const *pool, const CFI_cdesc_t *array)
{
	size_t bytes;
	const void *low = array_memory(array, &bytes);

	return low ? memphis_pool_free(*pool, low) : -EINVAL;
}

PUBLIC void memphis_fortran_pool_alloc_described(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
						 const CFI_cdesc_t *name, int *status)
{
	int err = memphis_fortran_pool_alloc(pool, array, name->base_addr, name->elem_len);

	if (status)
		*status = err;
}

PUBLIC void memphis_fortran_pool_free_described(struct memphis_pool *const *pool, const CFI_cdesc_t *array,
						int *status)
{
	int err = memphis_fortran_pool_free(pool, array);

	if (status)
		*status = err;
}

static void copy_from_c_string(char *to, size_t length, const char *from)
{
	size_t bytes = strlen(from);

	memset(to, ' ', length);
	memcpy(to, from, bytes < length ? bytes : length);
}

PUBLIC int memphis_fortran_configure(const char *key, size_t key_length, const char *value,
				     size_t value_length)
{
	char key_text[64], value_text[4096];

	if (!copy_to_c_string(key_text, sizeof(key_text), key, key_length))
		return -ENOENT;
	if (!copy_to_c_string(value_text, sizeof(value_text), value, value_length))
		return -EINVAL;
	return memphis_configure(key_text, value_text);
}

PUBLIC void memphis_fortran_status(char *text, size_t length)
{
	char line[8192];

	memphis_status(line, sizeof(line));
	copy_from_c_string(text, length, line);
}

PUBLIC void memphis_fortran_version(char *text, size_t length)
{
	copy_from_c_string(text, length, memphis_version());
}
