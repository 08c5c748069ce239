// SPDX-License-Identifier: BSD-3-Clause
// Calipers that exceptions leave. Prints the sum of the calls' return values, and the first word of the library's status.
#include <cstdio>
#include <cstring>

#include <memphis.h>

static int sum;

__attribute__((noinline)) static void begin_inner()
{
	sum += memphis_begin("Inner");
	throw 1;
}

__attribute__((noinline)) static void begin_outer()
{
	sum += memphis_begin("Outer");
	begin_inner();
	sum += memphis_end("Inner") + memphis_end("Outer");
}

int main()
{
	char text[512];

	sum += memphis_begin("Loop");
	for (int i = 0; i < 1000; i++)
		try {
			begin_outer();
		} catch (int) {
		}
	sum += memphis_end("Loop");
	memphis_status(text, sizeof(text));
	text[strcspn(text, ":")] = '\0';
	printf("%d %s\n", sum, text);
	return 0;
}
