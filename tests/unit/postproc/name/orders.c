// SPDX-License-Identifier: BSD-3-Clause
/* Loops over floats, in the orders that load_order_test.c states by the names of the functions. */
struct element {
	long key;
	float value, rest[3];
	struct element *next;
};

struct field {
	long stride;
	float *data;
};

float gather(const float *a, const long *index, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[index[i]];
	return sum;
}

float gather_int(const float *a, const int *index, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		int v = index[i];

		if (v >= 0)
			sum += a[v];
	}
	return sum;
}

float gather_members(const struct element *elements, const unsigned int *index, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += elements[index[i]].value;
	return sum;
}

float list(const struct element *element)
{
	float sum = 0;

	for (; element; element = element->next)
		sum += element->value;
	return sum;
}

float columns(const float *a, long rows, long column)
{
	float sum = 0;

	for (long row = 0; row < rows; row++)
		sum += a[row * 1024 + column];
	return sum;
}

float columns_of_pointers(float *const *rows, int count, long column)
{
	float sum = 0;

	for (int row = 0; row < count; row++)
		sum += rows[row][column];
	return sum;
}

float strided(const struct field *field, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += field->data[i * field->stride];
	return sum;
}

float columns_of_list(const float *a, const long *list, long n, long rows)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		for (long row = 0; row < rows; row++)
			sum += a[row * 1024 + list[i]];
	return sum;
}

float halves(const float *a, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[512 * (i >> 1)];
	return sum;
}

float table(const float *a, unsigned long seed, long n)
{
	float sum = 0;

	for (; n; n--, seed = seed * 6364136223846793005 + 1442695040888963407)
		sum += a[seed >> 47];
	return sum;
}

float table_of_bits(const float *a, unsigned long seed, long n)
{
	float sum = 0;

	for (; n; n--) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		sum += a[seed & 0xffff];
	}
	return sum;
}

/* The index is multiplied in 32 bits. */
float gather_vectors(const float *xyz, const int *index, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		int v = index[i];

		if (v >= 0)
			sum += xyz[v * 3];
	}
	return sum;
}

/* The index is a number that was rounded, as in a particle-in-cell code. */
float cells(const float *rho, const double *x, double inverse, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += rho[(long)(x[i] * inverse)];
	return sum;
}

unsigned long hash(unsigned long key);

/* The index is what a function returns. */
float hashed(const float *table, const unsigned long *keys, long n)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += table[hash(keys[i])];
	return sum;
}

/* The index is a hash of a number that counts. */
float hashed_inline(const float *table, long n)
{
	float sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += table[(i ^ i >> 4) * 2654435761u >> 16 & 0xfff];
	return sum;
}

/* Rows in a ring: the remainder is multiplied, not the product divided. */
float ring_of_rows(const float *a, long n, long step)
{
	float sum = 0;

	for (long i = 0; i < n; i++)
		sum += a[(i & 63) * step];
	return sum;
}
