#include <stddef.h>
#include <stdint.h>

/* Returns one of the two numbers in the peer's private data; which is 0 or 1. Both
 * have 64 bits or both 32. The connection manager pads with zeros, and a second
 * number of 64 bits is never zero: zeros in bytes 8 to 15 mean 32 bits. */
static uint64_t number_of_pair(const struct cm_event *told, size_t which)
{
	const uint8_t *data = told->private_data;
	size_t size = told->private_data_len >= 16 && load_be(data + 8, 8) ? 8 : 4;

	return told->private_data_len >= 2 * size ? load_be(data + which * size, (int)size) : 0;
}
