// SPDX-License-Identifier: BSD-3-Clause
// Classes that units.cc only declares where clang leaves their debug information to the unit with their constructor, or a compiler leaves
// it to type units.
#ifndef OCEAN_HH
#define OCEAN_HH

namespace ocean
{
struct Opaque;

struct Point {
	double x, y;
};

class Field {
public:
	explicit Field(double *values);
	double at(long i) const { return values[i]; }
	long size() const { return count; }

	long count;
	double *values;
};

class Shape {
public:
	Shape();
	virtual ~Shape();

	double area;
	Point center;
};

struct Mesh {
	struct Cell;
	struct Face {
		Face(int low);
		int low, high;
		double area;
	};

	explicit Mesh(Cell *cells);
	Cell *cells;
	Face *faces;
	Field *field;
	Opaque *opaque;
	long count;
};

struct Mesh::Cell {
	struct Side {
		Side(double);
		double length;
		Cell *other;
	};

	explicit Cell(Side *sides);
	double volume;
	Side *sides;
	Cell *next;
};

template <typename T> struct Buffer {
	explicit Buffer(T *items);
	T &get(long i) { return items[i]; }
	T *items;
	long used;
};
extern template struct Buffer<double>;
extern template struct Buffer<Point>;
}

/* The same name in another namespace. */
namespace land
{
struct Field {
	explicit Field(long id);
	long id;
	float height[4];
	float slope;
};
}

#endif
