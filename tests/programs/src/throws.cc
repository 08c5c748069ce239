// SPDX-License-Identifier: BSD-3-Clause
// Forks while two threads throw exceptions, whose handlers are found with locks of the loader. usage: throws COUNT
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static std::atomic<long> caught;

__attribute__((noinline)) static long descend(int levels)
{
	if (levels == 0)
		throw std::out_of_range("bottom");
	return descend(levels - 1) + caught;
}

static void throw_often()
{
	for (;;) {
		try {
			caught += descend(8);
		} catch (const std::exception &) {
			caught++;
		}
	}
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? std::atoi(argv[1]) : 100;

	std::thread(throw_often).detach();
	std::thread(throw_often).detach();
	for (int i = 0; i < count; i++) {
		const pid_t child = fork();
		int status = 0;

		if (child == 0) {
			execl("/bin/true", "true", static_cast<char *>(nullptr));
			_exit(9);
		}
		if (waitpid(child, &status, 0) != child || status)
			std::printf("child %d: status %#x\n", i, status);
	}
	std::printf("%d children\n", count);
	std::fflush(stdout);
	_exit(0);
}
