#include <infiniband/verbs.h>
#include <errno.h>
#include <stdint.h>

/* Takes up to n completions, waits for them up to timeout_ms, and returns how many
 * it took. */
static int poll_cq(struct ibv_cq *queue, int n, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	int got = 0;
	size_t i;

	for (i = 0; i < 1024; i++)
		all_taken[i].spent = all_taken[i].met;
	while (got < n) {
		struct taken_wc one = { .cq = queue };
		int found = ibv_poll_cq(queue, 1, &one.wc);

		if (found < 0)
			die("ibv_poll_cq", EIO);
		if (!found) {
			if (now_ms() >= deadline)
				break;
			continue;
		}
		keep_comp(one);
		got++;
	}
	return got;
}
