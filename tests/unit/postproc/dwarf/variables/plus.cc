// SPDX-License-Identifier: BSD-3-Clause
// C++ variables of every kind, for variables_test.c: compiled by several compilers, never run.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ocean {
double field[50];
namespace {
double hidden[40];
}
class basin {
public:
	static double depth[30];
	static thread_local int visits;
	std::vector<double> salt;
	double run(long i)
	{
		static double calls[7];
		hidden[i] += 1;
		return calls[i] += depth[i] + visits + salt[i];
	}
};
double basin::depth[30];
thread_local int basin::visits;
basin atlantic;
}

struct cell {
	float t, s;
	std::array<short, 4> faces;
};

std::vector<double> v;
std::vector<cell> cells;
std::unique_ptr<double[]> owned;
std::shared_ptr<cell> shared;
std::array<std::vector<float>, 3> three;
struct labelled {
	long number;
	std::unique_ptr<cell> owner;
	std::optional<cell> maybe;
	std::variant<cell, double> either;
};
labelled labels[3];
double (&reference)[50] = ocean::field;

// The last bytes are padding, which a derived class uses for its own members.
struct padded {
	padded();
	double x;
	int y;
};
padded::padded() : x(1), y(2) {}
struct derived : padded {
	int own;
	double *data;
};
derived packed;

double use(long i)
{
	return ocean::field[i] + ocean::hidden[i] + ocean::atlantic.run(i) + v[i] + cells[i].t + owned[i] +
	       shared->s + three[i][i] + reference[i] + labels[i].number + packed.own;
}
