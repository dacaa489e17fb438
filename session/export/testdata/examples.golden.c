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
#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef DEVICE
#define DEVICE "soft0"
#endif
#ifndef PORT
#define PORT 1
#endif
#ifndef GID_INDEX
#define GID_INDEX 0
#endif
#ifndef SERVER
#define SERVER "10.9.0.2"
#endif
#ifndef SERVER_PORT
#define SERVER_PORT 7471
#endif
#ifndef SERVER_2
#define SERVER_2 "10.9.0.1"
#endif
#ifndef SERVER_3
#define SERVER_3 "239.1.2.3"
#endif
#ifndef SERVER_4
#define SERVER_4 "10.0.0.2"
#endif

static const char *device_name = DEVICE;
static uint8_t port_num = PORT;
static uint8_t gid_index = GID_INDEX;
static const char *server_name = SERVER;
static int server_port = SERVER_PORT;

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

/* Allocates device memory; returns NULL and sets errno on failure. */
static struct ibv_dm *alloc_dm(struct ibv_context *device, size_t length, uint32_t log_align_req)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = log_align_req };

	return ibv_alloc_dm(device, &attr);
}

/* Reports a failed call and exits; the kernel frees the program's objects. */
static void die(const char *call, int err)
{
	fprintf(stderr, "%s: %s\n", call, err ? strerror(err) : "failed");
	exit(EXIT_FAILURE);
}

/* Queries all attributes of a queue pair; its device may leave some unset. */
static struct ibv_qp_attr attr_of(struct ibv_qp *queue_pair)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err;

	err = ibv_query_qp(queue_pair, &attr, (1 << 21) - 1, &init);
	if (err)
		die("ibv_query_qp", err);
	return attr;
}

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

/* Deregisters a region and unmaps its memory. */
static int dereg_mr(struct ibv_mr *region)
{
	void *memory = region->addr;
	size_t length = region->length;
	int err;

	err = ibv_dereg_mr(region);
	if (!err)
		munmap(memory, length);
	return err;
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

/* Receives an address in the format of the stock pingpong programs. */
static void receive_address(struct peer *other)
{
	char text[sizeof("0000:000000:000000:00000000000000000000000000000000")];
	unsigned int lid, qp_num, psn, byte;
	size_t got = 0;
	int i;

	while (got < sizeof(text)) {
		ssize_t n = read(other->sock, text + got, sizeof(text) - got);

		if (n <= 0)
			die("exchange: read", n ? errno : ECONNRESET);
		got += (size_t)n;
	}
	text[sizeof(text) - 1] = 0;
	if (sscanf(text, "%4x:%6x:%6x:", &lid, &qp_num, &psn) != 3)
		die("exchange: malformed address", EPROTO);
	other->lid = (uint16_t)lid;
	other->qp_num = qp_num;
	other->psn = psn;
	for (i = 0; i < 16; i++) {
		if (sscanf(text + 19 + 2 * i, "%2x", &byte) != 1)
			die("exchange: malformed GID", EPROTO);
		other->gid.raw[i] = (uint8_t)byte;
	}
}

/* Sends an address in the format of the stock pingpong programs: LID:QPN:PSN:GID in
 * hexadecimal digits, and a NUL. */
static void send_address(int sock, const struct peer *own)
{
	char text[sizeof("0000:000000:000000:00000000000000000000000000000000")];
	int i, at;

	at = snprintf(text, sizeof(text), "%04x:%06x:%06x:", own->lid, own->qp_num & 0xffffff, own->psn & 0xffffff);
	for (i = 0; i < 16; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%02x", own->gid.raw[i]);
	if (write(sock, text, sizeof(text)) != sizeof(text))
		die("exchange: write", errno);
}

/* Exchanges addresses with a server over TCP. */
static struct peer exchange_with(const char *host, int port, const struct peer *own)
{
	struct sockaddr *address = address_of(host, port);
	struct peer other = { .sock = socket(address->sa_family, SOCK_STREAM, 0) };

	if (other.sock < 0)
		die("socket", errno);
	if (connect(other.sock, address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)))
		die("exchange: connect", errno);
	send_address(other.sock, own);
	receive_address(&other);
	return other;
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

/* Reads n bytes; returns fewer if the peer closed the connection or the deadline
 * passed. */
static size_t read_whole(int sock, char *text, size_t n, int64_t deadline)
{
	size_t got = 0;

	while (got < n && readable(sock, deadline)) {
		ssize_t k = read(sock, text + got, n - got);

		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return got;
}

/* Receives the peer's regions. Returns false if it sends none, as a stock pingpong
 * program does. */
static bool receive_regions(struct peer *other, int64_t patience_ms)
{
	char text[sizeof("0000000000000000:0000000000000000:00000000:00000000:00000000000000000000000000000000")];
	int64_t deadline = now_ms() + patience_ms;
	size_t got = read_whole(other->sock, text, sizeof("regions:00"), deadline);
	unsigned int i, number;

	if (!got)
		return false;
	if (got != sizeof("regions:00") || text[got - 1] || sscanf(text, "regions:%2x", &number) != 1 || number > 32)
		die("exchange: malformed number of regions", EPROTO);
	for (i = 0; i < number; i++) {
		struct peer_region *r = &other->regions[i];

		got = read_whole(other->sock, text, sizeof(text), deadline);
		if (got != sizeof(text) || text[got - 1] ||
		    sscanf(text, "%16" SCNx64 ":%16" SCNx64 ":%8" SCNx32 ":%8" SCNx32 ":%32[A-Za-z0-9_]",
			   &r->addr, &r->length, &r->rkey, &r->access, r->name) != 5)
			die("exchange: malformed region", EPROTO);
	}
	other->number_regions = number;
	return true;
}

/* Sends our regions in rdmatui's format: their number, then address, length, remote
 * key, access and name of each, in fixed columns that end with a NUL. Returns false
 * if the peer has closed the connection, as a stock pingpong program does. */
static bool send_regions(int sock, const struct peer *own)
{
	char text[sizeof("regions:00") + 32 * sizeof("0000000000000000:0000000000000000:00000000:00000000:00000000000000000000000000000000")];
	size_t at = (size_t)sprintf(text, "regions:%02x", own->number_regions) + 1;
	unsigned int i;

	for (i = 0; i < own->number_regions; i++) {
		const struct peer_region *r = &own->regions[i];

		at += (size_t)sprintf(text + at, "%016" PRIx64 ":%016" PRIx64 ":%08" PRIx32 ":%08" PRIx32 ":%-32s",
				      r->addr, r->length, r->rkey, r->access, r->name) + 1;
	}
	return send(sock, text, at, MSG_NOSIGNAL) == (ssize_t)at;
}

/* Sends "done" to the server. Sends our regions only if the server sent its own. */
static void finish_with_server(struct peer *other, const struct peer *own, bool regions)
{
	if (write(other->sock, "done", sizeof("done")) != sizeof("done"))
		die("exchange: write", errno);
	if (regions && receive_regions(other, 2000) && !send_regions(other->sock, own))
		die("exchange: send", errno);
	close(other->sock);
}

/* Asynchronous events that were read but not yet returned. */
static struct ibv_async_event waiting[64];
static int number_waiting;

/* Takes the first event of a type on a queue pair or shared receive queue; type -1
 * and element NULL match any. Returns false on timeout. */
static bool get_async_event(struct ibv_context *context, int type, const void *element, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	int i = 0, j;

	for (;;) {
		for (; i < number_waiting; i++) {
			if ((type >= 0 && waiting[i].event_type != (enum ibv_event_type)type) ||
			    (element && waiting[i].element.qp != element))
				continue;
			printf("event: %s\n", ibv_event_type_str(waiting[i].event_type));
			for (j = i + 1; j < number_waiting; j++)
				waiting[j - 1] = waiting[j];
			number_waiting--;
			return true;
		}
		if (number_waiting == 64 || !readable(context->async_fd, deadline))
			return false;
		if (ibv_get_async_event(context, &waiting[number_waiting]))
			die("ibv_get_async_event", errno);
		ibv_ack_async_event(&waiting[number_waiting++]);
	}
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

/* Takes one completion event; returns NULL on timeout. */
static struct ibv_cq *get_cq_event(struct ibv_comp_channel *channel, int64_t timeout_ms)
{
	struct ibv_cq *queue;
	void *context;

	if (!readable(channel->fd, now_ms() + timeout_ms))
		return NULL;
	if (ibv_get_cq_event(channel, &queue, &context))
		die("ibv_get_cq_event", errno);
	return queue;
}

/* Waits for a connection request on a synchronous identifier. Copies the event,
 * because the next call on the new identifier frees it. */
static struct rdma_cm_id *get_request(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;

	if (rdma_get_request(listener, &id))
		die("rdma_get_request", errno);
	keep_cm_event(id->event);
	cm_events[(number_cm_events + 255) % 256].taken = true;
	return id;
}

/* Queries one entry of a port's GID table. */
static union ibv_gid gid_at(struct ibv_context *context, int port, int index)
{
	union ibv_gid gid;

	if (ibv_query_gid(context, port, index, &gid))
		die("ibv_query_gid", errno);
	return gid;
}

/* Parses a GID, which is written like an IPv6 address. */
static union ibv_gid gid_from(const char *text)
{
	union ibv_gid gid;

	if (inet_pton(AF_INET6, text, gid.raw) != 1)
		die(text, EINVAL);
	return gid;
}

/* Returns the newest event of an identifier. A synchronous identifier keeps its event
 * in id->event. */
static struct cm_event *last_cm_event(struct rdma_cm_id *id)
{
	static struct cm_event none = { .type = RDMA_CM_EVENT_TIMEWAIT_EXIT };
	size_t i;

	if (id->event) {
		struct cm_event *newest = &cm_events[(number_cm_events + 255) % 256];

		if (newest->id != id || newest->type != id->event->event) {
			keep_cm_event(id->event);
			cm_events[(number_cm_events + 255) % 256].taken = true;
		}
	}
	for (i = number_cm_events; i > 0 && i + 256 > number_cm_events; i--)
		if (cm_events[(i - 1) % 256].id == id)
			return &cm_events[(i - 1) % 256];
	return &none;
}

/* A completion taken from a queue; the newest 1024 are kept. met: an expectation has
 * matched it. The next poll_cq then marks it spent, and expectations skip it. */
struct taken_wc {
	struct ibv_cq *cq;
	struct ibv_wc wc;
	bool met, spent;
};

static struct taken_wc all_taken[1024];
static size_t number_taken;

/* Returns the completion taken last from a queue. */
static struct ibv_wc *last_wc(struct ibv_cq *queue)
{
	static struct ibv_wc none = { .status = IBV_WC_GENERAL_ERR };
	size_t i;

	for (i = number_taken; i > 0 && i + 1024 > number_taken; i--)
		if (all_taken[(i - 1) % 1024].cq == queue)
			return &all_taken[(i - 1) % 1024].wc;
	return &none;
}

/* Maps zeroed memory for the caller to register. */
static void *new_memory(size_t length)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap", errno);
	return memory;
}

/* Returns the next completion that an expectation may match, the first one if after
 * is NULL; NULL if there is none. */
static struct taken_wc *next_taken(struct taken_wc *after)
{
	size_t kept = number_taken < 1024 ? number_taken : 1024;
	size_t oldest = (number_taken - kept) % 1024;
	size_t i = after ? ((size_t)(after - all_taken) + 1024 - oldest) % 1024 + 1 : 0;

	for (; i < kept; i++)
		if (!all_taken[(oldest + i) % 1024].spent)
			return &all_taken[(oldest + i) % 1024];
	return NULL;
}

/* Opens the device of that name; on failure prints the reason, sets errno and
 * returns NULL. */
static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list, *found = NULL;
	int n = 0, err = ENODEV;

	list = ibv_get_device_list(&n);
	if (!list)
		err = errno;
	for (int i = 0; list && i < n; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			found = list[i];
	}
	if (found) {
		context = ibv_open_device(found);
		err = errno;
	}
	if (found && !context)
		fprintf(stderr, "ibv_open_device(%s): %s\n", name, strerror(err));
	else if (!found && n > 0)
		fprintf(stderr, "there is no device %s: choose one that ibv_devices lists\n", name);
	else if (!found)
		fprintf(stderr, "no RDMA device was found on this host: ibv_get_device_list: %s\n",
			list ? "none" : strerror(err));
	if (list)
		ibv_free_device_list(list);
	errno = err;
	return context;
}

static void pause_ns(int64_t ns)
{
	struct timespec span = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&span, &span))
		;
}

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

/* Keeps a completion that was taken from a queue, and reports a failed one. */
static void keep_comp(struct taken_wc one)
{
	if (one.wc.status != IBV_WC_SUCCESS)
		fprintf(stderr, "wr_id %llu: %s, vendor_err 0x%x\n", (unsigned long long)one.wc.wr_id,
			ibv_wc_status_str(one.wc.status), one.wc.vendor_err);
	all_taken[number_taken++ % 1024] = one;
}

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

static struct ibv_port_attr port_attr_of(struct ibv_context *context, int port)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	int err;

	err = ibv_query_port(context, port, &attr);
	if (err)
		die("ibv_query_port", err);
	return attr;
}

/* Returns a 24-bit initial packet sequence number. It differs from run to run, so
 * that late packets of an earlier run are not accepted. */
static uint32_t random_psn(void)
{
	static unsigned int seed;

	if (!seed)
		seed = (unsigned int)time(NULL) ^ ((unsigned int)getpid() << 16);
	return (uint32_t)rand_r(&seed) & 0xffffff;
}

/* Reads a line from standard input into a region and fills the rest with zeros. At
 * the end of the input it stores the text end instead; NULL: it exits. */
static void read_line(struct ibv_mr *to, const char *prompt, const char *end)
{
	char *text = to->addr;
	size_t length = 0;
	int c;

	printf("%s: ", prompt);
	fflush(stdout);
	memset(text, 0, to->length);
	while ((c = getchar()) != EOF && c != '\n')
		if (length + 1 < to->length)
			text[length++] = (char)c;
	if (c != EOF || length > 0)
		return;
	if (!end)
		die("the input has ended", ENODATA);
	for (; end[length] && length + 1 < to->length; length++)
		text[length] = end[length];
}

/* Registers memory that the caller has mapped, and unmaps it on failure. Returns NULL
 * and leaves errno set if mapping or registering failed. */
static struct ibv_mr *reg_mapped(struct ibv_pd *domain, void *memory, size_t length, int access)
{
	struct ibv_mr *region;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	region = ibv_reg_mr(domain, memory, length, access);
	if (!region) {
		err = errno;
		munmap(memory, length);
		errno = err;
	}
	return region;
}

/* Maps zeroed memory and registers it; returns NULL and sets errno on failure. */
static struct ibv_mr *reg_mr(struct ibv_pd *domain, size_t length, int access)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return reg_mapped(domain, memory, length, access);
}

/* Changes a region. A change of translation moves it to new zeroed memory and unmaps
 * the old memory. */
static int rereg_mr(struct ibv_mr *region, int flags, struct ibv_pd *domain, size_t length, int access)
{
	void *before = region->addr, *memory = NULL;
	size_t length_before = region->length;
	int err;

	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return errno;
	}
	errno = 0;
	if (ibv_rereg_mr(region, flags, domain, memory, length, access)) {
		err = errno ? errno : EINVAL;
		if (memory)
			munmap(memory, length);
		return err;
	}
	if (memory)
		munmap(before, length_before);
	return 0;
}

/* Prints length bytes of a region, or up to its end, as hexadecimal digits and as
 * text. */
static void show_bytes(const char *name, const struct ibv_mr *region, size_t offset, size_t length)
{
	const uint8_t *byte = (const uint8_t *)region->addr + offset;
	size_t i;

	if (offset > region->length)
		return;
	if (length > region->length - offset)
		length = region->length - offset;
	printf("%s: ", name);
	for (i = 0; i < length; i++)
		printf("%02x", byte[i]);
	printf(" \"");
	for (i = 0; i < length; i++)
		putchar(isprint(byte[i]) ? byte[i] : '.');
	printf("\"\n");
}

static void show_gid(int index, union ibv_gid gid)
{
	char text[INET6_ADDRSTRLEN];

	printf("gid %d: %s\n", index, inet_ntop(AF_INET6, gid.raw, text, sizeof(text)));
}

/* Adds a region to those sent to the peer. */
static void tell_region(struct peer *own, const char *name, struct ibv_mr *mr, uint32_t access)
{
	struct peer_region *region = &own->regions[own->number_regions];

	if (!mr || own->number_regions == sizeof(own->regions) / sizeof(*region))
		return;
	snprintf(region->name, sizeof(region->name), "%s", name);
	region->addr = (uintptr_t)mr->addr;
	region->length = mr->length;
	region->rkey = mr->rkey;
	region->access = access;
	own->number_regions++;
}

/* Exits with an error unless the event has the expected type. */
static struct cm_event *want_cm_event(struct cm_event *event, enum rdma_cm_event_type type)
{
	if (event && event->type == type)
		return event;
	fprintf(stderr, "expected %s, got %s", rdma_event_str(type), event ? rdma_event_str(event->type) : "nothing");
	if (event)
		fprintf(stderr, ", status %d", event->status);
	fprintf(stderr, "\n");
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	struct ibv_context *soft0 = NULL;
	struct ibv_pd *pd = NULL;
	struct ibv_mr *src = NULL;
	struct ibv_mr *dst = NULL;
	struct ibv_mr *mr = NULL;
	struct ibv_mr *buf = NULL;
	struct ibv_comp_channel *ch = NULL;
	struct ibv_cq *cq = NULL;
	struct ibv_srq *srq = NULL;
	struct ibv_qp *a = NULL;
	struct ibv_qp *b = NULL;
	struct ibv_qp *u = NULL;
	struct ibv_qp *qp = NULL;
	struct ibv_ah *ah = NULL;
	struct rdma_event_channel *events = NULL;
	struct rdma_event_channel *events2 = NULL;
	struct rdma_cm_id *id = NULL;
	struct rdma_cm_id *listen = NULL;
	struct rdma_cm_id *listen_1 = NULL;
	struct peer peer = { .sock = -1 };
	struct ibv_mr *m = NULL;
	struct ibv_pd *pd9 = NULL;
	struct ibv_mr *dst9 = NULL;
	struct ibv_mw *w = NULL;
	struct ibv_dm *d = NULL;
	struct ibv_comp_channel *ch9 = NULL;
	struct ibv_cq *cq9 = NULL;
	struct ibv_srq *srq9 = NULL;
	struct ibv_qp *a9 = NULL;
	struct ibv_ah *ah9 = NULL;
	struct ibv_ah *back = NULL;
	struct rdma_event_channel *events9 = NULL;
	struct rdma_cm_id *id9 = NULL;
	struct rdma_addrinfo *addrinfo = NULL;
	struct rdma_cm_id *req = NULL;
	struct peer peer9 = { .sock = -1 };
	uint32_t a_psn = random_psn();
	struct peer peer9_own = { .sock = -1 };
	struct peer p = { .sock = -1 };
	struct ibv_send_wr *bad_wr;
	struct ibv_recv_wr *bad_recv_wr;
	struct taken_wc *taken;
	struct cm_event *event;
	int err;
	int option;

	while ((option = getopt(argc, argv, "d:i:g:a:p:")) != -1) {
		switch (option) {
		case 'd':
			device_name = optarg;
			break;
		case 'i':
			port_num = (uint8_t)atoi(optarg);
			break;
		case 'g':
			gid_index = (uint8_t)atoi(optarg);
			break;
		case 'a':
			server_name = optarg;
			break;
		case 'p':
			server_port = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: %s [-d DEVICE] [-i PORT] [-g GID_INDEX] [-a SERVER] [-p SERVER_PORT]\n", argv[0]);
			return 2;
		}
	}

	/* open_device soft0 */
	soft0 = open_device(device_name);
	if (!soft0)
		exit(EXIT_FAILURE); /* open_device printed the reason */

	/* alloc_pd pd */
	pd = ibv_alloc_pd(soft0);
	if (!pd)
		die("ibv_alloc_pd(soft0)", errno);

	/* reg_mr src pd=pd length=4096 */
	src = reg_mr(pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!src)
		die("ibv_reg_mr(pd)", errno);

	/* reg_mr dst pd=pd length=4096 */
	dst = reg_mr(pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!dst)
		die("ibv_reg_mr(pd)", errno);

	/* reg_mr mr pd=pd length=64 */
	mr = reg_mr(pd, 64, IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		die("ibv_reg_mr(pd)", errno);

	/* reg_mr buf pd=pd length=64 */
	buf = reg_mr(pd, 64, IBV_ACCESS_LOCAL_WRITE);
	if (!buf)
		die("ibv_reg_mr(pd)", errno);

	/* create_comp_channel ch device=soft0 */
	ch = ibv_create_comp_channel(soft0);
	if (!ch)
		die("ibv_create_comp_channel(soft0)", errno);

	/* create_cq cq device=soft0 channel=ch */
	cq = ibv_create_cq(soft0, 64, NULL, ch, 0);
	if (!cq)
		die("ibv_create_cq(soft0)", errno);

	/* create_srq srq pd=pd */
	srq = ibv_create_srq(pd, &(struct ibv_srq_init_attr){ .attr = { .max_wr = 64, .max_sge = 1 } });
	if (!srq)
		die("ibv_create_srq(pd)", errno);

	/* create_qp a pd=pd send_cq=cq srq=srq */
	a = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	});
	if (!a)
		die("ibv_create_qp(pd)", errno);

	/* create_qp b pd=pd send_cq=cq */
	b = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	});
	if (!b)
		die("ibv_create_qp(pd)", errno);

	/* create_qp u pd=pd send_cq=cq qp_type=UD */
	u = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_UD,
	});
	if (!u)
		die("ibv_create_qp(pd)", errno);

	/* create_qp qp pd=pd send_cq=cq */
	qp = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	});
	if (!qp)
		die("ibv_create_qp(pd)", errno);

	/* create_ah ah pd=pd dgid=b.gid */
	ah = ibv_create_ah(pd, &(struct ibv_ah_attr){
		.grh = {
			.dgid = gid_at(b->context, port_num, gid_index),
			.hop_limit = 64,
		},
		.port_num = port_num,
	});
	if (!ah)
		die("ibv_create_ah(pd)", errno);

	/* rdma_create_event_channel events */
	events = rdma_create_event_channel();
	if (!events)
		die("rdma_create_event_channel", errno);

	/* rdma_create_event_channel events2 */
	events2 = rdma_create_event_channel();
	if (!events2)
		die("rdma_create_event_channel", errno);

	/* rdma_create_id id channel=events */
	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_create_id listen channel=events */
	if (rdma_create_id(events, &listen, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_create_id listen-1 channel=events */
	if (rdma_create_id(events, &listen_1, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* peer peer qp_num=1 */
	peer = (struct peer){ .qp_num = 1 };
	printf("peer: qp_num 0x%06x, psn 0x%06x, lid %u\n", peer.qp_num, peer.psn, peer.lid);

	/* rdma_reg_msgs m id=id length=64 */
	m = rdma_reg_msgs(id, new_memory(64), 64);
	if (!m)
		die("rdma_reg_msgs(id)", errno);

	/* open_device soft0 */
	soft0 = open_device(device_name);
	if (!soft0)
		exit(EXIT_FAILURE); /* open_device printed the reason */

	/* query_device soft0 */
	{
		struct ibv_device_attr attr;

		err = ibv_query_device(soft0, &attr);
		if (err)
			die("ibv_query_device(soft0)", err);
		printf("%s: max_qp %d, max_qp_wr %d, max_sge %d, max_cq %d, max_cqe %d, max_mr %d\n", attr.fw_ver,
			attr.max_qp, attr.max_qp_wr, attr.max_sge, attr.max_cq, attr.max_cqe, attr.max_mr);
	}

	/* query_rt_values_ex soft0 */
	{
		struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

		err = ibv_query_rt_values_ex(soft0, &values);
		if (err)
			die("ibv_query_rt_values_ex(soft0)", err);
		printf("raw_clock: tv_sec %lld, tv_nsec %lld\n", (long long)values.raw_clock.tv_sec, (long long)values.raw_clock.tv_nsec);
	}

	/* query_port soft0 port_num=1 */
	{
		struct ibv_port_attr attr = { .state = IBV_PORT_NOP };

		err = ibv_query_port(soft0, port_num, &attr);
		if (err)
			die("ibv_query_port(soft0)", err);
		printf("port %d: %s, max_mtu %d, active_mtu %d, lid %d\n", port_num, ibv_port_state_str(attr.state),
			128 << attr.max_mtu, 128 << attr.active_mtu, attr.lid);
	}

	/* query_gid soft0 index=1 */
	{
		union ibv_gid gid = { .raw = { 0 } };

		if (ibv_query_gid(soft0, port_num, 1, &gid))
			die("ibv_query_gid(soft0)", errno);
		show_gid(1, gid);
	}

	/* query_pkey soft0 index=0 */
	{
		__be16 pkey = 0;

		if (ibv_query_pkey(soft0, port_num, 0, &pkey))
			die("ibv_query_pkey(soft0)", errno);
		printf("pkey 0x%04x\n", ntohs(pkey));
	}

	/* get_async_event soft0 timeout=2s */
	expect(get_async_event(soft0, -1, NULL, 2000), "an asynchronous event comes in time");

	/* fault soft0 loss=5% duplicate=1% reorder=10% corrupt=0.1% delay=2ms */
	/* Not in this program: only rdmatui's software device injects faults. */

	/* capture soft0 on file=soft0.pcapng limit=1000 */
	/*
	 * Not in this program: rdmatui captures packets of its software device; a program can use
	 * tcpdump.
	 */

	/* save_packets wire.pcapng device=soft0 */
	/* Not in this program: only rdmatui records packets. */

	/* save_incident bad-rkey before=1m */
	/* Not in this program: only rdmatui records packets and events. */

	/* recorder on memory=64 */
	/* Not in this program: only rdmatui records packets and events. */

	/* alloc_pd pd */
	pd9 = ibv_alloc_pd(soft0);
	if (!pd9)
		die("ibv_alloc_pd(soft0)", errno);

	/* reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE */
	dst9 = reg_mr(pd9, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!dst9)
		die("ibv_reg_mr(pd9)", errno);

	/* rereg_mr dst access=LOCAL_WRITE|REMOTE_READ */
	err = rereg_mr(dst, IBV_REREG_MR_CHANGE_ACCESS, NULL, 0, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (err)
		die("ibv_rereg_mr(dst)", err);

	/* alloc_mw w type=TYPE_2 */
	w = ibv_alloc_mw(pd9, IBV_MW_TYPE_2);
	if (!w)
		die("ibv_alloc_mw(pd9)", errno);

	/* alloc_dm d length=4096 */
	d = alloc_dm(soft0, 4096, 0);
	if (!d)
		die("ibv_alloc_dm(soft0)", errno);

	/* memcpy_to_dm d src length=64 */
	err = ibv_memcpy_to_dm(d, 0, src->addr, 64);
	if (err)
		die("ibv_memcpy_to_dm(d)", err);

	/* memcpy_from_dm dst d length=64 */
	err = ibv_memcpy_from_dm(dst->addr, d, 0, 64);
	if (err)
		die("ibv_memcpy_from_dm(d)", err);

	/* write_mem src "hello" offset=16 */
	memcpy((char *)src->addr + 16, "hello", 5);

	/* copy_mem src dst length=16 to_offset=8 */
	copy_bytes(dst, 8, src, 0, 16);

	/* input src prompt="say" end="disconnect" */
	read_line(src, "say", "disconnect");

	/* read_mem dst 0 32 */
	show_bytes("dst", dst, 0, 32);

	/* create_comp_channel ch */
	ch9 = ibv_create_comp_channel(soft0);
	if (!ch9)
		die("ibv_create_comp_channel(soft0)", errno);

	/* create_cq cq cqe=64 */
	cq9 = ibv_create_cq(soft0, 64, NULL, NULL, 0);
	if (!cq9)
		die("ibv_create_cq(soft0)", errno);

	/* resize_cq cq cqe=128 */
	err = ibv_resize_cq(cq, 128);
	if (err)
		die("ibv_resize_cq(cq)", err);

	/* modify_cq cq cq_count=16 cq_period=100 */
	err = ibv_modify_cq(cq, &(struct ibv_modify_cq_attr){
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 16, .cq_period = 100 },
	});
	if (err)
		die("ibv_modify_cq(cq)", err);

	/* poll_cq cq n=2 timeout=1s */
	expect(poll_cq(cq, 2, 1000) == 2, "2 completions within 1s");

	/* req_notify_cq cq solicited_only=0 */
	err = ibv_req_notify_cq(cq, 0);
	if (err)
		die("ibv_req_notify_cq(cq)", err);

	/* get_cq_event ch timeout=2s */
	expect(get_cq_event(ch, 2000), "a completion event within 2s");

	/* ack_cq_events cq n=1 */
	ibv_ack_cq_events(cq, 1);

	/* cq_mode cq mode=blocking solicited_only=1 */
	/* Not in this program: the exported program polls only where a line does. */

	/* cq_stats cq */
	/* Not in this program: it shows rdmatui's own counts. */

	/* create_srq srq max_wr=64 */
	srq9 = ibv_create_srq(pd9, &(struct ibv_srq_init_attr){ .attr = { .max_wr = 64, .max_sge = 1 } });
	if (!srq9)
		die("ibv_create_srq(pd9)", errno);

	/* modify_srq srq srq_limit=4 */
	err = ibv_modify_srq(srq, &(struct ibv_srq_attr){ .srq_limit = 4 }, IBV_SRQ_LIMIT);
	if (err)
		die("ibv_modify_srq(srq)", err);

	/* query_srq srq */
	{
		struct ibv_srq_attr attr = { .max_wr = 0 };

		err = ibv_query_srq(srq, &attr);
		if (err)
			die("ibv_query_srq(srq)", err);
		printf("srq: max_wr %u, max_sge %u, srq_limit %u\n", attr.max_wr, attr.max_sge, attr.srq_limit);
	}

	/* post_srq_recv srq wr_id=7 sge=dst:0:4096 count=8 */
	for (unsigned int n = 0; n < 8; n++) {
		err = ibv_post_srq_recv(srq, &(struct ibv_recv_wr){
			.wr_id = 7,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = 4096,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
		if (err)
			die("ibv_post_srq_recv(srq)", err);
	}

	/* create_qp a send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 */
	a9 = ibv_create_qp(pd9, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	});
	if (!a9)
		die("ibv_create_qp(pd9)", errno);

	/* modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE */
	err = ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = port_num,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	}, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT);
	if (err)
		die("ibv_modify_qp(a, INIT)", err);

	/* query_qp a */
	{
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };
		struct ibv_qp_init_attr init_attr;

		err = ibv_query_qp(a, &attr, (1 << 21) - 1, &init_attr);
		if (err)
			die("ibv_query_qp(a)", err);
		printf("a: state %d, dest_qp_num 0x%06x, sq_psn 0x%06x, rq_psn 0x%06x\n",
			attr.qp_state, attr.dest_qp_num, attr.sq_psn, attr.rq_psn);
	}

	/* query_qp_data_in_order b RDMA_WRITE */
	{
		int in_order = ibv_query_qp_data_in_order(b, IBV_WR_RDMA_WRITE, 0);

		printf("b: data in order 0x%x\n", in_order);
	}

	/* connect_qps a b path_mtu=1024 */
	/* Not in this program: there was nothing left to do. */

	/* create_ah ah dgid=b.gid */
	ah9 = ibv_create_ah(pd9, &(struct ibv_ah_attr){
		.grh = {
			.dgid = gid_at(b->context, port_num, gid_index),
			.hop_limit = 64,
		},
		.port_num = port_num,
	});
	if (!ah9)
		die("ibv_create_ah(pd9)", errno);

	/* create_ah_from_wc back cq=cq mr=buf */
	back = ibv_create_ah_from_wc(pd9, last_wc(cq), (struct ibv_grh *)buf->addr, port_num);
	if (!back)
		die("ibv_create_ah_from_wc(pd9)", errno);

	/* attach_mcast u gid=239.1.2.3 */
	{
		union ibv_gid gid = gid_from("::ffff:239.1.2.3");

		err = ibv_attach_mcast(u, &gid, 0);
		if (err)
			die("ibv_attach_mcast(u)", err);
	}

	/* detach_mcast u gid=239.1.2.3 */
	{
		union ibv_gid gid = gid_from("::ffff:239.1.2.3");

		err = ibv_detach_mcast(u, &gid, 0);
		if (err)
			die("ibv_detach_mcast(u)", err);
	}

	/* post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey */
	err = ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 0,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 5,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = (uintptr_t)dst->addr,
			.rkey = dst->rkey,
		},
	}, &bad_wr);
	if (err)
		die("ibv_post_send(a, RDMA_WRITE)", err);

	/* chain post_send a SEND sge=src:0:5 ; post_send a SEND sge=src:5:5 */
	err = ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 0,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 5,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.next = &(struct ibv_send_wr){
			.wr_id = 0,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)src->addr + 5,
				.length = 5,
				.lkey = src->lkey,
			},
			.num_sge = 1,
			.opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED,
		},
	}, &bad_wr);
	if (err)
		die("ibv_post_send(a)", err);

	/* post_recv b wr_id=7 sge=dst:0:4096 */
	err = ibv_post_recv(b, &(struct ibv_recv_wr){
		.wr_id = 7,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 4096,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
	}, &bad_recv_wr);
	if (err)
		die("ibv_post_recv(b)", err);

	/* bind_mw b w mr=dst length=64 mw_access_flags=REMOTE_WRITE */
	err = ibv_bind_mw(b, w, &(struct ibv_mw_bind){
		.wr_id = 0,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = dst,
			.addr = (uintptr_t)dst->addr,
			.length = 64,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	});
	if (err)
		die("ibv_bind_mw(b, w)", err);

	/* pingpong a role=client n=1000 size=64 */
	pingpong((struct pingpong){
		.queue_pair = a,
		.region = dst9,
		.client = true,
		.n = 1000,
		.size = 64,
		.posted = 0,
		.depth = 16,
		.timeout_ms = 10000,
	});

	/* rdma_create_event_channel events */
	events9 = rdma_create_event_channel();
	if (!events9)
		die("rdma_create_event_channel", errno);

	/* rdma_create_id id ps=TCP */
	if (rdma_create_id(events9, &id9, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_getaddrinfo 10.9.0.2 7471 */
	if (rdma_getaddrinfo(server_name, "7471", NULL, &addrinfo))
		die("rdma_getaddrinfo", errno);

	/* rdma_bind_addr id 10.9.0.1 port=7471 */
	if (rdma_bind_addr(id, address_of(SERVER_2, server_port)))
		die("rdma_bind_addr(id)", errno);

	/* rdma_resolve_addr id 10.9.0.2 port=7471 */
	if (rdma_resolve_addr(id, NULL, address_of(server_name, server_port), 2000))
		die("rdma_resolve_addr(id)", errno);

	/* rdma_resolve_route id */
	/* rdmatui read this event by itself, without a line in the session. */
	want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(id, 2000))
		die("rdma_resolve_route(id)", errno);

	/* rdma_listen id */
	if (rdma_listen(id, 8))
		die("rdma_listen(id)", errno);

	/* rdma_connect id private_data="hello" */
	/* rdmatui read this event by itself, without a line in the session. */
	want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (rdma_connect(id, &(struct rdma_conn_param){
		.private_data = "hello",
		.private_data_len = 5,
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
	}))
		die("rdma_connect(id)", errno);

	/* rdma_accept listen-1 */
	if (rdma_accept(listen_1, &(struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.rnr_retry_count = 7,
	}))
		die("rdma_accept(listen_1)", errno);

	/* rdma_reject listen-1 private_data="busy" */
	if (rdma_reject(listen_1, "busy", 4))
		die("rdma_reject(listen_1)", errno);

	/* reject_all listen */
	/* Not in this program: it rejects the pending requests on rdmatui's list. */

	/* rdma_disconnect id */
	if (rdma_disconnect(id))
		die("rdma_disconnect(id)", errno);

	/* rdma_establish id */
	/* rdmatui read this event by itself, without a line in the session. */
	want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_ESTABLISHED);
	if (rdma_establish(id))
		die("rdma_establish(id)", errno);

	/* rdma_notify id COMM_EST */
	if (rdma_notify(id, IBV_EVENT_COMM_EST))
		die("rdma_notify(id)", errno);

	/* rdma_set_option id TOS 32 */
	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &(uint8_t){ 32 }, sizeof(uint8_t)))
		die("rdma_set_option(id, TOS)", errno);

	/* rdma_create_qp id qp pd=pd send_cq=cq */
	if (rdma_create_qp(id, pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	}))
		die("rdma_create_qp(id)", errno);

	/* rdma_init_qp_attr id RTR */
	{
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
		int mask;

		if (rdma_init_qp_attr(id, &attr, &mask))
			die("rdma_init_qp_attr(id)", errno);
	}

	/* rdma_join_multicast id 239.1.2.3 */
	if (rdma_join_multicast(id, address_of(SERVER_3, 0), NULL))
		die("rdma_join_multicast(id)", errno);

	/* rdma_leave_multicast id 239.1.2.3 */
	if (rdma_leave_multicast(id, address_of(SERVER_3, 0)))
		die("rdma_leave_multicast(id)", errno);

	/* rdma_migrate_id id events2 */
	if (rdma_migrate_id(id, events2))
		die("rdma_migrate_id(id)", errno);

	/* rdma_get_cm_event CONNECT_REQUEST name=req timeout=1h */
	event = want_cm_event(get_cm_event(events9, NULL, 3600000), RDMA_CM_EVENT_CONNECT_REQUEST);
	req = event->id;

	/* rdma_get_request listen name=req timeout=1h */
	req = get_request(listen);

	/* rdma_create_ep ep res max_send_wr=1 max_recv_wr=1 */
	/* Not in this program: res was not created in it. */

	/* rdma_reg_msgs m id=ep length=32 */
	/* Not in this program: ep was not created in it. */

	/* rdma_reg_read m id=ep length=32 */
	/* Not in this program: ep was not created in it. */

	/* rdma_reg_write m id=ep length=32 */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_recv ep sge=m */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_send ep sge=m */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_read ep sge=m remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_write ep sge=m remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_ud_send ep sge=m ah=ah remote_qpn=7 */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_recvv ep sge=m */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_sendv ep sge=m */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_readv ep sge=m remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: ep was not created in it. */

	/* rdma_post_writev ep sge=m remote_addr=dst.addr rkey=dst.rkey */
	/* Not in this program: ep was not created in it. */

	/* rdma_get_send_comp ep */
	/* Not in this program: ep was not created in it. */

	/* rdma_get_recv_comp ep */
	/* Not in this program: ep was not created in it. */

	/* rdma_dereg_mr m */
	{
		void *memory = m->addr;
		size_t length = m->length;

		if (rdma_dereg_mr(m))
			die("rdma_dereg_mr(m)", errno);
		munmap(memory, length);
	}

	/* rdma_destroy_ep ep */
	/* Not in this program: ep was not created in it. */

	/* exchange peer qp=a address=10.0.0.2 */
	peer9_own = (struct peer){
		.lid = port_attr_of(a->context, port_num).lid,
		.qp_num = a->qp_num,
		.psn = a_psn,
	};
	tell_region(&peer9_own, "dst", dst, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	peer9 = exchange_with(SERVER_4, 18515, &peer9_own);
	printf("peer9: qp_num 0x%06x, psn 0x%06x, lid %u\n", peer9.qp_num, peer9.psn, peer9.lid);
	finish_with_server(&peer9, &peer9_own, true);

	/* exchange_finish peer */
	/* Not in this program: no exchange is under way. */

	/* peer p qp_num=0x12 psn=0x6f21a0 gid=10.0.0.2 */
	p = (struct peer){
		.qp_num = 0x12,
		.psn = 0x6f21a0,
		.gid = gid_from("::ffff:10.0.0.2"),
	};
	printf("p: qp_num 0x%06x, psn 0x%06x, lid %u\n", p.qp_num, p.psn, p.lid);

	/* expect wc wr_id=7 status=SUCCESS byte_len=5 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->wc.wr_id == 7 &&
		    taken->wc.status == IBV_WC_SUCCESS &&
		    taken->wc.byte_len == 5)
			break;
	expect(taken, "the completion wr_id=7 status=SUCCESS byte_len=5");
	taken->met = true;

	/* expect mem dst 0 "hello" */
	expect(!memcmp(dst->addr, "hello", 5), "what dst holds");

	/* expect state a RTS */
	expect(attr_of(a).qp_state == IBV_QPS_RTS, "a is in RTS");

	/* expect async QP_FATAL timeout=2s */
	expect(get_async_event(soft0, IBV_EVENT_QP_FATAL, NULL, 2000), "QP_FATAL comes in time");

	/* expect error EINVAL modify_qp a RTS sq_psn=0 */
	err = ibv_modify_qp(a, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = 0 }, IBV_QP_STATE | IBV_QP_SQ_PSN);
	if (err)
		die("ibv_modify_qp(a, RTS)", err);

	/* expect cm REJECTED status=CONSUMER_DEFINED private_data="busy" */
	expect((event = find_cm_event(req->channel, NULL, RDMA_CM_EVENT_REJECTED, 1000)) &&
		event->status == 28 /* CONSUMER_DEFINED */ &&
		event->private_data_len >= 4 &&
		!memcmp(event->private_data, "busy", 4), "cm REJECTED status=CONSUMER_DEFINED private_data=\"busy\"");

	/* expect id id CONNECTED */
	/* rdmatui read this event by itself, without a line in the session. */
	want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_MULTICAST_JOIN);
	read_cm_events(id->channel, 0);
	expect(last_cm_event(id)->type == RDMA_CM_EVENT_ESTABLISHED, "id is CONNECTED");

	/* live on */
	/* Not in this program: the exported program polls only where a line does. */

	/* sleep 250ms */
	pause_ns(250000000);

	/* repeat 10 post_recv b sge=dst */
	for (unsigned int time = 0; time < 10; time++) {
		err = ibv_post_recv(b, &(struct ibv_recv_wr){
			.wr_id = 0,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = (uint32_t)dst->length,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
		if (err)
			die("ibv_post_recv(b)", err);
	}

	/* save session.rdma */
	/* Not in this program: it writes a file for rdmatui. */

	/* export c session.c */
	/* Not in this program: it writes this program. */

	/* export script session.rdma */
	/* Not in this program: it writes a file for rdmatui. */

	/* lab bad-rkey */
	/* Not in this program: its failures run in a separate session. */

	/* note "now the peer is started" */
	puts("now the peer is started");

	/* help reg_mr */
	/* Not in this program: it explains rdmatui's commands. */

	/* Destroy each object before those that it was created from. */
	rdma_disconnect(listen_1);
	if (destroy_id(req))
		die("rdma_destroy_id(req)", errno);
	rdma_destroy_qp(id);
	rdma_freeaddrinfo(addrinfo);
	if (destroy_id(id9))
		die("rdma_destroy_id(id9)", errno);
	rdma_destroy_event_channel(events9);
	err = ibv_destroy_ah(back);
	if (err)
		die("ibv_destroy_ah(back)", err);
	err = ibv_destroy_ah(ah9);
	if (err)
		die("ibv_destroy_ah(ah9)", err);
	err = ibv_destroy_qp(a9);
	if (err)
		die("ibv_destroy_qp(a9)", err);
	err = ibv_destroy_srq(srq9);
	if (err)
		die("ibv_destroy_srq(srq9)", err);
	err = ibv_destroy_cq(cq9);
	if (err)
		die("ibv_destroy_cq(cq9)", err);
	err = ibv_destroy_comp_channel(ch9);
	if (err)
		die("ibv_destroy_comp_channel(ch9)", err);
	err = ibv_free_dm(d);
	if (err)
		die("ibv_free_dm(d)", err);
	err = ibv_dealloc_mw(w);
	if (err)
		die("ibv_dealloc_mw(w)", err);
	err = dereg_mr(dst9);
	if (err)
		die("ibv_dereg_mr(dst9)", err);
	err = ibv_dealloc_pd(pd9);
	if (err)
		die("ibv_dealloc_pd(pd9)", err);
	err = ibv_close_device(soft0);
	if (err)
		die("ibv_close_device(soft0)", err);
	if (destroy_id(listen_1))
		die("rdma_destroy_id(listen_1)", errno);
	if (destroy_id(listen))
		die("rdma_destroy_id(listen)", errno);
	if (destroy_id(id))
		die("rdma_destroy_id(id)", errno);
	rdma_destroy_event_channel(events2);
	rdma_destroy_event_channel(events);
	err = ibv_destroy_ah(ah);
	if (err)
		die("ibv_destroy_ah(ah)", err);
	err = ibv_destroy_qp(qp);
	if (err)
		die("ibv_destroy_qp(qp)", err);
	err = ibv_destroy_qp(u);
	if (err)
		die("ibv_destroy_qp(u)", err);
	err = ibv_destroy_qp(b);
	if (err)
		die("ibv_destroy_qp(b)", err);
	err = ibv_destroy_qp(a);
	if (err)
		die("ibv_destroy_qp(a)", err);
	err = ibv_destroy_srq(srq);
	if (err)
		die("ibv_destroy_srq(srq)", err);
	err = ibv_destroy_cq(cq);
	if (err)
		die("ibv_destroy_cq(cq)", err);
	err = ibv_destroy_comp_channel(ch);
	if (err)
		die("ibv_destroy_comp_channel(ch)", err);
	err = dereg_mr(buf);
	if (err)
		die("ibv_dereg_mr(buf)", err);
	err = dereg_mr(mr);
	if (err)
		die("ibv_dereg_mr(mr)", err);
	err = dereg_mr(dst);
	if (err)
		die("ibv_dereg_mr(dst)", err);
	err = dereg_mr(src);
	if (err)
		die("ibv_dereg_mr(src)", err);
	err = ibv_dealloc_pd(pd);
	if (err)
		die("ibv_dealloc_pd(pd)", err);
	return 0;
}
