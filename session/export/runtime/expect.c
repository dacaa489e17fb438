#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with an error if a condition does not hold. */
static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "not as expected: %s\n", what);
	exit(EXIT_FAILURE);
}
