// SPDX-License-Identifier: BSD-3-Clause
/* What the recording library looks for in an interpreter; its functions need the loader's relocations. */
#include <stddef.h>
#include <sys/types.h>

extern int slow_relocation(void);

const unsigned long Py_Version = 0x030b0000;
char PyCode_Type[408], PyUnicode_Type[408];
void *current, *const volatile *place = &current;

void *_PyThreadState_UncheckedGet(void)
{
	return slow_relocation() ? *place : NULL;
}

void *PyGILState_GetThisThreadState(void)
{
	return *place;
}

int _Py_IsFinalizing(void)
{
	return *place != NULL;
}

int PyCode_Addr2Location(void)
{
	return 0;
}

ssize_t PyUnicode_GetLength(void)
{
	return 0;
}

unsigned int PyUnicode_ReadChar(void)
{
	return 0;
}
