// SPDX-License-Identifier: BSD-3-Clause
/* Thread-local arrays of a shared library and of one that is loaded later. */
/* corpus: library worker library_tls_worker.c -DNAME=linked */
/* corpus: plugin late library_tls_worker.c -DNAME=loaded */
/* corpus: environment LATE=$B/liblate.so */
#include <dlfcn.h>
#include <stdlib.h>

void linked(void);

int main(void)
{
	void *late = dlopen(getenv("LATE"), RTLD_NOW);
	void (*loaded)(void) = late ? (void (*)(void))dlsym(late, "loaded") : NULL;

	linked();
	if (loaded)
		loaded();
	return !loaded;
}
