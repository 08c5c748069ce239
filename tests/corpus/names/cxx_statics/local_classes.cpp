// SPDX-License-Identifier: BSD-3-Clause
// Statics of classes in functions and in classes, of constant methods, and thread-local members.
#include "corpus.h"

struct Outer {
	struct Inner {
		static double *get()
		{
			static double cells[COUNT];

			return cells;
		}
	};
	double *read() const
	{
		static double cells[COUNT];

		return cells;
	}
	double *read()
	{
		static double cells[COUNT];

		return cells;
	}
	static thread_local double scratch[COUNT];
};
thread_local double Outer::scratch[COUNT];

int main()
{
	struct Local {
		double *get()
		{
			static double cells[COUNT];

			return cells;
		}
	};
	const Outer constant{};
	Outer changing;

	TRUTH(Outer::Inner::get(), BYTES, "Outer::Inner::get::cells|Outer::Inner::get()::cells");
	TRUTH(constant.read(), BYTES, "Outer::read::cells|Outer::read() const::cells #constant");
	TRUTH(changing.read(), BYTES, "Outer::read::cells|Outer::read()::cells #changing");
	TRUTH(Local().get(), BYTES, "main::Local::get::cells|Local::get::cells|main::Local::get()::cells");
	TRUTH(Outer::scratch, BYTES, "Outer::scratch");
}
