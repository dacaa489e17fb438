#include <stdint.h>

/* Reads a big-endian number of size bytes. */
static uint64_t load_be(const void *at, int size)
{
	const uint8_t *byte = at;
	uint64_t value = 0;

	while (size--)
		value = value << 8 | *byte++;
	return value;
}
