// SPDX-License-Identifier: BSD-3-Clause
// An array class of a header, as tensor libraries have it: locals, members and elements of the caller.
// corpus: units array_class.hpp
#include "array_class.hpp"

struct Model {
	tensor::Array<double> wind;
	explicit Model(long count) : wind(count)
	{
	}
};

static tensor::Array<double> global(COUNT);

int main()
{
	tensor::Array<double> pressure(COUNT);
	tensor::Array<double> humidity(COUNT);
	Model *model = new Model(COUNT);

	TRUTH(pressure.data(), BYTES, "pressure|pressure.m_data");
	TRUTH(humidity.data(), BYTES, "humidity|humidity.m_data");
	TRUTH(model->wind.data(), BYTES, "model->wind|model->wind.m_data|model.wind.m_data|model.wind");
	TRUTH(global.data(), BYTES, "global|global.m_data");
}
