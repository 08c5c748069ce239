// SPDX-License-Identifier: BSD-3-Clause
// C++: new and delete of every kind, each with a unique size.
#include <new>
#include <vector>

#include <memphis.h>

struct alignas(128) line {
	char bytes[128];
};

static char *volatile plain, *volatile silent;
static line *volatile aligned;

int main()
{
	std::vector<char> *vector = new std::vector<char>(11001);
	char *one;

	plain = new char[11002];
	silent = new (std::nothrow) char[11003];
	aligned = new line[87]; // 11136
	one = static_cast<char *>(::operator new(11004));
	memphis_flush();
	::operator delete(one, static_cast<std::size_t>(11004));
	delete[] aligned;
	delete[] silent;
	delete[] plain;
	delete vector;
	memphis_flush();
	return 0;
}
