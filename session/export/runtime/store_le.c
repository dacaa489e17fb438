#include <stdint.h>

/* Stores a little-endian number of size bytes. */
static void store_le(void *at, int size, uint64_t value)
{
	uint8_t *byte = at;
	int i;

	for (i = 0; i < size; i++) {
		byte[i] = (uint8_t)value;
		value >>= 8;
	}
}
