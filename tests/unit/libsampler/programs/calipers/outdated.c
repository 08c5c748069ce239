// SPDX-License-Identifier: BSD-3-Clause
/*
 * The session's page has an earlier region of the leader, as after a change at the moment in which the thread becomes the leader. Prints
 * both regions a second later.
 */
#include <memphis.h>
#include <stdio.h>
#include <unistd.h>

#include "core/session.h"
#include "core/thread.h"

int main(void)
{
	memphis_begin("Outer");
	memphis_begin("Inner");
	memphis_session.control->region = 1;
	sleep(1);
	printf("region %u of the leader, %u of other threads\n", memphis_self->own_page.region,
	       memphis_session.control->region);
	memphis_end("Inner");
	memphis_end("Outer");
	return 0;
}
