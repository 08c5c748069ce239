/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flushes, which would record a list of maps, while another thread is inside dlopen(): LIBRARY needs another library whose file
 * is a named pipe, PIPE, without data. usage: loading LIBRARY PIPE
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <memphis.h>

static void *load(void *path)
{
	return dlopen(path, RTLD_NOW);
}

int main(int argc, char **argv)
{
	void *library = NULL;
	pthread_t thread;
	int err, pipe;

	if (argc < 3)
		return 1;
	/* The first list of maps is complete before the library is loaded: until glibc has mapped LIBRARY, it does not say that it is loading. */
	err = memphis_begin("all") || memphis_flush() || pthread_create(&thread, NULL, load, argv[1]);
	/* Returns when the dynamic loader has opened the read end; LIBRARY itself is then mapped. */
	pipe = open(argv[2], O_WRONLY | O_CLOEXEC);
	err |= pipe < 0 || memphis_flush();
	close(pipe);
	/* At the end of the pipe, the dynamic loader fails: it contains no library. */
	err |= pthread_join(thread, &library) || library != NULL;
	return err | memphis_flush() | memphis_end("all") ? 1 : 0;
}
