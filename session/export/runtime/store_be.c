#include <stdint.h>

/* Stores a big-endian number of size bytes. */
static void store_be(void *at, int size, uint64_t value)
{
	uint8_t *byte = at;

	while (size--) {
		byte[size] = (uint8_t)value;
		value >>= 8;
	}
}
