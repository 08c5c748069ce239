// SPDX-License-Identifier: BSD-3-Clause
// Classes whose members are behind a pointer, and intrusive counted pointers.
#include "corpus.h"

#include <memory>
#include <vector>

class Solver
{
      public:
	explicit Solver(size_t count);
	~Solver();
	double *residual();

      private:
	struct Private;
	std::unique_ptr<Private> m_private;
};

struct Solver::Private {
	std::vector<double> residual;
};

Solver::Solver(size_t count) : m_private(new Private)
{
	m_private->residual.resize(count); // site: solver.m_private->residual
}

Solver::~Solver() = default;

double *Solver::residual()
{
	return m_private->residual.data();
}

struct Counted {
	int references = 1;
	double *values;
	explicit Counted(size_t count) : values(new double[count])
	{
		corpus_use(values);
	}
};

class Handle
{
      public:
	explicit Handle(Counted *object) : m_object(object)
	{
	}
	Counted *operator->() const
	{
		return m_object;
	}

      private:
	Counted *m_object;
};

int main()
{
	Solver solver(COUNT);              // site: solver.m_private->residual
	Handle handle(new Counted(COUNT)); // site: handle->values

	TRUTH(solver.residual(), BYTES,
	      "solver.m_private->residual|solver|m_private->residual|Solver::m_private->residual");
	TRUTH(handle->values, BYTES, "handle->values|handle.m_object->values|handle");
}
