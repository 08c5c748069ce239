// SPDX-License-Identifier: BSD-3-Clause
// new[], smart pointers and their members.
#include "corpus.h"

#include <memory>

struct Model {
	std::unique_ptr<double[]> heat;
	double *salt;
	std::shared_ptr<double[]> flux;
};

static Model kept;
static std::unique_ptr<double[]> global;

int main()
{
	double *plain = new double[COUNT]();                                                // site: plain
	auto deduced = new float[COUNT];                                                    // site: deduced
	std::unique_ptr<double[]> owned(new double[COUNT]);                                 // site: owned
	auto made = std::make_unique<double[]>(COUNT);                                      // site: made
	std::shared_ptr<double> shared(new double[COUNT], std::default_delete<double[]>()); // site: shared
	auto model = std::make_unique<Model>();
	double *nothrow = new (std::nothrow) double[COUNT];         // site: nothrow
	double *aligned = new (std::align_val_t(64)) double[COUNT]; // site: aligned

	global.reset(new double[COUNT]);                            // site: global
	kept.heat = std::make_unique<double[]>(COUNT);              // site: kept.heat
	kept.salt = new double[COUNT];                              // site: kept.salt
	model->heat = std::make_unique<double[]>(COUNT);            // site: model->heat
	model->salt = new double[COUNT];                            // site: model->salt
	model->flux = std::shared_ptr<double[]>(new double[COUNT]); // site: model->flux
	TRUTH(plain, BYTES, "plain");
	TRUTH(deduced, BYTES / 2, "deduced");
	TRUTH(owned.get(), BYTES, "owned");
	TRUTH(made.get(), BYTES, "made");
	TRUTH(shared.get(), BYTES, "shared");
	TRUTH(nothrow, BYTES, "nothrow");
	TRUTH(aligned, BYTES, "aligned");
	TRUTH(global.get(), BYTES, "global");
	TRUTH(kept.heat.get(), BYTES, "kept.heat");
	TRUTH(kept.salt, BYTES, "kept.salt");
	TRUTH(model->heat.get(), BYTES, "model->heat|model.heat");
	TRUTH(model->salt, BYTES, "model->salt|model.salt");
	TRUTH(model->flux.get(), BYTES, "model->flux|model.flux");
}
