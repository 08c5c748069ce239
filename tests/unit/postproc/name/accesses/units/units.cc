// SPDX-License-Identifier: BSD-3-Clause
// Accesses to types that other units define: after "//", the members that a line accesses, as in records.c; after "// clang: ", those of
// programs that clang compiled.
#include "ocean.hh"

double of_field(const ocean::Field *field, long i)
{
	return field->at(i); // ?ocean::Field.values; ?double
}

long of_size(const ocean::Field *field)
{
	return field->count; // ocean::Field.count
}

float of_land(const land::Field *field)
{
	return field->slope; // land::Field.slope
}

double of_shape(const ocean::Shape *shape)
{
	return shape->center.y + shape->area; // ocean::Shape.center.y; ocean::Shape.area
}

double of_cells(const ocean::Mesh *mesh, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++) // ?ocean::Mesh.cells
		sum += mesh->cells[i].volume; // ?ocean::Mesh.cells; ocean::Mesh::Cell.volume
	return sum;
}

double of_side(const ocean::Mesh *mesh)
{
	return mesh->cells->sides->other->volume; // ocean::Mesh.cells; ocean::Mesh::Cell.sides; ocean::Mesh::Cell::Side.other; ocean::Mesh::Cell.volume
}

double of_faces(const ocean::Mesh *mesh, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++) // ?ocean::Mesh.faces
		sum += mesh->faces[i].area; // ?ocean::Mesh.faces; ocean::Mesh::Face.area
	return sum;
}

double of_list(const ocean::Mesh::Cell *cell)
{
	double sum = 0;

	for (; cell; cell = cell->next) // ocean::Mesh::Cell.next; ?ocean::Mesh::Cell.volume
		sum += cell->volume;    // ocean::Mesh::Cell.volume; ?ocean::Mesh::Cell.next
	return sum;
}

double of_mesh(const ocean::Mesh &mesh)
{
	return mesh.field->values[1]; // ocean::Mesh.field; ocean::Field.values; double
}

double of_buffer(ocean::Buffer<ocean::Point> *points, ocean::Buffer<double> *numbers)
{
	points->used++;          // ocean::Buffer<ocean::Point>.used
	return numbers->items[2]; // ocean::Buffer<double>.items; double
}

/* Members and bases of such types. */
struct Pair : ocean::Field {
	Pair();
	ocean::Shape shape;
	ocean::Mesh::Face faces[3];
	double last;
};

double of_pair(const Pair *pair, int i)
{
	double sum = pair->shape.area; // ?Pair.shape.area

	sum += pair->count;         // Pair.count; ?Pair.shape.area
	sum += pair->faces[i].area; // Pair.faces.area
	return sum + pair->last;    // Pair.last
}

/* Of a member whose type no unit defines, the member is known; and so are those that follow it. */
struct Unknown {
	Unknown(int);
	double value;
};

struct Around {
	long before;
	Unknown unknown;
	double after;
};

double of_around(const Around *around)
{
	return around->after + around->unknown.value + around->before; // Around.after; Around.unknown.value; Around.before // clang: Around.after; Around.unknown.?; Around.before
}

union Either {
	Either();
	~Either();
	Unknown unknown;
	double number;
};

Either::Either() : number(0)
{
}

double of_either(const Either *either)
{
	return either->unknown.value; // Either.unknown.value|Either.number // clang: Either.unknown.?|Either.number
}
