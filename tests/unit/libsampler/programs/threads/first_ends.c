/* SPDX-License-Identifier: BSD-3-Clause */
/* The first thread ends; another one opens a caliper some passes of the drain later. */
#include <pthread.h>
#include <unistd.h>

#include <memphis.h>

static void *work(void *unused)
{
	(void)unused;
	usleep(300000);
	memphis_begin("Late");
	memphis_end("Late");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pthread_exit(NULL);
}
