// SPDX-License-Identifier: BSD-3-Clause
// Maps with large values, tables of buckets, and maps in classes.
#include "corpus.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

struct Database {
	std::map<std::string, std::vector<double>> fields;
	std::unordered_map<int, std::vector<double>> cells;
};

static Database database;

int main()
{
	std::unordered_map<int, double> table;
	std::map<int, std::vector<double>> local;

	table.reserve(COUNT); // site: table
	for (int i = 0; i < 4; i++) {
		database.fields[std::to_string(i)].resize(COUNT); // site: database.fields[]
		database.cells[i] = std::vector<double>(COUNT);   // site: database.cells[]
		local.emplace(i, std::vector<double>(COUNT));     // site: local[]
	}
	for (auto &[name, field] : database.fields)
		TRUTH(field.data(), BYTES, "database.fields[]|database.fields");
	for (auto &[number, cell] : database.cells)
		TRUTH(cell.data(), BYTES, "database.cells[]|database.cells");
	for (auto &[number, values] : local)
		TRUTH(values.data(), BYTES, "local[]|local");
}
