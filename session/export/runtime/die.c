#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reports a failed call and exits; the kernel frees the program's objects. */
static void die(const char *call, int err)
{
	fprintf(stderr, "%s: %s\n", call, err ? strerror(err) : "failed");
	exit(EXIT_FAILURE);
}
