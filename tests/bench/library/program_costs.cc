// SPDX-License-Identifier: BSD-3-Clause
// Operations of programs that a preloaded library may slow down, without calling it; the program has one thread unless it is told
// otherwise. usage: program_costs MODE     prints what the mode counts: one number
//   putc, getc, shared_ptr, read   CPU nanoseconds of the calling thread per operation, fastest of 30 batches
//   fork, exec                     nanoseconds that pass per child, from fork() to the end of waitpid(), fastest of 12 batches
//   threads                        the number of threads, which were made two at a time and ended at once
//   idle                           VmPeak in MB while 16 threads are idle
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

constexpr int threads_made = 20000;

static double now(clockid_t clock)
{
	timespec time;

	clock_gettime(clock, &time);
	return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Runs an operation `count` times per batch, and returns the nanoseconds of one in the fastest batch.
template <typename Operation>
static double fastest(clockid_t clock, int batches, int count, Operation operation)
{
	double least = 1e18;

	for (int batch = 0; batch < batches; batch++) {
		const double begin = now(clock);

		for (int i = 0; i < count; i++)
			operation();
		least = std::min(least, (now(clock) - begin) / count);
	}
	return least;
}

static std::shared_ptr<int> global = std::make_shared<int>(3);
static volatile int sink;

__attribute__((noinline)) static void take(std::shared_ptr<int> copy)
{
	sink = *copy;
}

static void make_child(bool exec)
{
	const pid_t child = fork();

	if (child == 0) {
		if (exec)
			execl("/bin/true", "true", static_cast<char *>(nullptr));
		_exit(0);
	}
	waitpid(child, nullptr, 0);
}

static void *end(void *none)
{
	return none;
}

static void make_two_threads()
{
	pthread_t threads[2];

	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, end, nullptr))
			std::abort();
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
}

static pthread_barrier_t barrier;

static void *wait_twice(void *none)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return none;
}

// Returns VmPeak in MB, read while the threads exist.
static double peak_with_idle_threads()
{
	pthread_t threads[16];
	char line[200];
	double peak = 0;

	pthread_barrier_init(&barrier, nullptr, 17);
	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, wait_twice, nullptr))
			std::abort();
	pthread_barrier_wait(&barrier);
	FILE *status = std::fopen("/proc/self/status", "r");
	while (std::fgets(line, sizeof(line), status))
		if (!std::strncmp(line, "VmPeak:", 7))
			peak = std::atof(line + 7) / 1024;
	std::fclose(status);
	pthread_barrier_wait(&barrier);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	return peak;
}

static double measure(const char *mode)
{
	FILE *out = std::fopen("/dev/null", "w"), *in = std::fopen("/dev/zero", "r");
	const int zero = open("/dev/zero", O_RDONLY);
	char byte;

	if (!std::strcmp(mode, "putc"))
		return fastest(CLOCK_THREAD_CPUTIME_ID, 30, 1000000, [&] { putc('x', out); });
	if (!std::strcmp(mode, "getc"))
		return fastest(CLOCK_THREAD_CPUTIME_ID, 30, 1000000, [&] { sink = getc(in); });
	if (!std::strcmp(mode, "shared_ptr"))
		return fastest(CLOCK_THREAD_CPUTIME_ID, 30, 1000000, [&] { take(global); });
	if (!std::strcmp(mode, "read"))
		return fastest(CLOCK_THREAD_CPUTIME_ID, 30, 50000,
			       [&] { sink = static_cast<int>(read(zero, &byte, 1)); });
	if (!std::strcmp(mode, "fork"))
		return fastest(CLOCK_MONOTONIC, 12, 25, [] { make_child(false); });
	if (!std::strcmp(mode, "exec"))
		return fastest(CLOCK_MONOTONIC, 12, 25, [] { make_child(true); });
	if (!std::strcmp(mode, "idle"))
		return peak_with_idle_threads();
	if (std::strcmp(mode, "threads"))
		std::exit(2);
	for (int i = 0; i < threads_made; i += 2)
		make_two_threads();
	return threads_made;
}

int main(int argc, char **argv)
{
	std::printf("%f\n", measure(argc > 1 ? argv[1] : ""));
	return 0;
}
