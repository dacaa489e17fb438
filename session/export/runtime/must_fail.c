#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exits with an error unless a call failed with the expected errno;
 * want 0 accepts any errno. */
static void must_fail(const char *call, int err, int want)
{
	if (err && (!want || err == want))
		return;
	fprintf(stderr, "%s: %s, but should have failed%s%s\n", call, err ? strerror(err) : "succeeded",
		want ? " with " : "", want ? strerror(want) : "");
	exit(EXIT_FAILURE);
}
