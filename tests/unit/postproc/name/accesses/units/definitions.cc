// SPDX-License-Identifier: BSD-3-Clause
// The constructors of units.cc.
#include "ocean.hh"

namespace ocean
{
Field::Field(double *its) : count(0), values(its)
{
}

Shape::Shape() : area(0), center{0, 0}
{
}

Shape::~Shape()
{
}

Mesh::Face::Face(int l) : low(l), high(l), area(1)
{
}

Mesh::Mesh(Cell *its) : cells(its), faces(nullptr), field(nullptr), opaque(nullptr), count(0)
{
}

Mesh::Cell::Side::Side(double l) : length(l), other(nullptr)
{
}

Mesh::Cell::Cell(Side *its) : volume(1), sides(its), next(nullptr)
{
}

template <typename T> Buffer<T>::Buffer(T *its) : items(its), used(0)
{
}

template struct Buffer<double>;
template struct Buffer<Point>;
}

land::Field::Field(long number) : id(number), height{}, slope(0)
{
}

struct Pair : ocean::Field {
	Pair();
	ocean::Shape shape;
	ocean::Mesh::Face faces[3];
	double last;
};

Pair::Pair() : ocean::Field(nullptr), faces{1, 2, 3}, last(0)
{
}

struct Clash {
	explicit Clash(int);
	long first;
	double second;
};

Clash::Clash(int) : first(1), second(2)
{
}

namespace
{
struct Local {
	explicit Local(long);
	long number;
	char second[16];
};

Local::Local(long n) : number(n), second{}
{
}
}

long of_other_local(long n)
{
	Local local(n);

	return local.number;
}

struct Private {
	explicit Private(int);
	long number;
	float second[2];
};

Private::Private(int n) : number(n), second{}
{
}
