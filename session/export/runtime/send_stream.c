#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A stream: one request posted many times. */
struct send_stream {
	struct ibv_qp *queue_pair;
	uint64_t count;        /* number of requests */
	uint64_t outstanding;  /* requests kept in flight; 0: post all without waiting */
	uint64_t signal_every; /* signal each nth request and the last; 0: as send_flags says */
};

static void send_stream_post(const struct send_stream *run, const struct ibv_send_wr *first, uint64_t at)
{
	struct ibv_send_wr *bad, one = *first;
	int err;

	one.wr_id += at;
	if (run->signal_every) {
		one.send_flags &= ~(unsigned int)IBV_SEND_SIGNALED;
		if ((at + 1) % run->signal_every == 0 || at + 1 == run->count)
			one.send_flags |= IBV_SEND_SIGNALED;
	}
	err = ibv_post_send(run->queue_pair, &one, &bad);
	if (err)
		die("ibv_post_send", err);
}

/* Posts a request count times, each time with the next wr_id. */
static void send_stream(struct send_stream run, struct ibv_send_wr *first)
{
	uint64_t posted = 0, done = 0;

	while (posted < run.count || (run.outstanding && done < posted)) {
		struct taken_wc one = { .cq = run.queue_pair->send_cq };
		int found;

		if (posted < run.count && (!run.outstanding || posted - done < run.outstanding)) {
			send_stream_post(&run, first, posted++);
			continue;
		}
		found = ibv_poll_cq(one.cq, 1, &one.wc);
		if (found < 0)
			die("ibv_poll_cq", EIO);
		if (!found)
			continue;
		if (one.wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "wr_id %llu: %s\n", (unsigned long long)one.wc.wr_id, ibv_wc_status_str(one.wc.status));
			exit(EXIT_FAILURE);
		}
		all_taken[number_taken++ % 1024] = one;
		if (!(one.wc.opcode & IBV_WC_RECV) && one.wc.qp_num == run.queue_pair->qp_num)
			done = one.wc.wr_id - first->wr_id + 1;
	}
	printf("%llu requests posted\n", (unsigned long long)posted);
}
