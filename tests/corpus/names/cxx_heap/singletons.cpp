// SPDX-License-Identifier: BSD-3-Clause
// Objects that functions keep: Meyers' singletons, lazy statics, and a registry.
#include "corpus.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

struct Field {
	std::vector<double> data;
};

class Manager
{
      public:
	static Manager &instance()
	{
		static Manager manager;

		return manager;
	}
	std::vector<double> buffer;
	std::map<std::string, std::unique_ptr<Field>> fields;
};

static Manager *lazy;

static double *scratch(size_t count)
{
	static double *block;

	if (!block)
		block = new double[count]; // site: block
	return block;
}

int main()
{
	Manager &manager = Manager::instance();

	manager.buffer.resize(COUNT); // site: manager.buffer
	manager.fields["heat"] = std::make_unique<Field>();
	manager.fields["heat"]->data.resize(COUNT); // site: manager.fields[]->data
	lazy = new Manager;
	lazy->buffer.resize(COUNT); // site: lazy->buffer
	TRUTH(manager.buffer.data(), BYTES, "manager.buffer");
	TRUTH(manager.fields["heat"]->data.data(), BYTES,
	      "manager.fields[]->data|manager.fields[\"heat\"]->data|manager.fields[].data");
	TRUTH(lazy->buffer.data(), BYTES, "lazy->buffer|lazy.buffer");
	TRUTH(scratch(COUNT), BYTES, "block|scratch::block");
}
