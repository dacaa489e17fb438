#include <stdint.h>

/* Reads a little-endian number of size bytes. */
static uint64_t load_le(const void *at, int size)
{
	const uint8_t *byte = at;
	uint64_t value = 0;

	while (size--)
		value = value << 8 | byte[size];
	return value;
}
