#include <stddef.h>
#include <stdint.h>

/* One of two numbers that the peer sent along, both of 64 bits or both of 32. The
 * manager pads them with zeros; of two of 64 bits the second is not zero. */
static uint64_t number_of_pair(const struct cm_event *told, size_t which)
{
	const uint8_t *data = told->private_data;
	size_t size = told->private_data_len >= 16 && load_be(data + 8, 8) ? 8 : 4;

	return told->private_data_len >= 2 * size ? load_be(data + which * size, (int)size) : 0;
}
