// SPDX-License-Identifier: BSD-3-Clause
#include "profile/variable_names.h"

#include <string.h>

size_t memphis_owner_length(const char *name)
{
	const char *at = name + strlen(name);

	/* A name with one of these characters is a place in the code, or a list of alternative names. It is not a member. */
	if (strpbrk(name, "<|"))
		return 0;
	while (at > name && !strchr(".%>:", at[-1]))
		at--;
	return (size_t)(at - name);
}

size_t memphis_base_length(const char *name)
{
	size_t length = strlen(name);

	while (length > 2 && !strncmp(name + length - 2, "[]", 2))
		length -= 2;
	return length;
}
