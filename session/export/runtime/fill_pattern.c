#include <stddef.h>
#include <stdint.h>

/* Fills memory with the repeating bytes 0, 1 ... 250, starting at position from. */
static void fill_pattern(void *at, size_t length, size_t from)
{
	uint8_t *byte = at;
	size_t i;

	for (i = 0; i < length; i++)
		byte[i] = (uint8_t)((from + i) % 251);
}
