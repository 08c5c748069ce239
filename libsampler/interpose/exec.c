/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of the exec functions and of _exit(). Writes the content of the rings before the kernel
 * unmaps them. In a child of vfork() and in a process that is not sampled, the wrappers only make the call.
 */
#include <stdarg.h>
#include <string.h>

#include "control/session.h"
#include "counters/reader.h"
#include "record/drain.h"
#include "interpose/syscall.h"
#include "interpose/next_symbols.h"
#include "core/session.h"
#include "settings/env.h"

/* maximum wait; the drain survives the end of the process, but not the end of a container */
#define EXIT_MS 500

MEMPHIS_EXECS(MEMPHIS_DECLARE)
MEMPHIS_EXITS(MEMPHIS_DECLARE)
PUBLIC int MEMPHIS_ENTRY(execl)(const char *path, const char *argument, ...);
PUBLIC int MEMPHIS_ENTRY(execlp)(const char *file, const char *argument, ...);
PUBLIC int MEMPHIS_ENTRY(execle)(const char *path, const char *argument, ...);

/* Returns true if the process has a drain but no session yet. Async-signal-safe. */
static bool is_drain_deferred(void)
{
	return memphis_session_is_deferred() && !memphis_busy && memphis_session.identity.pid == getpid() &&
	       !memphis_is_copy();
}

/*
 * Writes pending data and ends the companions, because they would become unknown children of the new program.
 * Returns true if after_exec() must start them again after a failed call.
 */
static bool before_exec(void)
{
	const bool is_new = is_drain_deferred();
	int cancel;

	memphis_next_setup();
	if (!memphis_session_is_usable() && !is_new)
		return false;
	cancel = memphis_enter();
	/* The drain may be opening the session at this moment. */
	if (is_new && !memphis_drain_leave(MEMPHIS_DRAIN_LEAVE_MS) && !memphis_session_is_deferred())
		memphis_drain_return();
	if (!memphis_session_is_deferred()) {
		memphis_counters_read(true, MEMPHIS_COUNTER_LAST_MS);
		memphis_drain_request(MEMPHIS_DRAIN_FILES | MEMPHIS_DRAIN_SETTINGS | MEMPHIS_DRAIN_EXEC,
				      MEMPHIS_DRAIN_LEAVE_MS);
	}
	memphis_drain_leave(MEMPHIS_DRAIN_LEAVE_MS);
	memphis_leave(cancel);
	return true;
}

static int after_exec(bool again, int result)
{
	const int saved = errno;
	int cancel;

	if (again) {
		cancel = memphis_enter();
		if (!memphis_session_is_deferred())
			memphis_counters_start(&memphis_session);
		memphis_drain_return();
		if (!memphis_session_is_deferred())
			memphis_drain_request(MEMPHIS_DRAIN_SETTINGS, 0);
		memphis_leave(cancel);
	}
	errno = saved;
	return result;
}

#define DEFINE_EXEC(when, result, name, parameters, arguments, stand_in) \
	result MEMPHIS_ENTRY(name) parameters                            \
	{                                                                \
		const bool again = before_exec();                        \
                                                                         \
		return after_exec(again, memphis_next.name arguments);   \
	}
MEMPHIS_EXECS(DEFINE_EXEC)

/* Returns the number of arguments before the final NULL. Does not consume the caller's list. */
static size_t count_arguments(const char *first, va_list args)
{
	size_t count = 0;
	va_list copy;

	va_copy(copy, args);
	for (; first; first = va_arg(copy, const char *))
		count++;
	va_end(copy);
	return count;
}

/* Copies the arguments and the final NULL to `argv`, and leaves *args after the NULL. */
static void collect_arguments(char **argv, const char *first, size_t count, va_list *args)
{
	size_t i;

	memcpy(&argv[0], &first, sizeof(first));
	for (i = 1; i <= count; i++)
		argv[i] = va_arg(*args, char *);
}

/* The arrays are on the stack, because programs also call these functions where they must not allocate. */
#define DEFINE_EXEC_OF_LIST(name, of_array)                                  \
	int MEMPHIS_ENTRY(name)(const char *file, const char *argument, ...) \
	{                                                                    \
		va_list args;                                                \
                                                                             \
		va_start(args, argument);                                    \
		{                                                            \
			size_t count = count_arguments(argument, args);      \
			char *argv[count + 1];                               \
                                                                             \
			collect_arguments(argv, argument, count, &args);     \
			va_end(args);                                        \
			return MEMPHIS_ENTRY(of_array)(file, argv);          \
		}                                                            \
	}
DEFINE_EXEC_OF_LIST(execl, execv)
DEFINE_EXEC_OF_LIST(execlp, execvp)

int MEMPHIS_ENTRY(execle)(const char *path, const char *argument, ...)
{
	va_list args;

	va_start(args, argument);
	{
		size_t count = count_arguments(argument, args);
		char *argv[count + 1];
		char *const *envp;

		collect_arguments(argv, argument, count, &args);
		envp = va_arg(args, char *const *);
		va_end(args);
		return MEMPHIS_ENTRY(execve)(path, argv, envp);
	}
}

/*
 * Writes all remaining data and closes the files before the process ends by a system call. exit(3) does the
 * same. Waits for the locks and for the data only for the times of memphis_session_close(). Does nothing in a
 * child of vfork(), in a process that is not sampled, and in a signal handler that has interrupted the
 * library. There it is async-signal-safe.
 */
static void before_exit(void)
{
	/* On request, even the shortest processes are recorded. */
	if (is_drain_deferred() && memphis_settings.record == MEMPHIS_RECORD_AT_ONCE)
		memphis_session_start();
	if (memphis_session_is_usable())
		memphis_session_close(EXIT_MS);
	else if (is_drain_deferred())
		memphis_drain_dismiss(MEMPHIS_DRAIN_DISMISS_MS);
}

long memphis_exec_call(long number, const long a[6], UNUSED void *frame)
{
	const bool again = before_exec();

	return after_exec(again, (int)memphis_next_call(number, a));
}

long memphis_exec_call_exit_group(long number, const long a[6], UNUSED void *frame)
{
	before_exit();
	return memphis_next_call(number, a);
}

#define DEFINE_EXIT(when, result, name, parameters, arguments, stand_in) \
	result MEMPHIS_ENTRY(name) parameters                            \
	{                                                                \
		memphis_next_setup();                                    \
		before_exit();                                           \
		memphis_next.name arguments;                             \
		__builtin_unreachable();                                 \
	}
MEMPHIS_EXITS(DEFINE_EXIT)
