/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes to a stack of the library's own, and back. */
#include <ucontext.h>

#include "base/companion.h"
#include "base/own_stack.h"
#include "base/sys.h"

#define STACK_BYTES (256u << 10) /* handlers of the program's signals run there, too */

static struct {
	ucontext_t program, own;
	void (*function)(void *);
	void *data;
} call;

static void make_call(void)
{
	call.function(call.data);
}

void memphis_call_on_own_stack(void (*function)(void *), void *data)
{
	/* Valgrind takes a stack near the thread's own one for a part of it. */
	char *stack = memphis_companion_is_valgrind() ? NULL : sys_map(STACK_BYTES);

	if (!stack || getcontext(&call.own)) {
		function(data);
	} else {
		call.function = function;
		call.data = data;
		call.own.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
		call.own.uc_link = &call.program;
		makecontext(&call.own, make_call, 0);
		swapcontext(&call.program, &call.own);
	}
	sys_unmap(stack, STACK_BYTES);
}
