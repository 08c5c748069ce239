// SPDX-License-Identifier: BSD-3-Clause
// Owners with deleters, aliases of shared owners, and weak ones.
#include "corpus.h"

#include <memory>

struct Free {
	void operator()(void *block) const
	{
		std::free(block);
	}
};

template <class T> using owned = std::unique_ptr<T[], Free>;

template <class T> static owned<T> make(size_t count)
{
	return owned<T>(static_cast<T *>(std::aligned_alloc(64, count * sizeof(T))));
}

struct Mesh {
	double x[COUNT], y[COUNT];
};

int main()
{
	auto first =
		std::unique_ptr<double[], Free>{static_cast<double *>(std::malloc(BYTES))}; // site: first
	owned<double> second = make<double>(COUNT);                                         // site: second
	auto third = make<double>(COUNT);                                                   // site: third
	auto mesh = std::make_shared<Mesh>();                                               // site: mesh
	std::shared_ptr<double> alias(mesh, mesh->y);
	std::unique_ptr<double, void (*)(void *)> fourth(static_cast<double *>(std::malloc(BYTES)),
							 std::free); // site: fourth

	TRUTH(first.get(), BYTES, "first");
	TRUTH(second.get(), BYTES, "second");
	TRUTH(third.get(), BYTES, "third");
	TRUTH(alias.get(), BYTES, "mesh");
	TRUTH(fourth.get(), BYTES, "fourth");
}
