/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's list of maps is asked for while a thread is in the middle of dlopen(): LIBRARY needs another one, whose file
 * is a pipe (PIPE) that nothing comes out of. usage: loading LIBRARY PIPE
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
	err = memphis_begin("all") || pthread_create(&thread, NULL, load, argv[1]);
	/* Comes back when the loader has opened its end: LIBRARY itself is mapped then. */
	pipe = open(argv[2], O_WRONLY | O_CLOEXEC);
	err |= pipe < 0 || memphis_flush();
	close(pipe);
	/* The loader finds that the pipe holds no library. */
	err |= pthread_join(thread, &library) || library != NULL;
	return err | memphis_flush() | memphis_end("all") ? 1 : 0;
}
