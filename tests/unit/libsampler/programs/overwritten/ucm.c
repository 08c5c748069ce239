/* SPDX-License-Identifier: BSD-3-Clause */
/* As hooks.c, by UCX: asks its library libucm for all events of maps. Its header is not installed with the library. */
#include <stdio.h>
#include <stdlib.h>

#define EVENTS (1 << 16 | 1 << 17) /* memory is mapped, memory is unmapped */

int ucm_set_event_handler(int events, int priority, void (*callback)(int, void *, void *), void *argument);

static volatile int events;

static void count(int type, void *event, void *argument)
{
	(void)type;
	(void)event;
	(void)argument;
	events++;
}

void take_over(void)
{
	int status = ucm_set_event_handler(EVENTS, 0, count, NULL);
	char *block;

	if (status)
		printf("ucm_set_event_handler: %d\n", status);
	/* The C library maps a block of this size, and unmaps it. UCX must notice both. */
	events = 0;
	block = malloc(64 << 20);
	free(block);
	if (events < 2)
		printf("UCX saw %d events of malloc() and free()\n", events);
}
