// SPDX-License-Identifier: BSD-3-Clause
// Views as Kokkos has them: counted blocks with a label, that several views share; matrices with lazy expressions.
#include "corpus.h"

#include <memory>
#include <string>

namespace views
{

template <class T> struct Record {
	std::string label;
	std::unique_ptr<T[]> data;
	Record(const std::string &label, size_t count) : label(label), data(new T[count])
	{
		corpus_use(data.get());
	}
};

template <class T> class View
{
      public:
	View() = default;
	View(const std::string &label, size_t count) : m_record(std::make_shared<Record<T>>(label, count))
	{
	}
	T *data() const
	{
		return m_record->data.get();
	}

      private:
	std::shared_ptr<Record<T>> m_record;
};

template <class T> class Matrix
{
      public:
	Matrix(long rows, long columns) : m_storage(rows * columns), m_rows(rows)
	{
	}
	T *data()
	{
		return m_storage.block;
	}

      private:
	struct Storage {
		T *block;
		explicit Storage(long count) : block(allocate(count))
		{
		}
		static T *allocate(long count)
		{
			void *block = std::malloc(count * sizeof(T));

			if (!block)
				throw std::bad_alloc();
			return static_cast<T *>(block);
		}
		~Storage()
		{
			std::free(block);
		}
	} m_storage;
	long m_rows;
};

} // namespace views

struct State {
	views::View<double> heat;
};

int main()
{
	views::View<double> salt("salt", COUNT);   // site: salt
	views::View<double> speed("speed", COUNT); // site: speed
	State state;
	views::Matrix<double> mass(128, COUNT / 128);      // site: mass
	views::Matrix<double> stiffness(128, COUNT / 128); // site: stiffness

	state.heat = views::View<double>("heat", COUNT); // site: state.heat
	TRUTH(salt.data(), BYTES, "salt|salt.*");
	TRUTH(speed.data(), BYTES, "speed|speed.*");
	TRUTH(state.heat.data(), BYTES, "state.heat|state.heat.*");
	TRUTH(mass.data(), BYTES, "mass|mass.*");
	TRUTH(stiffness.data(), BYTES, "stiffness|stiffness.*");
}
