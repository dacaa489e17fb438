#include <infiniband/verbs.h>
#include <stdio.h>

/* Keeps a completion that was taken from a queue, and reports a failed one. */
static void keep_comp(struct taken_wc one)
{
	if (one.wc.status != IBV_WC_SUCCESS)
		fprintf(stderr, "wr_id %llu: %s, vendor_err 0x%x\n", (unsigned long long)one.wc.wr_id,
			ibv_wc_status_str(one.wc.status), one.wc.vendor_err);
	all_taken[number_taken++ % 1024] = one;
}
