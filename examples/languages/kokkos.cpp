/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses Kokkos and does not refer to Memphis. */
#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char **argv)
{
	double sum = 0;

	Kokkos::initialize(argc, argv);
	{
		Kokkos::View<double *> temperature("temperature", 1000);

		Kokkos::Profiling::pushRegion("TimeLoop");
		Kokkos::parallel_for(
			"advect", 1000, KOKKOS_LAMBDA(int i) { temperature(i) += 8; });
		Kokkos::parallel_reduce(
			"total", 1000, KOKKOS_LAMBDA(int i, double &part) { part += temperature(i); }, sum);
		Kokkos::Profiling::popRegion();
	}
	Kokkos::finalize();
	std::printf("sum %g\n", sum);
	return 0;
}
