/*
 * A session of rdmatui as a C program. Above each call is the line of the session, and after the arrow
 * what it returned then; addresses, keys and queue pair numbers differ in each run.
 *
 * gcc -std=gnu11 -O2 -Wall -Wextra -o session session.c -lrdmacm -libverbs
 *
 * Values that depend on the host are defined below: set them with -D, or with an option when you start
 * the program.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PORT
#define PORT 1
#endif
#ifndef SERVER
#define SERVER "10.9.0.1"
#endif
#ifndef SERVER_2
#define SERVER_2 "localhost"
#endif
#ifndef SERVER_3
#define SERVER_3 "10.9.0.2"
#endif

static uint8_t port_num = PORT;
static const char *server_name = SERVER;

/* Resolves a host name or number and a port; a NULL host is the wildcard
 * address. The result is overwritten by the second call after this one. */
static struct sockaddr *address_of(const char *host, int port)
{
	struct addrinfo hints = { .ai_flags = host ? 0 : AI_PASSIVE, .ai_family = host ? AF_UNSPEC : AF_INET6 };
	static struct sockaddr_storage found[2];
	static int turn;
	struct addrinfo *list;
	char service[8];
	int err;

	snprintf(service, sizeof(service), "%d", port & 0xffff);
	err = getaddrinfo(host, service, &hints, &list);
	if (err) {
		fprintf(stderr, "%s: %s\n", host ? host : "any address", gai_strerror(err));
		exit(EXIT_FAILURE);
	}
	turn = !turn;
	memcpy(&found[turn], list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return (struct sockaddr *)&found[turn];
}

/* A copy of a connection manager event, kept because acknowledging an event frees
 * it. taken: the program has read it; met: an expectation has matched it. */
struct cm_event {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id, *listen_id;
	struct rdma_event_channel *channel;
	uint8_t responder_resources, initiator_depth;
	uint32_t peer_qp_num; /* UD and multicast: remote_qpn */
	uint32_t remote_qkey;
	struct ibv_ah_attr ah_attr;
	size_t private_data_len;
	uint8_t private_data[256];
	bool taken, met;
};

/* The newest 256 events, as a ring. */
static struct cm_event cm_events[256];
static size_t number_cm_events;

/* Destroys an identifier and discards its events: a new identifier may get the
 * same address, but must not get these events. */
static int destroy_id(struct rdma_cm_id *id)
{
	size_t i;

	for (i = 0; i < 256 && i < number_cm_events; i++)
		if (cm_events[i].id == id)
			cm_events[i] = (struct cm_event){ .taken = true, .met = true };
	return rdma_destroy_id(id);
}

/* Reports a failed call and exits; the kernel frees the program's objects. */
static void die(const char *call, int err)
{
	fprintf(stderr, "%s: %s\n", call, err ? strerror(err) : "failed");
	exit(EXIT_FAILURE);
}

/* Exits with an error if a condition does not hold. */
static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "not as expected: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Returns milliseconds of the monotonic clock, so that setting the time does no harm. */
static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Copies an event to cm_events, overwriting the oldest. */
static void keep_cm_event(const struct rdma_cm_event *event)
{
	struct cm_event *kept = &cm_events[number_cm_events++ % 256];
	const void *data;

	*kept = (struct cm_event){
		.type = event->event, .status = event->status,
		.id = event->id, .listen_id = event->listen_id, .channel = event->id->channel,
	};
	if (event->id->ps == RDMA_PS_UDP || event->id->ps == RDMA_PS_IPOIB) {
		kept->peer_qp_num = event->param.ud.qp_num;
		kept->remote_qkey = event->param.ud.qkey;
		kept->ah_attr = event->param.ud.ah_attr;
		kept->private_data_len = event->param.ud.private_data_len;
		data = event->param.ud.private_data;
	} else {
		kept->responder_resources = event->param.conn.responder_resources;
		kept->initiator_depth = event->param.conn.initiator_depth;
		kept->peer_qp_num = event->param.conn.qp_num;
		kept->private_data_len = event->param.conn.private_data_len;
		data = event->param.conn.private_data;
	}
	if (data)
		memcpy(kept->private_data, data, kept->private_data_len);
	else
		kept->private_data_len = 0;
}

/* Waits until a file descriptor is readable; returns false on timeout. */
static bool readable(int fd, int64_t deadline)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left = deadline - now_ms();
		int n = poll(&ready, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			die("poll", errno);
		if (left <= 0)
			return false;
	}
}

/* Waits for an event on a channel and reads all that have arrived. Returns false on
 * timeout. */
static bool read_cm_events(struct rdma_event_channel *channel, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	struct rdma_cm_event *event;
	bool came = false;

	while (readable(channel->fd, came ? 0 : deadline)) {
		if (rdma_get_cm_event(channel, &event)) {
			if (errno == EAGAIN)
				break;
			die("rdma_get_cm_event", errno);
		}
		keep_cm_event(event);
		if (rdma_ack_cm_event(event))
			die("rdma_ack_cm_event", errno);
		came = true;
	}
	return came;
}

/* Returns the oldest event of a type that no expectation has matched yet, and waits
 * for it if necessary; a NULL id matches any identifier. Returns NULL on timeout. */
static struct cm_event *find_cm_event(struct rdma_event_channel *channel, struct rdma_cm_id *id,
	enum rdma_cm_event_type type, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	size_t i;

	do {
		for (i = number_cm_events < 256 ? 0 : number_cm_events - 256; i < number_cm_events; i++) {
			struct cm_event *event = &cm_events[i % 256];

			if (event->met || event->type != type || (id && event->id != id && event->listen_id != id))
				continue;
			event->met = event->taken = true;
			return event;
		}
	} while (read_cm_events(channel, deadline - now_ms()));
	return NULL;
}

/* Takes the next event of an identifier, or of a channel if id is NULL. Returns
 * NULL on timeout. */
static struct cm_event *get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_id *id, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	size_t i;

	for (;;) {
		for (i = number_cm_events < 256 ? 0 : number_cm_events - 256; i < number_cm_events; i++) {
			struct cm_event *event = &cm_events[i % 256];

			if (event->taken)
				continue;
			if (id ? event->id != id && event->listen_id != id : event->channel != channel)
				continue;
			event->taken = true;
			return event;
		}
		if (!read_cm_events(channel, deadline - now_ms()))
			return NULL;
	}
}

/* Parses a GID, which is written like an IPv6 address. */
static union ibv_gid gid_from(const char *text)
{
	union ibv_gid gid;

	if (inet_pton(AF_INET6, text, gid.raw) != 1)
		die(text, EINVAL);
	return gid;
}

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

static void pause_ns(int64_t ns)
{
	struct timespec span = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&span, &span))
		;
}

/* A region that one end lets the other access. */
struct peer_region {
	char name[33];
	uint64_t addr;
	uint64_t length;
	uint32_t rkey;
	uint32_t access;
};

/* The address and regions of a queue pair: the peer's, or ours to be sent. */
struct peer {
	uint16_t lid;
	uint32_t qp_num;
	uint32_t psn;
	union ibv_gid gid;
	int sock; /* the TCP connection of the exchange */
	unsigned int number_regions;
	struct peer_region regions[32]; /* that the other end may access */
};

static struct ibv_port_attr port_attr_of(struct ibv_context *context, int port)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	int err;

	err = ibv_query_port(context, port, &attr);
	if (err)
		die("ibv_query_port", err);
	return attr;
}

static void show_gid(int index, union ibv_gid gid)
{
	char text[INET6_ADDRSTRLEN];

	printf("gid %d: %s\n", index, inet_ntop(AF_INET6, gid.raw, text, sizeof(text)));
}

int main(int argc, char **argv)
{
	struct rdma_event_channel *events = NULL;
	struct rdma_cm_id *polled = NULL;
	struct rdma_event_channel *polled_channel = NULL;
	struct rdma_cm_id *synced = NULL;
	struct rdma_addrinfo *res = NULL;
	struct rdma_addrinfo *res2 = NULL;
	struct peer p3 = { .sock = -1 };
	struct peer p4 = { .sock = -1 };
	struct ibv_cq *third = NULL;
	struct cm_event *event;
	int option;

	while ((option = getopt(argc, argv, "i:a:")) != -1) {
		switch (option) {
		case 'i':
			port_num = (uint8_t)atoi(optarg);
			break;
		case 'a':
			server_name = optarg;
			break;
		default:
			fprintf(stderr, "usage: %s [-i PORT] [-a SERVER]\n", argv[0]);
			return 2;
		}
	}

	/*
	 * open_device soft0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * query_port soft0
	 * The session did not come to this.
	 */
	/* Not in this program: soft0 was not created in it. */

	/* query_gid soft0 */
	/* Not in this program: soft0 was not created in it. */

	/*
	 * query_gid soft0 port_num=2 index=3
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: soft0 was not created in it. */

	/*
	 * get_async_event soft0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * fault soft0 off
	 * The session did not come to this.
	 */
	/* Not in this program: only rdmatui's software device injects faults. */

	/* capture soft0 off */
	/*
	 * Not in this program: rdmatui captures packets of its software device; a program can use
	 * tcpdump.
	 */

	/*
	 * alloc_pd pd
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: no device was named. */

	/*
	 * reg_mr src pd=pd length=4096
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * reg_mr dst pd=pd length=src.length
	 * access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND|ZERO_BASED
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* rereg_mr dst length=8192 */
	/* Not in this program: dst was not created in it. */

	/*
	 * rereg_mr dst pd=pd
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: dst was not created in it. */

	/*
	 * alloc_mw w1 type=TYPE_1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * alloc_mw w2 type=TYPE_2 pd=pd
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* reg_mr buffer pd=pd length=4096 backing=dmabuf:3 offset=4096 */
	/* Not in this program: pd was not created in it. */

	/*
	 * reg_mr own pd=pd length=4096 backing=dmabuf:udmabuf access=LOCAL_WRITE|REMOTE_READ
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * dereg_mr buffer
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * dereg_mr own
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* alloc_dm d device=soft0 length=src.length log_align_req=6 */
	/* Not in this program: soft0 was not created in it. */

	/*
	 * reg_mr whole pd=pd dm=d length=4096 access=LOCAL_WRITE|ZERO_BASED
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * reg_mr piece pd=pd dm=d length=64 offset=64 access=LOCAL_WRITE|REMOTE_READ|ZERO_BASED
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * memcpy_to_dm d src length=64
	 * The session did not come to this.
	 */
	/* Not in this program: d was not created in it. */

	/* memcpy_to_dm d src length=src.length dm_offset=8 offset=16 */
	/* Not in this program: d was not created in it. */

	/*
	 * memcpy_from_dm dst d length=64 dm_offset=4
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: d was not created in it. */

	/*
	 * dereg_mr piece
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * dereg_mr whole
	 * The session did not come to this.
	 */
	/* Not in this program: whole was not created in it. */

	/* write_mem src hex:00ff10 */
	/* Not in this program: src was not created in it. */

	/*
	 * write_mem src be32:7 offset=4
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: src was not created in it. */

	/*
	 * write_mem src le64:0x1122334455667788 offset=src.length
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * write_mem src pattern:100
	 * The session did not come to this.
	 */
	/* Not in this program: src was not created in it. */

	/* write_mem src zero:64 offset=64 */
	/* Not in this program: src was not created in it. */

	/*
	 * copy_mem src dst length=8 from_offset=8 to_offset=16
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: src was not created in it. */

	/*
	 * input src
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * input src prompt="say"
	 * The session did not come to this.
	 */
	/* Not in this program: src was not created in it. */

	/* read_mem dst */
	/* Not in this program: dst was not created in it. */

	/*
	 * read_mem dst 8
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: dst was not created in it. */

	/*
	 * create_comp_channel ch device=soft0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * create_cq cq device=soft0 cqe=16 channel=ch comp_vector=1
	 * The session did not come to this.
	 */
	/* Not in this program: ch was not created in it. */

	/* create_cq plain device=soft0 */
	/* Not in this program: soft0 was not created in it. */

	/*
	 * resize_cq plain cqe=soft0.max_cqe
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: plain was not created in it. */

	/*
	 * req_notify_cq cq
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * req_notify_cq cq solicited_only=1
	 * The session did not come to this.
	 */
	/* Not in this program: cq was not created in it. */

	/* get_cq_event ch */
	/* Not in this program: ch was not created in it. */

	/*
	 * ack_cq_events cq
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: cq was not created in it. */

	/*
	 * ack_cq_events cq n=3
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * cq_mode cq mode=busy
	 * The session did not come to this.
	 */
	/* Not in this program: the exported program polls only where a line does. */

	/* create_srq srq pd=pd max_wr=soft0.max_srq_wr max_sge=2 */
	/* Not in this program: pd was not created in it. */

	/*
	 * modify_srq srq max_wr=32
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: srq was not created in it. */

	/*
	 * modify_srq srq srq_limit=4 max_wr=64
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * query_srq srq
	 * The session did not come to this.
	 */
	/* Not in this program: srq was not created in it. */

	/* post_srq_recv srq */
	/* Not in this program: srq was not created in it. */

	/*
	 * post_srq_recv srq wr_id=2 sge=dst count=srq.max_wr
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: srq was not created in it. */

	/*
	 * create_qp a pd=pd send_cq=cq recv_cq=plain qp_type=RC max_send_wr=16 max_recv_wr=8
	 * max_send_sge=2 max_recv_sge=3 max_inline_data=64 sq_sig_all=1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * create_qp b pd=pd send_cq=cq srq=srq qp_type=UC
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* create_qp u pd=pd send_cq=cq qp_type=UD */
	/* Not in this program: pd was not created in it. */

	/*
	 * modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * modify_qp u INIT pkey_index=0 port_num=1 qkey=0x11111111
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * modify_qp a RTR path_mtu=256 dest_qp_num=b.qp_num rq_psn=b.sq_psn max_dest_rd_atomic=1
	 * min_rnr_timer=12 dgid=b.gid sgid_index=1 hop_limit=3 traffic_class=8 flow_label=9
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* modify_qp a RTR is_global=0 dlid=b.lid sl=3 src_path_bits=1 static_rate=2 ah_port_num=2 */
	/* Not in this program: a was not created in it. */

	/*
	 * modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * modify_qp a SQD en_sqd_async_notify=1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * modify_qp a RTS cur_qp_state=SQD path_mig_state=REARM alt_timeout=5 alt_port_num=1
	 * alt_pkey_index=0 alt_dgid=::1 rate_limit=10
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* modify_qp a ERR */
	/* Not in this program: a was not created in it. */

	/*
	 * modify_qp a RESET
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * query_qp a
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * connect_qps a b
	 * The session did not come to this.
	 */
	/* Not in this program: there was nothing left to do. */

	/* connect_qps a b port_num=2 pkey_index=1 path_mtu=2048 sgid_index=2 qkey=3 */
	/* Not in this program: there was nothing left to do. */

	/*
	 * create_ah ah pd=pd dgid=b.gid port_num=2 sgid_index=1 hop_limit=9 traffic_class=1
	 * flow_label=2
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * create_ah ah2 pd=pd dlid=5 sl=1 src_path_bits=2 static_rate=3 is_global=0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * create_ah_from_wc back pd=pd cq=cq mr=dst offset=40 port_num=2
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* attach_mcast u gid=239.1.2.3 lid=0xc000 */
	/* Not in this program: u was not created in it. */

	/*
	 * post_send a SEND
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a SEND_WITH_IMM wr_id=1 sge=src:0:8,dst:8:8 send_flags=SIGNALED|SOLICITED
	 * imm_data=0x1234
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send a SEND_WITH_INV wr_id=2 sge=src invalidate_rkey=dst.rkey send_flags=INLINE
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a RDMA_WRITE wr_id=3 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * send_flags=FENCE|SIGNALED
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a RDMA_WRITE_WITH_IMM wr_id=4 sge=src remote_addr=dst.be64.8 rkey=dst.be32.16
	 * imm_data=7
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a RDMA_READ wr_id=5 sge=dst:0:8 remote_addr=dst.addr rkey=w1.rkey
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send a ATOMIC_CMP_AND_SWP wr_id=6 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=1 swap=2
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a ATOMIC_FETCH_AND_ADD wr_id=7 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=3
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a LOCAL_INV wr_id=8 invalidate_rkey=w2.rkey
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a BIND_MW wr_id=9 mw=w2 mr=dst addr=dst.addr length=64 mw_access_flags=REMOTE_READ
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send u SEND wr_id=10 sge=src:0:8 ah=ah remote_qpn=cq.src_qp remote_qkey=0x11111111
	 * The session did not come to this.
	 */
	/* Not in this program: u was not created in it. */

	/* post_send a SEND wr_id=11 sge=src:0:8 count=100 outstanding=8 signal_every=4 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_recv a
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_recv a wr_id=12 sge=dst:0:64,src:0:64
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_recv a wr_id=13 sge=dst count=8
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* bind_mw a w1 mr=dst */
	/* Not in this program: a was not created in it. */

	/*
	 * bind_mw a w1 mr=dst addr=dst.addr mw_access_flags=REMOTE_WRITE|ZERO_BASED wr_id=5
	 * send_flags=SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * bind_mw a w1 length=0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * poll_cq cq
	 * The session did not come to this.
	 */
	/* Not in this program: cq was not created in it. */

	/* poll_cq cq n=2 timeout=0s */
	/* Not in this program: cq was not created in it. */

	/*
	 * poll_cq cq n=3 timeout=2s
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: cq was not created in it. */

	/*
	 * pingpong a role=server size=128 n=10
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * pingpong u ah=ah remote_qpn=5 remote_qkey=6 role=client event=1 validate=1
	 * The session did not come to this.
	 */
	/* Not in this program: u was not created in it. */

	/* expect wc cq=cq qp=a wr_id=7 status=RNR_RETRY_EXC_ERR vendor_err=0 */
	/* Not in this program: cq was not created in it. */

	/*
	 * expect wc cq=cq wr_id=8 opcode=RECV imm_data=0x1234 byte_len=dst.length src_qp=u.qp_num
	 * wc_flags=GRH|WITH_IMM qp_num=b.qp_num
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: cq was not created in it. */

	/*
	 * expect wc invalidated_rkey=dst.rkey
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * expect mem dst 0 hex:0011
	 * The session did not come to this.
	 */
	/* Not in this program: dst was not created in it. */

	/* expect mem dst 8 be32:7 */
	/* Not in this program: dst was not created in it. */

	/*
	 * expect mem dst 8 pattern:32
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: dst was not created in it. */

	/*
	 * expect mem dst 0 zero:16
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * expect mem dst like=src
	 * The session did not come to this.
	 */
	/* Not in this program: dst was not created in it. */

	/* expect state a RTS */
	/* Not in this program: a was not created in it. */

	/*
	 * expect async QP_LAST_WQE_REACHED qp=b
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: b was not created in it. */

	/*
	 * expect async SRQ_LIMIT_REACHED srq=srq timeout=1s
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * expect error EINVAL modify_qp a RTS sq_psn=0
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* expect error ENOMEM reg_mr big pd=pd length=1099511627776 */
	/* Not in this program: pd was not created in it. */

	/*
	 * rdma_create_event_channel events mode=poll
	 * It failed: EINVAL, it was refused
	 */
	events = rdma_create_event_channel();
	must_fail("rdma_create_event_channel", events ? 0 : errno, 0);
	if (fcntl(events->fd, F_SETFL, fcntl(events->fd, F_GETFL) | O_NONBLOCK))
		die("fcntl", errno);

	/*
	 * rdma_create_event_channel plainevents device=soft0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_create_id polled ps=TCP mode=poll
	 * The session did not come to this.
	 */
	polled_channel = rdma_create_event_channel();
	if (!polled_channel)
		die("rdma_create_event_channel", errno);
	if (fcntl(polled_channel->fd, F_SETFL, fcntl(polled_channel->fd, F_GETFL) | O_NONBLOCK))
		die("fcntl", errno);
	if (rdma_create_id(polled_channel, &polled, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_create_id synced ps=UDP mode=sync */
	if (rdma_create_id(NULL, &synced, NULL, RDMA_PS_UDP))
		die("rdma_create_id", errno);

	/*
	 * rdma_create_id own ps=TCP
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: no channel was named. */

	/*
	 * rdma_create_id id channel=events ps=TCP
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_create_id listener channel=events ps=IB
	 * The session did not come to this.
	 */
	/* Not in this program: events was not created in it. */

	/*
	 * rdma_getaddrinfo localhost 7471 name=res flags=PASSIVE|NUMERICHOST family=INET6 qp_type=UD
	 * port_space=UDP src=10.9.0.1
	 */
	if (rdma_getaddrinfo(SERVER_2, "7471", &(struct rdma_addrinfo){
		.ai_flags = RAI_PASSIVE | RAI_NUMERICHOST,
		.ai_family = AF_INET6,
		.ai_qp_type = IBV_QPT_UD,
		.ai_port_space = RDMA_PS_UDP,
		.ai_src_addr = address_of(server_name, 0),
		.ai_src_len = sizeof(struct sockaddr_in6),
	}, &res))
		die("rdma_getaddrinfo", errno);

	/*
	 * rdma_getaddrinfo 10.9.0.2 name=res2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_getaddrinfo", rdma_getaddrinfo(SERVER_3, NULL, NULL, &res2) ? errno : 0, 0);

	/*
	 * rdma_bind_addr listener res
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_bind_addr own ::1
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* rdma_listen listener backlog=4 */
	/* Not in this program: listener was not created in it. */

	/*
	 * rdma_resolve_addr id soft0 port=listener.port
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_resolve_addr own res2 src=10.9.0.1 timeout=1s
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_resolve_addr own 10.9.0.2
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* rdma_resolve_route id timeout=3s */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_create_qp id q1 pd=pd send_cq=cq recv_cq=plain qp_type=UD max_send_wr=3
	 * max_inline_data=9
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_create_qp own q2
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_create_qp listener q3 srq=srq sq_sig_all=1
	 * The session did not come to this.
	 */
	/* Not in this program: listener was not created in it. */

	/* rdma_init_qp_attr id INIT qp=a */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_init_qp_attr id RTS
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * modify_qp a RTR qp_access_flags=id.RTR.qp_access_flags dest_qp_num=id.peer_qp_num
	 * rq_psn=id.RTR.rq_psn
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_connect id responder_resources=3 initiator_depth=id.initiator_depth flow_control=1
	 * rnr_retry_count=6 retry_count=5 srq=1 qp_num=a.qp_num private_data=be64:1
	 * The session did not come to this.
	 */
	/* Not in this program: id was not created in it. */

	/* rdma_connect own */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_get_cm_event CONNECT_REQUEST channel=events id=listener name=req
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: listener was not created in it. */

	/*
	 * rdma_get_cm_event ESTABLISHED
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_get_cm_event channel=events timeout=1s
	 * The session did not come to this.
	 */
	event = get_cm_event(synced->channel, NULL, 1000);
	expect(event, "an event comes in time");

	/* rdma_get_request listener name=req2 */
	/* Not in this program: listener was not created in it. */

	/*
	 * rdma_accept req private_data=hex:01 responder_resources=req.responder_resources
	 * initiator_depth=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: req was not created in it. */

	/*
	 * rdma_accept req2 qp_num=a.qp_num srq=1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_reject req2
	 * The session did not come to this.
	 */
	/* Not in this program: req2 was not created in it. */

	/* reject_all listener */
	/* Not in this program: it rejects the pending requests on rdmatui's list. */

	/*
	 * rdma_establish id
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_notify id COMM_EST
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_set_option id REUSEADDR 1
	 * The session did not come to this.
	 */
	/* Not in this program: id was not created in it. */

	/* rdma_set_option id AFONLY 1 */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_set_option id ACK_TIMEOUT 14
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * rdma_join_multicast own 239.1.2.3
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_leave_multicast own 239.1.2.3
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* rdma_migrate_id id plainevents */
	/* Not in this program: id was not created in it. */

	/*
	 * post_send a RDMA_WRITE wr_id=20 sge=src remote_addr=id.private_data.be64.0
	 * rkey=id.private_data.be32.8
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a was not created in it. */

	/*
	 * post_send a RDMA_WRITE wr_id=21 sge=src remote_addr=id.private_data.pair.0
	 * rkey=id.private_data.pair.1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * create_ah ah3 pd=pd dgid=id.peer_gid sgid_index=1
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* post_send u SEND wr_id=22 sge=src ah=ah3 remote_qpn=id.remote_qpn remote_qkey=id.remote_qkey */
	/* Not in this program: u was not created in it. */

	/*
	 * expect cm ESTABLISHED id=id timeout=1s
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * expect cm REJECTED status=28 private_data=hex:01
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * expect cm UNREACHABLE status=ETIMEDOUT
	 * The session did not come to this.
	 */
	expect((event = find_cm_event(synced->channel, NULL, RDMA_CM_EVENT_UNREACHABLE, 1000)) &&
		event->status == -ETIMEDOUT, "cm UNREACHABLE status=ETIMEDOUT");

	/* expect id id CONNECTED */
	/* Not in this program: id was not created in it. */

	/*
	 * poll_cq cq n=5 timeout=1s while=id
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: cq was not created in it. */

	/*
	 * expect wc status=SUCCESS while=id
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * input src while=id end="disconnect"
	 * The session did not come to this.
	 */
	/* Not in this program: src was not created in it. */

	/* exchange p1 qp=a listen=0.0.0.0 port=18515 psn=7 sgid_index=1 */
	/* Not in this program: a was not created in it. */

	/*
	 * exchange p2 qp=b address=10.0.0.2 hold=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: b was not created in it. */

	/*
	 * exchange_finish p2
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * exchange p6 qp=b address=10.0.0.2 regions=0
	 * The session did not come to this.
	 */
	/* Not in this program: b was not created in it. */

	/* post_send b RDMA_WRITE sge=src:0:8 remote_addr=p2.dst.addr+8 rkey=p2.dst.rkey */
	/* Not in this program: b was not created in it. */

	/*
	 * post_send b RDMA_READ sge=src:0:p1.length remote_addr=p1.addr rkey=p1.rkey
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: b was not created in it. */

	/*
	 * peer p5 qp_num=0x12 addr=0x1000 rkey=0x77 length=64
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send b RDMA_WRITE sge=src:0:8 remote_addr=p5.addr rkey=p5.rkey
	 * The session did not come to this.
	 */
	/* Not in this program: b was not created in it. */

	/* peer p3 record="0000:000012:6f21a0:00000000000000000000ffff0a000002" */
	p3 = (struct peer){
		.lid = 0,
		.qp_num = 0x000012,
		.psn = 0x6f21a0,
		.gid = gid_from("::ffff:10.0.0.2"),
	};
	printf("p3: qp_num 0x%06x, psn 0x%06x, lid %u\n", p3.qp_num, p3.psn, p3.lid);

	/*
	 * peer p4 qp_num=0x12 psn=1 lid=3 gid=fe80::1
	 * It failed: EINVAL, it was refused
	 */
	p4 = (struct peer){
		.lid = 3,
		.qp_num = 0x12,
		.psn = 1,
		.gid = gid_from("fe80::1"),
	};
	printf("p4: qp_num 0x%06x, psn 0x%06x, lid %u\n", p4.qp_num, p4.psn, p4.lid);

	/*
	 * modify_qp a RTR dest_qp_num=p3.qp_num rq_psn=p3.psn dgid=p3.gid dlid=p4.lid
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * modify_qp a RTR path_mtu=a.path_mtu min_rnr_timer=a.min_rnr_timer dest_qp_num=a.psn
	 * rq_psn=a.sq_psn
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* modify_qp a RTR sgid_index=soft0.gid dgid=soft0.gid */
	/* Not in this program: a was not created in it. */

	/*
	 * note "lines within lines"
	 * It failed: EINVAL, it was refused
	 */
	puts("lines within lines");

	/*
	 * loop 3
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */
	for (unsigned long long round = 0; round < 3; round++) {
		/*
		 * post_recv b wr_id=1 sge=dst
		 * The session did not come to this.
		 */
		/* Not in this program: b was not created in it. */

		/* poll_cq cq n=1 timeout=1s */
		/* Not in this program: cq was not created in it. */

		/*
		 * end
		 * It failed: EINVAL, it was refused
		 */
		/* Not in this program: it is the end of a block. */
	}

	/*
	 * loop
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */
	for (;;) {
		/*
		 * poll_cq cq n=1 timeout=1s while=id
		 * The session did not come to this.
		 */
		/* Not in this program: cq was not created in it. */

		/* end */
		/* Not in this program: it is the end of a block. */
	}

	/*
	 * try
	 * It failed: EINVAL, it was refused
	 */
	/* In the session a failure in this block ended the block only. This program ends. */
	{
		/*
		 * rdma_disconnect id timeout=1s
		 * Beforehand: the name is taken
		 * It was refused before any call: it cannot be
		 */

		/*
		 * end
		 * The session did not come to this.
		 */
		/* Not in this program: it is the end of a block. */
	}

	/* repeat 10 post_recv a wr_id=3 sge=dst */
	for (unsigned int time = 0; time < 10; time++) {
		/* Not in this program: a was not created in it. */
	}

	/*
	 * until expect id id DISCONNECTED
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it is in no loop. */

	/*
	 * chain post_send a SEND wr_id=1 sge=src:0:5 ; post_send a RDMA_READ wr_id=2 sge=dst:0:8
	 * remote_addr=dst.addr rkey=dst.rkey
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * chain post_recv a wr_id=1 sge=dst:0:5 ; post_recv a wr_id=2 sge=dst:8:5
	 * The session did not come to this.
	 */
	/* Not in this program: a was not created in it. */

	/* chain post_srq_recv srq wr_id=1 sge=dst:0:5 ; post_srq_recv srq wr_id=2 */
	/* Not in this program: srq was not created in it. */

	/*
	 * create_cq third device=soft0 cqe=cq.cqe
	 * It failed: EINVAL, it was refused
	 */
	third = ibv_create_cq(synced->verbs, 1, NULL, NULL, 0);
	must_fail("ibv_create_cq(synced->verbs)", third ? 0 : errno, 0);

	/*
	 * create_qp fresh pd=pd send_cq=cq qp_type=RC
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * modify_qp fresh RTR rq_psn=fresh.psn dest_qp_num=fresh.sq_psn+1 dlid=soft0.lid
	 * max_dest_rd_atomic=fresh.state
	 * The session did not come to this.
	 */
	/* Not in this program: fresh was not created in it. */

	/* post_recv fresh wr_id=14 sge=@0x1000:8:0x7f */
	/* Not in this program: fresh was not created in it. */

	/*
	 * post_recv fresh wr_id=15 sge=src count=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: fresh was not created in it. */

	/*
	 * post_recv fresh wr_id=16 sge=src count=0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_recv fresh wr_id=17 sge=src count=2
	 * The session did not come to this.
	 */
	/* Not in this program: fresh was not created in it. */

	/* post_recv fresh wr_id=18 sge=src:8:8:0x9 count=3 */
	/* Not in this program: fresh was not created in it. */

	/*
	 * post_recv fresh wr_id=19 sge=src count=4
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: fresh was not created in it. */

	/*
	 * post_send fresh SEND_WITH_IMM wr_id=23 sge=src:0:8 count=5 imm_data=cq.imm_data
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send fresh SEND wr_id=24 sge=src:0:cq.byte_len count=1
	 * The session did not come to this.
	 */
	/* Not in this program: fresh was not created in it. */

	/* modify_srq srq */
	/* Not in this program: srq was not created in it. */

	/*
	 * rdma_resolve_addr own res2.dst_addr src=res.src_addr
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_resolve_addr own res2.next1.dst_addr
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_resolve_addr own res2.next16.dst_addr
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* rdma_resolve_addr own res2.next17.dst_addr */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_resolve_addr own res2.next0.dst_addr
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_resolve_addr own id.peer_addr
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_resolve_addr own id.next1
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* rdma_resolve_addr own 10.9.0.2:99 */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_resolve_addr own 10.9.0.2:0 port=7
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: own was not created in it. */

	/*
	 * rdma_bind_addr own port=7
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * alloc_pd managed id=own
	 * The session did not come to this.
	 */
	/* Not in this program: own was not created in it. */

	/* create_cq fourth id=own */
	/* Not in this program: own was not created in it. */

	/*
	 * create_ah ah4 pd=pd id=own
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * write_mem src file:message.bin
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * write_mem src file:message.bin offset=8
	 * The session did not come to this.
	 */
	/* Not in this program: src was not created in it. */

	/* expect mem src file:message.bin */
	/* Not in this program: src was not created in it. */

	/*
	 * expect mem src 8 file:message.bin
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: src was not created in it. */

	/*
	 * expect wc cq=cq byte_len=cq.byte_len imm_data=cq.imm_data
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * query_gid soft0 port_num=1
	 * The session did not come to this.
	 */
	for (int row = 0; row < port_attr_of(synced->verbs, port_num).gid_tbl_len; row++) {
		union ibv_gid gid;

		if (!ibv_query_gid(synced->verbs, port_num, row, &gid) && (gid.global.subnet_prefix || gid.global.interface_id))
			show_gid(row, gid);
	}

	/* query_gid soft0 port_num=2 */
	for (int row = 0; row < port_attr_of(synced->verbs, 2).gid_tbl_len; row++) {
		union ibv_gid gid;

		if (!ibv_query_gid(synced->verbs, 2, row, &gid) && (gid.global.subnet_prefix || gid.global.interface_id))
			show_gid(row, gid);
	}

	/*
	 * rdma_disconnect id
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: id was not created in it. */

	/*
	 * live on
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * sleep 1500ms
	 * The session did not come to this.
	 */
	pause_ns(1500000000);

	/* save other.rdma */
	/* Not in this program: it writes a file for rdmatui. */

	/*
	 * rdma_disconnect own
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: own was not created in it. */

	/*
	 * detach_mcast u gid=239.1.2.3 lid=0xc000
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * close ah
	 * The session did not come to this.
	 */
	/* Not in this program: ah was not created in it. */

	/* rdma_destroy_qp q1 */
	/* Not in this program: q1 was not created in it. */

	/*
	 * rdma_destroy_id polled
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_destroy_id(polled)", destroy_id(polled) ? errno : 0, 0);

	/*
	 * rdma_freeaddrinfo res
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * dealloc_mw w1
	 * The session did not come to this.
	 */
	/* Not in this program: w1 was not created in it. */

	/* destroy_srq srq */
	/* Not in this program: srq was not created in it. */

	/*
	 * dereg_mr src
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: src was not created in it. */

	/*
	 * reg_mr log pd=pd length=100 access=LOCAL_WRITE|REMOTE_WRITE backing=file:"/tmp/a \"log\" %s"
	 * offset=0x1000
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * reg_mr ring pd=pd length=4096 backing=shm:/ring
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* reg_mr huge pd=pd length=dst.length access=LOCAL_WRITE backing=hugetlb:2M */
	/* Not in this program: pd was not created in it. */

	/*
	 * expect error ENOMEM reg_mr pages pd=pd length=0x40000000 backing=hugetlb
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * create_cq stamped device=soft0 cqe=16 channel=ch comp_vector=2
	 * wc_flags=BYTE_LEN|COMPLETION_TIMESTAMP|CVLAN
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * create_qp wr pd=pd send_cq=cq recv_cq=cq
	 * send_ops_flags=SEND|SEND_WITH_IMM|RDMA_WRITE|RDMA_READ|ATOMIC_CMP_AND_SWP|ATOMIC_FETCH_AND_ADD|LOCAL_INV|SEND_WITH_INV|BIND_MW
	 * The session did not come to this.
	 */
	/* Not in this program: pd was not created in it. */

	/* create_qp wu pd=pd send_cq=cq recv_cq=cq qp_type=UD send_ops_flags=SEND */
	/* Not in this program: pd was not created in it. */

	/*
	 * alloc_mw w3 type=TYPE_2 pd=pd
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: pd was not created in it. */

	/*
	 * post_send wr SEND_WITH_IMM wr_id=30 sge=dst:0:8 imm_data=9
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send wr SEND_WITH_INV wr_id=31 invalidate_rkey=dst.rkey
	 * The session did not come to this.
	 */
	/* Not in this program: wr was not created in it. */

	/* post_send wr RDMA_WRITE wr_id=32 sge=dst:0:8,dst:8:8 remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: wr was not created in it. */

	/*
	 * post_send wr RDMA_READ wr_id=33 sge=dst remote_addr=dst.addr+8 rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: wr was not created in it. */

	/*
	 * post_send wr ATOMIC_CMP_AND_SWP wr_id=34 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=1 swap=2
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send wr ATOMIC_FETCH_AND_ADD wr_id=35 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=3 send_flags=FENCE
	 * The session did not come to this.
	 */
	/* Not in this program: wr was not created in it. */

	/* post_send wr LOCAL_INV wr_id=36 invalidate_rkey=7 */
	/* Not in this program: wr was not created in it. */

	/*
	 * post_send wr BIND_MW wr_id=37 mw=w3 mr=dst addr=dst.addr length=64
	 * mw_access_flags=REMOTE_READ
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: wr was not created in it. */

	/*
	 * post_send wr SEND wr_id=38 sge=dst:0:8,dst:8:8 send_flags=INLINE|SIGNALED
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * post_send wu SEND wr_id=39 sge=dst:0:8 ah=ah remote_qpn=5 remote_qkey=6
	 * The session did not come to this.
	 */
	/* Not in this program: wu was not created in it. */

	/* attach_mcast wu gid=ff0e::1 */
	/* Not in this program: wu was not created in it. */

	/*
	 * attach_mcast wu gid=239.9.9.9
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: wu was not created in it. */

	/*
	 * detach_mcast wu gid=ff0e::1
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * get_cq_event ch timeout=1s
	 * The session did not come to this.
	 */
	/* Not in this program: ch was not created in it. */

	/* modify_cq cq cq_count=16 cq_period=100 */
	/* Not in this program: cq was not created in it. */

	/*
	 * rdma_create_ep ep res2 max_send_wr=2 max_recv_wr=cq.cqe max_inline_data=16 sq_sig_all=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: res2 was not created in it. */

	/*
	 * rdma_create_ep bare res2 pd=pd qp_init_attr=0
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_create_ep given res2 pd=pd send_cq=cq recv_cq=plain
	 * The session did not come to this.
	 */
	/* Not in this program: res2 was not created in it. */

	/* rdma_reg_msgs m1 id=ep length=16 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_reg_read m2 id=ep length=dst.length
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_reg_write m3 id=ep length=4096
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_post_recv ep wr_id=40 sge=m1
	 * The session did not come to this.
	 */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_recv ep wr_id=dst.length+1 sge=m1:4 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_post_send ep wr_id=41 sge=m1:4:8 send_flags=INLINE|SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_post_read ep wr_id=42 sge=m1:0:dst.length remote_addr=dst.addr+16 rkey=dst.rkey
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_post_write ep wr_id=43 sge=m1 remote_addr=0x1000 rkey=0x77 send_flags=0
	 * The session did not come to this.
	 */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_ud_send ep wr_id=44 sge=m1 ah=ah3 remote_qpn=id.remote_qpn */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_post_recvv ep wr_id=45 sge=m1:0:8,m2:8
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_post_sendv ep wr_id=46 sge=m1:8
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_post_readv ep wr_id=47 sge=@0x1000:8:0x7f remote_addr=dst.addr rkey=dst.rkey
	 * The session did not come to this.
	 */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_writev ep wr_id=48 sge=m1:0:8:0x9,m2 remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_get_send_comp ep
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: ep was not created in it. */

	/*
	 * rdma_get_recv_comp ep timeout=2s
	 * Beforehand: the name is taken
	 * It was refused before any call: it cannot be
	 */

	/*
	 * rdma_dereg_mr m3
	 * The session did not come to this.
	 */
	/* Not in this program: m3 was not created in it. */

	/* rdma_destroy_ep bare */
	/* Not in this program: bare was not created in it. */

	/* Destroy each object before those that it was created from. */
	rdma_freeaddrinfo(res);
	if (rdma_destroy_id(synced))
		die("rdma_destroy_id(synced)", errno);
	if (destroy_id(polled))
		die("rdma_destroy_id(polled)", errno);
	rdma_destroy_event_channel(polled_channel);
	return 0;
}
