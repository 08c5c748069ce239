// SPDX-License-Identifier: BSD-3-Clause
// A header with an array class that is gone when the report is made.
// corpus: before cp $S/array_class.hpp gone.hpp
// corpus: flags -I$B
// corpus: after rm gone.hpp
#include "gone.hpp"

int main()
{
	tensor::Array<double> pressure(COUNT); // site: pressure
	tensor::Array<double> humidity(COUNT); // site: humidity

	TRUTH(pressure.data(), BYTES, "pressure|pressure.m_data");
	TRUTH(humidity.data(), BYTES, "humidity|humidity.m_data");
}
