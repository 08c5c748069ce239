// SPDX-License-Identifier: BSD-3-Clause
// A container as graph codes have it, whose constructor allocates in the object of the caller; locals, a member and one that is returned.
#include "corpus.h"

template <class T> class pvector
{
      public:
	pvector() : start_(nullptr), end_(nullptr)
	{
	}
	explicit pvector(size_t count)
	{
		start_ = new T[count];
		end_ = start_ + count;
	}
	pvector(size_t count, T value) : pvector(count)
	{
		for (T *at = start_; at < end_; at++)
			*at = value;
	}
	pvector(pvector &&other) : start_(other.start_), end_(other.end_)
	{
		other.start_ = other.end_ = nullptr;
	}
	pvector &operator=(pvector &&other)
	{
		start_ = other.start_;
		end_ = other.end_;
		other.start_ = other.end_ = nullptr;
		return *this;
	}
	~pvector()
	{
		delete[] start_;
	}
	T *begin() const
	{
		return start_;
	}

      private:
	T *start_, *end_;
};

__attribute__((noinline)) static pvector<double> rank(size_t count)
{
	pvector<double> scores(count, 1.0); // site: scores, result
	pvector<double> outgoing(count);    // site: outgoing

	TRUTH(scores.begin(), BYTES, "scores|scores.start_|result|result.start_");
	TRUTH(outgoing.begin(), BYTES, "outgoing|outgoing.start_");
	return scores;
}

struct Graph {
	pvector<long> offsets;
};

int main()
{
	pvector<double> result = rank(COUNT); // site: scores, result
	Graph graph;

	graph.offsets = pvector<long>(COUNT);
	TRUTH(result.begin(), BYTES, "scores|scores.start_|result|result.start_");
	TRUTH(graph.offsets.begin(), BYTES, "graph.offsets|graph.offsets.start_");
}
