// SPDX-License-Identifier: BSD-3-Clause
// Another definition of a class of definitions.cc, and one more constructor of units.cc.
struct Private;
struct Clash {
	explicit Clash(long);
	double second;
	float first;
	Clash *next;
};

Clash::Clash(long) : second(1), first(2), next(nullptr)
{
}

struct Holder {
	explicit Holder(int);
	Private *own;
	Clash *clash;
};

Holder::Holder(int) : own(nullptr), clash(nullptr)
{
}
