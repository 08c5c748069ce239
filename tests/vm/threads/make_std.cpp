// SPDX-License-Identifier: BSD-3-Clause
/* Creates threads with the C++ library. */
#include "work.h"

#include <thread>

extern const char *const make_kind = "std";

int make_thread(void (*body)(int), int worker)
{
	std::thread(body, worker).detach();
	return 0;
}
