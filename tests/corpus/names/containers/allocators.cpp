// SPDX-License-Identifier: BSD-3-Clause
// Containers with an allocator of one's own, aligned, and from a pool of pmr.
#include "corpus.h"

#include <memory_resource>
#include <vector>

template <class T> struct Aligned {
	using value_type = T;
	Aligned() = default;
	template <class U> Aligned(const Aligned<U> &)
	{
	}
	T *allocate(size_t count)
	{
		return static_cast<T *>(aligned_alloc(64, count * sizeof(T)));
	}
	void deallocate(T *block, size_t)
	{
		free(block);
	}
	bool operator==(const Aligned &) const
	{
		return true;
	}
	bool operator!=(const Aligned &) const
	{
		return false;
	}
};

template <class T> using aligned_vector = std::vector<T, Aligned<T>>;

struct Model {
	aligned_vector<double> wind;
};

int main()
{
	aligned_vector<double> near(COUNT); // site: near
	aligned_vector<double> far(COUNT);  // site: far
	Model model;
	std::pmr::vector<double> pooled(COUNT, std::pmr::new_delete_resource()); // site: pooled

	model.wind.resize(COUNT); // site: model.wind
	TRUTH(near.data(), BYTES, "near");
	TRUTH(far.data(), BYTES, "far");
	TRUTH(model.wind.data(), BYTES, "model.wind");
	TRUTH(pooled.data(), BYTES, "pooled");
}
