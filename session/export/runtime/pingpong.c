#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A ping-pong of SENDs. */
struct pingpong {
	struct ibv_qp *queue_pair;
	struct ibv_mr *region;
	bool client;        /* sends first */
	int n, size;        /* messages each way, and bytes of each */
	int posted;         /* RECVs posted now */
	int depth;          /* RECVs to keep posted */
	int header;         /* bytes before the message: the GRH of a datagram */
	bool validate;      /* check the data of returned messages */
	bool events;        /* wait for completion events instead of busy polling */
	int64_t timeout_ms; /* how long to wait for the next message */
	struct ibv_ah *ah;  /* destination of datagrams */
	uint32_t remote_qpn, remote_qkey;
};

/* Returns the byte at an offset of a message; follow is the number of messages still to
 * come, so that consecutive messages differ. */
static uint8_t pingpong_byte(int at, int follow)
{
	return (uint8_t)((at % 4096 * (1 + at / 4096 % 250) + 7 * follow) % 251);
}

static void pingpong_recv(struct pingpong *run)
{
	struct ibv_sge whole = {
		.addr = (uintptr_t)run->region->addr,
		.length = (uint32_t)(run->header + run->size),
		.lkey = run->region->lkey,
	};
	struct ibv_recv_wr *bad, recv = { .wr_id = 1, .sg_list = &whole, .num_sge = 1 };
	int err;

	for (; run->posted < run->depth; run->posted++) {
		err = ibv_post_recv(run->queue_pair, &recv, &bad);
		if (err)
			die("ibv_post_recv", err);
	}
}

static void pingpong_send(struct pingpong *run, int received)
{
	struct ibv_sge message = {
		.addr = (uintptr_t)run->region->addr + (unsigned int)run->header,
		.length = (uint32_t)run->size,
		.lkey = run->region->lkey,
	};
	struct ibv_send_wr *bad, send = {
		.wr_id = 2, .sg_list = &message, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	uint8_t *byte = (uint8_t *)run->region->addr + run->header;
	int i, err;

	if (run->ah) {
		send.wr.ud.ah = run->ah;
		send.wr.ud.remote_qpn = run->remote_qpn;
		send.wr.ud.remote_qkey = run->remote_qkey;
	}
	for (i = 0; run->client && run->validate && i < run->size; i++)
		byte[i] = pingpong_byte(i, run->n - 1 - received);
	err = ibv_post_send(run->queue_pair, &send, &bad);
	if (err)
		die("ibv_post_send", err);
}

/* Waits for a completion event and arms the queue for the next one. */
static void pingpong_sleep(struct pingpong *run, int64_t deadline)
{
	struct ibv_cq *queue;
	void *context;
	int err;

	if (!readable(run->queue_pair->recv_cq->channel->fd, deadline))
		die("pingpong: no message came in time", ETIMEDOUT);
	if (ibv_get_cq_event(run->queue_pair->recv_cq->channel, &queue, &context))
		die("ibv_get_cq_event", errno);
	ibv_ack_cq_events(queue, 1);
	err = ibv_req_notify_cq(queue, 0);
	if (err)
		die("ibv_req_notify_cq", err);
}

static void pingpong_check(struct pingpong *run, const struct ibv_wc *wc, int received)
{
	const uint8_t *byte = (const uint8_t *)run->region->addr + run->header;
	int i;

	if (wc->byte_len != (uint32_t)(run->header + run->size))
		die("pingpong: received a message of the wrong size", EPROTO);
	for (i = 0; run->client && run->validate && i < run->size; i++)
		if (byte[i] != pingpong_byte(i, run->n - 1 - received))
			die("pingpong: received a message with wrong data", EPROTO);
}

static void pingpong(struct pingpong run)
{
	struct ibv_cq *queues[2] = { run.queue_pair->recv_cq, run.queue_pair->send_cq };
	int sent = 0, received = 0, sending = 0, i, n, err;
	int64_t begin = now_ms(), deadline = begin + run.timeout_ms;
	struct ibv_wc wc;

	for (i = 0; run.events && i < 1 + (queues[1] != queues[0]); i++) {
		err = ibv_req_notify_cq(queues[i], 0);
		if (err)
			die("ibv_req_notify_cq", err);
	}
	pingpong_recv(&run);
	while (sent < run.n || received < run.n) {
		if (!sending && sent < run.n && (received > sent || (run.client && received == sent))) {
			pingpong_send(&run, received);
			sending = 1;
		}
		n = ibv_poll_cq(queues[0], 1, &wc);
		if (!n && queues[1] != queues[0])
			n = ibv_poll_cq(queues[1], 1, &wc);
		if (n < 0)
			die("ibv_poll_cq", EIO);
		if (!n) {
			if (now_ms() > deadline)
				die("pingpong: no message came in time", ETIMEDOUT);
			if (run.events)
				pingpong_sleep(&run, deadline);
			continue;
		}
		if (wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "pingpong: wr_id %llu: %s\n", (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
			exit(EXIT_FAILURE);
		}
		deadline = now_ms() + run.timeout_ms;
		if (!(wc.opcode & IBV_WC_RECV)) {
			sent++;
			sending = 0;
			continue;
		}
		pingpong_check(&run, &wc, received++);
		if (--run.posted <= 1)
			pingpong_recv(&run);
	}
	printf("pingpong: %d messages of %d bytes each way in %lld ms\n", run.n, run.size, (long long)(now_ms() - begin));
}
