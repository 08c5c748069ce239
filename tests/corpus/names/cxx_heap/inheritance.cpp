// SPDX-License-Identifier: BSD-3-Clause
// Members of base classes, of objects behind references, and of objects in objects.
#include "corpus.h"

#include <memory>
#include <vector>

class Base
{
      public:
	virtual ~Base() = default;
	virtual void setup(size_t count)
	{
		m_field = new double[count]; // site: plain.m_field, derived.m_field, chosen->m_field
		corpus_use(m_field);
	}
	double *m_field = nullptr;
};

class Derived : public Base
{
      public:
	void setup(size_t count) override
	{
		Base::setup(count);
		m_more.resize(count); // site: derived.m_more
	}
	std::vector<double> m_more;
};

struct Outer {
	struct Inner {
		std::vector<double> values;
	} inner;
	Derived part;
};

__attribute__((noinline)) static void fill(Outer &outer)
{
	outer.inner.values.resize(COUNT); // site: outer.inner.values
}

int main()
{
	Base plain;
	Derived derived;
	std::unique_ptr<Base> chosen = std::make_unique<Base>();
	Outer outer;

	plain.setup(COUNT);   // site: plain.m_field
	derived.setup(COUNT); // site: derived.m_field, derived.m_more
	chosen->setup(COUNT); // site: chosen->m_field
	fill(outer);          // site: outer.inner.values
	TRUTH(plain.m_field, BYTES, "plain.m_field|plain");
	TRUTH(derived.m_field, BYTES, "derived.m_field|derived");
	TRUTH(derived.m_more.data(), BYTES, "derived.m_more|derived");
	TRUTH(chosen->m_field, BYTES, "chosen->m_field|chosen.m_field");
	TRUTH(outer.inner.values.data(), BYTES, "outer.inner.values");
}
