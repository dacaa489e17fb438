#include <stdint.h>

/* Stores a number of so many bytes, the lowest first. */
static void store_le(void *at, int size, uint64_t value)
{
	uint8_t *byte = at;
	int i;

	for (i = 0; i < size; i++) {
		byte[i] = (uint8_t)value;
		value >>= 8;
	}
}
