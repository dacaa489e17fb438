#include <infiniband/verbs.h>
#include <stddef.h>
#include <string.h>

/* Copies bytes from one region to another, at most to the end of either. */
static void copy_bytes(struct ibv_mr *to, size_t to_offset, struct ibv_mr *from, size_t from_offset, size_t length)
{
	if (to_offset > to->length || from_offset > from->length)
		return;
	if (length > to->length - to_offset)
		length = to->length - to_offset;
	if (length > from->length - from_offset)
		length = from->length - from_offset;
	memmove((char *)to->addr + to_offset, (char *)from->addr + from_offset, length);
}
