#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>

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
		if (one.wc.status != IBV_WC_SUCCESS)
			fprintf(stderr, "wr_id %llu: %s, vendor_err 0x%x\n", (unsigned long long)one.wc.wr_id,
				ibv_wc_status_str(one.wc.status), one.wc.vendor_err);
		all_taken[number_taken++ % 1024] = one;
		got++;
	}
	return got;
}
