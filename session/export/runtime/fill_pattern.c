#include <stddef.h>
#include <stdint.h>

/* Writes 0, 1 ... 250 over and over, from the given position. */
static void fill_pattern(void *at, size_t length, size_t from)
{
	uint8_t *byte = at;
	size_t i;

	for (i = 0; i < length; i++)
		byte[i] = (uint8_t)((from + i) % 251);
}
