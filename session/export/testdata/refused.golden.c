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
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <linux/memfd.h>
#include <linux/udmabuf.h>
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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef DEVICE
#define DEVICE "soft0"
#endif
#ifndef PORT
#define PORT 1
#endif
#ifndef GID_INDEX
#define GID_INDEX 1
#endif
#ifndef SERVER
#define SERVER "10.9.0.1"
#endif
#ifndef SERVER_PORT
#define SERVER_PORT 18515
#endif
#ifndef SERVER_2
#define SERVER_2 "localhost"
#endif
#ifndef SERVER_3
#define SERVER_3 "10.9.0.2"
#endif
#ifndef SERVER_4
#define SERVER_4 "res"
#endif
#ifndef SERVER_5
#define SERVER_5 "::1"
#endif
#ifndef SERVER_6
#define SERVER_6 "soft0"
#endif
#ifndef SERVER_7
#define SERVER_7 "res2"
#endif
#ifndef SERVER_8
#define SERVER_8 "239.1.2.3"
#endif
#ifndef SERVER_9
#define SERVER_9 "10.0.0.2"
#endif
#ifndef SERVER_10
#define SERVER_10 "res2.next17.dst_addr"
#endif
#ifndef SERVER_11
#define SERVER_11 "res2.next0.dst_addr"
#endif
#ifndef SERVER_12
#define SERVER_12 "id.next1"
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

static struct ibv_device_attr device_attr_of(struct ibv_context *context)
{
	struct ibv_device_attr attr;
	int err;

	err = ibv_query_device(context, &attr);
	if (err)
		die("ibv_query_device", err);
	return attr;
}

/* Returns milliseconds of the monotonic clock, so that setting the time does no harm. */
static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
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

/* Waits for a client and receives its address. Ours is sent later. */
static struct peer exchange_as_server(int port, int64_t timeout_ms)
{
	struct sockaddr *address = address_of(NULL, port);
	struct peer other = { .sock = -1 };
	int listener, one = 1;

	listener = socket(address->sa_family, SOCK_STREAM, 0);
	if (listener < 0)
		die("socket", errno);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, address, sizeof(struct sockaddr_in6)) || listen(listener, 1))
		die("exchange: listen", errno);
	if (!readable(listener, now_ms() + timeout_ms))
		die("exchange: no peer connected", ETIMEDOUT);
	other.sock = accept(listener, NULL, NULL);
	if (other.sock < 0)
		die("exchange: accept", errno);
	close(listener);
	receive_address(&other);
	return other;
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

/* Fills memory with the repeating bytes 0, 1 ... 250, starting at position from. */
static void fill_pattern(void *at, size_t length, size_t from)
{
	uint8_t *byte = at;
	size_t i;

	for (i = 0; i < length; i++)
		byte[i] = (uint8_t)((from + i) % 251);
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

/* Sends our address and waits for the client's "done". Then sends our regions and
 * receives the client's; a stock pingpong program sends none. */
static void finish_as_server(struct peer *other, const struct peer *own, bool regions)
{
	char word[sizeof("done")] = "";
	size_t got = 0;
	ssize_t n;

	send_address(other->sock, own);
	while (got < sizeof(word)) {
		n = read(other->sock, word + got, sizeof(word) - got);
		if (n <= 0)
			die("exchange: read", n ? errno : ECONNRESET);
		got += (size_t)n;
	}
	if (memcmp(word, "done", sizeof(word)))
		die("exchange: the client did not send \"done\"", EPROTO);
	if (regions && send_regions(other->sock, own))
		receive_regions(other, 500);
	close(other->sock);
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

/* Returns the RoCE GID of an IP address; an IPv4 address is mapped to IPv6. */
static union ibv_gid gid_of_address(const struct sockaddr *address)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (address->sa_family == AF_INET6)
		memcpy(gid.raw, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
	return gid;
}

/* Returns the attributes with which the connection manager would bring a queue pair
 * to a state. */
static struct ibv_qp_attr init_attr_of(struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rdma_init_qp_attr(id, &attr, &mask))
		die("rdma_init_qp_attr", errno);
	return attr;
}

/* Reports whether memory of room bytes begins with the whole content of a file. */
static bool is_file(const char *path, const void *at, size_t room)
{
	const uint8_t *byte = at;
	FILE *file = fopen(path, "rb");
	bool same = file;
	int c;

	while (same && (c = fgetc(file)) != EOF) {
		same = room > 0 && c == *byte++;
		room--;
	}
	if (file)
		fclose(file);
	return same;
}

/* Reports whether memory holds the repeating bytes 0, 1 ... 250 from position from. */
static bool is_pattern(const void *at, size_t length, size_t from)
{
	const uint8_t *byte = at;
	size_t i;

	for (i = 0; i < length; i++)
		if (byte[i] != (uint8_t)((from + i) % 251))
			return false;
	return true;
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

/* Reads a big-endian number of size bytes. */
static uint64_t load_be(const void *at, int size)
{
	const uint8_t *byte = at;
	uint64_t value = 0;

	while (size--)
		value = value << 8 | *byte++;
	return value;
}

/* Reads a whole file into memory of room bytes. */
static void load_file(const char *path, void *at, size_t room)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		die(path, errno);
	if (fread(at, 1, room, file) == room && fgetc(file) != EOF)
		die(path, EFBIG);
	if (ferror(file))
		die(path, EIO);
	fclose(file);
}

/* Maps a part of an open file and closes it; returns MAP_FAILED and sets errno on failure. */
static void *map_open(int fd, off_t offset, size_t length)
{
	void *memory = MAP_FAILED;
	struct stat file;
	int protection = PROT_READ | PROT_WRITE, err;

	if (fd < 0)
		return MAP_FAILED;
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		protection = PROT_READ;
	if (!fstat(fd, &file)) {
		if (length > (size_t)file.st_size || offset > (off_t)(file.st_size - length))
			errno = EINVAL; /* beyond the end of the file */
		else
			memory = mmap(NULL, length, protection, MAP_SHARED, fd, offset);
	}
	err = errno;
	close(fd);
	errno = err;
	return memory;
}

/* Maps a part of a file; read-only if the file cannot be opened for writing. */
static void *map_file(const char *path, off_t offset, size_t length)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS || errno == ETXTBSY))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return map_open(fd, offset, length);
}

/* Maps huge pages of 2^size_bits bytes; size_bits 0 is the system's default. */
static void *map_huge(size_t length, int size_bits)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size_bits << 26; /* MAP_HUGE_SHIFT */

	return mmap(NULL, length, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* Shared memory objects that this program has created. */
static struct {
	const char *names[64];
	size_t n;
} made_shm;

static void unlink_shm(void)
{
	while (made_shm.n > 0)
		shm_unlink(made_shm.names[--made_shm.n]);
}

/* Maps a part of a shared memory object. If there is none of that name, it is created,
 * and removed when the program exits. */
static void *map_shm(const char *name, off_t offset, size_t length)
{
	int fd = shm_open(name, O_RDWR, 0), err;

	if (fd < 0 && errno == ENOENT && made_shm.n < sizeof(made_shm.names) / sizeof(*made_shm.names)) {
		fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			return MAP_FAILED;
		if (made_shm.n == 0)
			atexit(unlink_shm);
		made_shm.names[made_shm.n++] = name;
		err = posix_fallocate(fd, 0, offset + length);
		if (err) {
			errno = err;
			return MAP_FAILED;
		}
	}
	return map_open(fd, offset, length);
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

/* Returns one of the two numbers in the peer's private data; which is 0 or 1. Both
 * have 64 bits or both 32. The connection manager pads with zeros, and a second
 * number of 64 bits is never zero: zeros in bytes 8 to 15 mean 32 bits. */
static uint64_t number_of_pair(const struct cm_event *told, size_t which)
{
	const uint8_t *data = told->private_data;
	size_t size = told->private_data_len >= 16 && load_be(data + 8, 8) ? 8 : 4;

	return told->private_data_len >= 2 * size ? load_be(data + which * size, (int)size) : 0;
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

/* Takes n completions as poll_cq does. A disconnect ends the wait early and is no
 * failure. Returns false on timeout. */
static bool poll_cq_while(struct ibv_cq *queue, int n, int64_t timeout_ms, struct rdma_cm_id *id)
{
	int64_t deadline = now_ms() + timeout_ms;

	do {
		n -= poll_cq(queue, n, 0);
		if (n <= 0)
			return true;
		read_cm_events(id->channel, 0);
		if (last_cm_event(id)->type == RDMA_CM_EVENT_DISCONNECTED) {
			poll_cq(queue, n, 0); /* completions from before the disconnect */
			return true;
		}
	} while (now_ms() < deadline);
	return false;
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

/* Maps a part of a dma-buf and registers it at the same addresses; returns NULL and
 * sets errno on failure. */
static struct ibv_mr *reg_dmabuf(struct ibv_pd *domain, int fd, off_t offset, size_t length, int access)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	struct ibv_mr *region;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	region = ibv_reg_dmabuf_mr(domain, offset, length, (uintptr_t)memory, fd, access);
	if (region) {
		region->addr = memory; /* the library sets it to the offset */
		return region;
	}
	err = errno;
	munmap(memory, length);
	errno = err;
	return NULL;
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

/* Creates a dma-buf from zeroed memory with udmabuf and registers it; returns NULL and
 * sets errno on failure. */
static struct ibv_mr *reg_udmabuf(struct ibv_pd *domain, off_t offset, size_t length, int access)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = offset + length };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int pages = syscall(SYS_memfd_create, "buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING), buffer = -1, err;
	struct ibv_mr *region = NULL;

	/* F_ADD_SEALS, F_SEAL_SHRINK: udmabuf requires memory that cannot shrink */
	if (device >= 0 && pages >= 0 && !ftruncate(pages, create.size) && !fcntl(pages, 1033, 2)) {
		create.memfd = pages;
		buffer = ioctl(device, UDMABUF_CREATE, &create);
	}
	if (buffer >= 0)
		region = reg_dmabuf(domain, buffer, offset, length, access);
	err = errno;
	if (device >= 0)
		close(device);
	if (pages >= 0)
		close(pages);
	if (buffer >= 0)
		close(buffer); /* the region and the mapping keep it alive */
	errno = err;
	return region;
}

/* Returns the peer's region of that name, or its first one if name is NULL. */
static const struct peer_region *region_of(const struct peer *other, const char *name)
{
	unsigned int i;

	for (i = 0; i < other->number_regions; i++)
		if (!name || !strcmp(other->regions[i].name, name))
			return &other->regions[i];
	fprintf(stderr, "the peer sent no region %s\n", name ? name : "at all");
	exit(1);
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

static struct ibv_srq_attr srq_attr_of(struct ibv_srq *queue)
{
	struct ibv_srq_attr attr;
	int err;

	err = ibv_query_srq(queue, &attr);
	if (err)
		die("ibv_query_srq", err);
	return attr;
}

/* Stores a big-endian number of size bytes. */
static void store_be(void *at, int size, uint64_t value)
{
	uint8_t *byte = at;

	while (size--) {
		byte[size] = (uint8_t)value;
		value >>= 8;
	}
}

/* Stores a little-endian number of size bytes. */
static void store_le(void *at, int size, uint64_t value)
{
	uint8_t *byte = at;
	int i;

	for (i = 0; i < size; i++) {
		byte[i] = (uint8_t)value;
		value >>= 8;
	}
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

/* Returns an identifier's newest event that carries data from the peer. */
static struct cm_event *told_by_peer(struct rdma_cm_id *id)
{
	struct cm_event *last = last_cm_event(id);
	size_t i;

	for (i = number_cm_events; i > 0 && i + 256 > number_cm_events; i--) {
		struct cm_event *event = &cm_events[(i - 1) % 256];

		if (event->id == id && (event->private_data_len || event->peer_qp_num))
			return event;
	}
	return last;
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
	struct ibv_mw *w1 = NULL;
	struct ibv_mw *w2 = NULL;
	struct ibv_mr *buffer = NULL;
	struct ibv_mr *own = NULL;
	struct ibv_dm *d = NULL;
	struct ibv_mr *whole = NULL;
	struct ibv_mr *piece = NULL;
	struct ibv_comp_channel *ch = NULL;
	struct ibv_cq *cq = NULL;
	struct ibv_cq *plain = NULL;
	struct ibv_srq *srq = NULL;
	struct ibv_qp *a = NULL;
	struct ibv_qp *b = NULL;
	struct ibv_qp *u = NULL;
	uint32_t b_psn = random_psn();
	struct ibv_ah *ah = NULL;
	struct ibv_ah *ah2 = NULL;
	struct ibv_ah *back = NULL;
	struct ibv_mr *big = NULL;
	struct rdma_event_channel *events = NULL;
	struct rdma_event_channel *plainevents = NULL;
	struct rdma_cm_id *polled = NULL;
	struct rdma_event_channel *polled_channel = NULL;
	struct rdma_cm_id *synced = NULL;
	struct rdma_cm_id *own_id = NULL;
	struct rdma_cm_id *id = NULL;
	struct rdma_cm_id *listener = NULL;
	struct rdma_addrinfo *res = NULL;
	struct rdma_addrinfo *res2 = NULL;
	struct rdma_cm_id *req = NULL;
	struct rdma_cm_id *req2 = NULL;
	struct ibv_ah *ah3 = NULL;
	struct peer p1 = { .sock = -1 };
	uint32_t a_psn = random_psn();
	struct peer p1_own = { .sock = -1 };
	struct peer p2 = { .sock = -1 };
	struct peer p2_own = { .sock = -1 };
	struct peer p6 = { .sock = -1 };
	struct peer p6_own = { .sock = -1 };
	struct peer p5 = { .sock = -1 };
	struct peer p3 = { .sock = -1 };
	struct peer p4 = { .sock = -1 };
	struct ibv_cq *third = NULL;
	struct ibv_qp *fresh = NULL;
	uint32_t fresh_psn = random_psn();
	struct ibv_pd *managed = NULL;
	struct ibv_cq *fourth = NULL;
	struct ibv_ah *ah4 = NULL;
	struct ibv_mr *log = NULL;
	struct ibv_mr *ring = NULL;
	struct ibv_mr *huge = NULL;
	struct ibv_mr *pages = NULL;
	struct ibv_cq *stamped = NULL;
	struct ibv_qp *wr = NULL;
	struct ibv_qp *wu = NULL;
	struct ibv_mw *w3 = NULL;
	struct rdma_cm_id *ep = NULL;
	struct rdma_cm_id *bare = NULL;
	struct rdma_cm_id *given = NULL;
	struct ibv_mr *m1 = NULL;
	struct ibv_mr *m2 = NULL;
	struct ibv_mr *m3 = NULL;
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

	/*
	 * query_port soft0
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_port_attr attr = { .state = IBV_PORT_NOP };

		must_fail("ibv_query_port(soft0)", ibv_query_port(soft0, port_num, &attr), 0);
		printf("port %d: %s, max_mtu %d, active_mtu %d, lid %d\n", port_num, ibv_port_state_str(attr.state),
			128 << attr.max_mtu, 128 << attr.active_mtu, attr.lid);
	}

	/*
	 * query_gid soft0
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: all rows of a table are read one by one. */

	/*
	 * query_gid soft0 port_num=2 index=3
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = { .raw = { 0 } };

		must_fail("ibv_query_gid(soft0)", ibv_query_gid(soft0, 2, 3, &gid) ? errno : 0, 0);
		show_gid(3, gid);
	}

	/*
	 * get_async_event soft0
	 * It failed: EINVAL, it was refused
	 */
	expect(!(get_async_event(soft0, -1, NULL, 1000)), "this should fail: an asynchronous event comes in time");

	/*
	 * fault soft0 off
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: only rdmatui's software device injects faults. */

	/*
	 * capture soft0 off
	 * It failed: EINVAL, it was refused
	 */
	/*
	 * Not in this program: rdmatui captures packets of its software device; a program can use
	 * tcpdump.
	 */

	/* alloc_pd pd */
	pd = ibv_alloc_pd(soft0);
	if (!pd)
		die("ibv_alloc_pd(soft0)", errno);

	/* reg_mr src pd=pd length=4096 */
	src = reg_mr(pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!src)
		die("ibv_reg_mr(pd)", errno);

	/*
	 * reg_mr dst pd=pd length=src.length
	 * access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND|ZERO_BASED
	 */
	dst = reg_mr(pd, src->length, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED);
	if (!dst)
		die("ibv_reg_mr(pd)", errno);

	/*
	 * rereg_mr dst length=8192
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_rereg_mr(dst)", rereg_mr(dst, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, 8192, 0), 0);

	/*
	 * rereg_mr dst pd=pd
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_rereg_mr(dst)", rereg_mr(dst, IBV_REREG_MR_CHANGE_PD, pd, 0, 0), 0);

	/* alloc_mw w1 type=TYPE_1 */
	w1 = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	if (!w1)
		die("ibv_alloc_mw(pd)", errno);

	/* alloc_mw w2 type=TYPE_2 pd=pd */
	w2 = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	if (!w2)
		die("ibv_alloc_mw(pd)", errno);

	/* reg_mr buffer pd=pd length=4096 backing=dmabuf:3 offset=4096 */
	buffer = reg_dmabuf(pd, 3, 4096, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!buffer)
		die("ibv_reg_dmabuf_mr(pd)", errno);

	/* reg_mr own pd=pd length=4096 backing=dmabuf:udmabuf access=LOCAL_WRITE|REMOTE_READ */
	own = reg_udmabuf(pd, 0, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!own)
		die("ibv_reg_dmabuf_mr(pd)", errno);

	/*
	 * dereg_mr buffer
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dereg_mr(buffer)", dereg_mr(buffer), 0);

	/*
	 * dereg_mr own
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dereg_mr(own)", dereg_mr(own), 0);

	/* alloc_dm d device=soft0 length=src.length log_align_req=6 */
	d = alloc_dm(soft0, src->length, 6);
	if (!d)
		die("ibv_alloc_dm(soft0)", errno);

	/* reg_mr whole pd=pd dm=d length=4096 access=LOCAL_WRITE|ZERO_BASED */
	whole = ibv_reg_dm_mr(pd, d, 0, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	if (!whole)
		die("ibv_reg_dm_mr(pd)", errno);

	/* reg_mr piece pd=pd dm=d length=64 offset=64 access=LOCAL_WRITE|REMOTE_READ|ZERO_BASED */
	piece = ibv_reg_dm_mr(pd, d, 64, 64, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED);
	if (!piece)
		die("ibv_reg_dm_mr(pd)", errno);

	/*
	 * memcpy_to_dm d src length=64
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_memcpy_to_dm(d)", ibv_memcpy_to_dm(d, 0, src->addr, 64), 0);

	/*
	 * memcpy_to_dm d src length=src.length dm_offset=8 offset=16
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_memcpy_to_dm(d)", ibv_memcpy_to_dm(d, 8, (char *)src->addr + 16, src->length), 0);

	/*
	 * memcpy_from_dm dst d length=64 dm_offset=4
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_memcpy_from_dm(d)", ibv_memcpy_from_dm(dst->addr, d, 4, 64), 0);

	/*
	 * dereg_mr piece
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dereg_mr(piece)", ibv_dereg_mr(piece), 0);

	/*
	 * dereg_mr whole
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dereg_mr(whole)", ibv_dereg_mr(whole), 0);

	/*
	 * write_mem src hex:00ff10
	 * It failed: EINVAL, it was refused
	 */
	memcpy(src->addr, "hex:00ff10", 10);

	/*
	 * write_mem src be32:7 offset=4
	 * It failed: EINVAL, it was refused
	 */
	store_be((char *)src->addr + 4, 4, 7);

	/*
	 * write_mem src le64:0x1122334455667788 offset=src.length
	 * It failed: EINVAL, it was refused
	 */
	store_le((char *)src->addr + src->length, 8, 0x1122334455667788ULL);

	/*
	 * write_mem src pattern:100
	 * It failed: EINVAL, it was refused
	 */
	fill_pattern(src->addr, 100, 0);

	/*
	 * write_mem src zero:64 offset=64
	 * It failed: EINVAL, it was refused
	 */
	memcpy((char *)src->addr + 64, "zero:64", 7);

	/*
	 * copy_mem src dst length=8 from_offset=8 to_offset=16
	 * It failed: EINVAL, it was refused
	 */
	copy_bytes(dst, 16, src, 8, 8);

	/*
	 * input src
	 * It failed: EINVAL, it was refused
	 */
	read_line(src, "input", NULL);

	/*
	 * input src prompt="say"
	 * It failed: EINVAL, it was refused
	 */
	read_line(src, "say", NULL);

	/*
	 * read_mem dst
	 * It failed: EINVAL, it was refused
	 */
	show_bytes("dst", dst, 0, 64);

	/*
	 * read_mem dst 8
	 * It failed: EINVAL, it was refused
	 */
	show_bytes("dst", dst, 8, 64);

	/* create_comp_channel ch device=soft0 */
	ch = ibv_create_comp_channel(soft0);
	if (!ch)
		die("ibv_create_comp_channel(soft0)", errno);

	/* create_cq cq device=soft0 cqe=16 channel=ch comp_vector=1 */
	cq = ibv_create_cq(soft0, 16, NULL, ch, 1);
	if (!cq)
		die("ibv_create_cq(soft0)", errno);

	/* create_cq plain device=soft0 */
	plain = ibv_create_cq(soft0, 64, NULL, NULL, 0);
	if (!plain)
		die("ibv_create_cq(soft0)", errno);

	/*
	 * resize_cq plain cqe=soft0.max_cqe
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_resize_cq(plain)", ibv_resize_cq(plain, device_attr_of(soft0).max_cqe), 0);

	/*
	 * req_notify_cq cq
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_req_notify_cq(cq)", ibv_req_notify_cq(cq, 0), 0);

	/*
	 * req_notify_cq cq solicited_only=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_req_notify_cq(cq)", ibv_req_notify_cq(cq, 1), 0);

	/*
	 * get_cq_event ch
	 * It failed: EINVAL, it was refused
	 */
	expect(!(get_cq_event(ch, 1000)), "this should fail: a completion event within 1s");

	/*
	 * ack_cq_events cq
	 * It failed: EINVAL, it was refused
	 */
	ibv_ack_cq_events(cq, 1);

	/*
	 * ack_cq_events cq n=3
	 * It failed: EINVAL, it was refused
	 */
	ibv_ack_cq_events(cq, 3);

	/*
	 * cq_mode cq mode=busy
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: the exported program polls only where a line does. */

	/* create_srq srq pd=pd max_wr=soft0.max_srq_wr max_sge=2 */
	srq = ibv_create_srq(pd, &(struct ibv_srq_init_attr){
		.attr = {
			.max_wr = device_attr_of(soft0).max_srq_wr,
			.max_sge = 2,
		},
	});
	if (!srq)
		die("ibv_create_srq(pd)", errno);

	/*
	 * modify_srq srq max_wr=32
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_srq(srq)", ibv_modify_srq(srq, &(struct ibv_srq_attr){ .max_wr = 32 }, IBV_SRQ_MAX_WR), 0);

	/*
	 * modify_srq srq srq_limit=4 max_wr=64
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_srq(srq)", ibv_modify_srq(srq, &(struct ibv_srq_attr){ .max_wr = 64, .srq_limit = 4 }, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), 0);

	/*
	 * query_srq srq
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_srq_attr attr = { .max_wr = 0 };

		must_fail("ibv_query_srq(srq)", ibv_query_srq(srq, &attr), 0);
		printf("srq: max_wr %u, max_sge %u, srq_limit %u\n", attr.max_wr, attr.max_sge, attr.srq_limit);
	}

	/*
	 * post_srq_recv srq
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_srq_recv(srq)", ibv_post_srq_recv(srq, &(struct ibv_recv_wr){ .wr_id = 0 }, &bad_recv_wr), 0);

	/*
	 * post_srq_recv srq wr_id=2 sge=dst count=srq.max_wr
	 * It failed: EINVAL, it was refused
	 */
	err = 0;
	for (unsigned int n = 0; n < srq_attr_of(srq).max_wr && !err; n++) {
		err = ibv_post_srq_recv(srq, &(struct ibv_recv_wr){
			.wr_id = 2,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = (uint32_t)dst->length,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
	}
	must_fail("ibv_post_srq_recv(srq)", err, 0);

	/*
	 * create_qp a pd=pd send_cq=cq recv_cq=plain qp_type=RC max_send_wr=16 max_recv_wr=8
	 * max_send_sge=2 max_recv_sge=3 max_inline_data=64 sq_sig_all=1
	 */
	a = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = plain,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 8,
			.max_send_sge = 2,
			.max_recv_sge = 3,
			.max_inline_data = 64,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	});
	if (!a)
		die("ibv_create_qp(pd)", errno);

	/* create_qp b pd=pd send_cq=cq srq=srq qp_type=UC */
	b = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_UC,
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

	/*
	 * modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, INIT)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = port_num,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	}, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT), 0);

	/*
	 * modify_qp u INIT pkey_index=0 port_num=1 qkey=0x11111111
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(u, INIT)", ibv_modify_qp(u, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = port_num,
		.qkey = 0x11111111,
	}, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);

	/*
	 * modify_qp a RTR path_mtu=256 dest_qp_num=b.qp_num rq_psn=b.sq_psn max_dest_rd_atomic=1
	 * min_rnr_timer=12 dgid=b.gid sgid_index=1 hop_limit=3 traffic_class=8 flow_label=9
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTR)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_256,
		.dest_qp_num = b->qp_num,
		.rq_psn = b_psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.grh = {
				.dgid = gid_at(b->context, port_num, gid_index),
				.flow_label = 9,
				.sgid_index = gid_index,
				.hop_limit = 3,
				.traffic_class = 8,
			},
		},
	}, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN | IBV_QP_MIN_RNR_TIMER |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_DEST_QPN), 0);

	/*
	 * modify_qp a RTR is_global=0 dlid=b.lid sl=3 src_path_bits=1 static_rate=2 ah_port_num=2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTR)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.ah_attr = {
			.dlid = port_attr_of(b->context, port_num).lid,
			.sl = 3,
			.src_path_bits = 1,
			.static_rate = 2,
			.is_global = 0,
			.port_num = 2,
		},
	}, IBV_QP_STATE | IBV_QP_AV), 0);

	/*
	 * modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTS)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0x222,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	}, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN), 0);

	/*
	 * modify_qp a SQD en_sqd_async_notify=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, SQD)", ibv_modify_qp(a, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 }, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);

	/*
	 * modify_qp a RTS cur_qp_state=SQD path_mig_state=REARM alt_timeout=5 alt_port_num=1
	 * alt_pkey_index=0 alt_dgid=::1 rate_limit=10
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTS)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_SQD,
		.path_mig_state = IBV_MIG_REARM,
		.alt_timeout = 5,
		.alt_port_num = port_num,
		.alt_pkey_index = 0,
		.alt_ah_attr = { .grh = { .dgid = gid_from("::1") } },
		.rate_limit = 10,
	}, IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE |
		IBV_QP_RATE_LIMIT), 0);

	/*
	 * modify_qp a ERR
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, ERR)", ibv_modify_qp(a, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE), 0);

	/*
	 * modify_qp a RESET
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RESET)", ibv_modify_qp(a, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE), 0);

	/*
	 * query_qp a
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };
		struct ibv_qp_init_attr init_attr;

		must_fail("ibv_query_qp(a)", ibv_query_qp(a, &attr, (1 << 21) - 1, &init_attr), 0);
		printf("a: state %d, dest_qp_num 0x%06x, sq_psn 0x%06x, rq_psn 0x%06x\n",
			attr.qp_state, attr.dest_qp_num, attr.sq_psn, attr.rq_psn);
	}

	/*
	 * connect_qps a b
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: there was nothing left to do. */

	/*
	 * connect_qps a b port_num=2 pkey_index=1 path_mtu=2048 sgid_index=2 qkey=3
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: there was nothing left to do. */

	/*
	 * create_ah ah pd=pd dgid=b.gid port_num=2 sgid_index=1 hop_limit=9 traffic_class=1
	 * flow_label=2
	 */
	ah = ibv_create_ah(pd, &(struct ibv_ah_attr){
		.grh = {
			.dgid = gid_at(b->context, port_num, gid_index),
			.flow_label = 2,
			.sgid_index = gid_index,
			.hop_limit = 9,
			.traffic_class = 1,
		},
		.port_num = 2,
	});
	if (!ah)
		die("ibv_create_ah(pd)", errno);

	/* create_ah ah2 pd=pd dlid=5 sl=1 src_path_bits=2 static_rate=3 is_global=0 */
	ah2 = ibv_create_ah(pd, &(struct ibv_ah_attr){
		.grh = { .hop_limit = 64 },
		.dlid = 5,
		.sl = 1,
		.src_path_bits = 2,
		.static_rate = 3,
		.is_global = 0,
		.port_num = port_num,
	});
	if (!ah2)
		die("ibv_create_ah(pd)", errno);

	/* create_ah_from_wc back pd=pd cq=cq mr=dst offset=40 port_num=2 */
	back = ibv_create_ah_from_wc(pd, last_wc(cq), (struct ibv_grh *)((char *)dst->addr + 40), 2);
	if (!back)
		die("ibv_create_ah_from_wc(pd)", errno);

	/*
	 * attach_mcast u gid=239.1.2.3 lid=0xc000
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = gid_from("::ffff:239.1.2.3");

		must_fail("ibv_attach_mcast(u)", ibv_attach_mcast(u, &gid, 0xc000), 0);
	}

	/*
	 * post_send a SEND
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, SEND)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 0,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, &bad_wr), 0);

	/*
	 * post_send a SEND_WITH_IMM wr_id=1 sge=src:0:8,dst:8:8 send_flags=SIGNALED|SOLICITED
	 * imm_data=0x1234
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, SEND_WITH_IMM)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 1,
		.sg_list = (struct ibv_sge[]){
			{
				.addr = (uintptr_t)src->addr,
				.length = 8,
				.lkey = src->lkey,
			},
			{
				.addr = (uintptr_t)dst->addr + 8,
				.length = 8,
				.lkey = dst->lkey,
			},
		},
		.num_sge = 2,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
		.imm_data = htonl(0x1234),
	}, &bad_wr), 0);

	/*
	 * post_send a SEND_WITH_INV wr_id=2 sge=src invalidate_rkey=dst.rkey send_flags=INLINE
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, SEND_WITH_INV)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 2,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_INLINE,
		.invalidate_rkey = dst->rkey,
	}, &bad_wr), 0);

	/*
	 * post_send a RDMA_WRITE wr_id=3 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * send_flags=FENCE|SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, RDMA_WRITE)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 3,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 8,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_FENCE | IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = (uintptr_t)dst->addr,
			.rkey = dst->rkey,
		},
	}, &bad_wr), 0);

	/*
	 * post_send a RDMA_WRITE_WITH_IMM wr_id=4 sge=src remote_addr=dst.be64.8 rkey=dst.be32.16
	 * imm_data=7
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, RDMA_WRITE_WITH_IMM)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 4,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(7),
		.wr.rdma = {
			.remote_addr = load_be((char *)dst->addr + 8, 8),
			.rkey = load_be((char *)dst->addr + 16, 4),
		},
	}, &bad_wr), 0);

	/*
	 * post_send a RDMA_READ wr_id=5 sge=dst:0:8 remote_addr=dst.addr rkey=w1.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, RDMA_READ)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 5,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 8,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = (uintptr_t)dst->addr,
			.rkey = w1->rkey,
		},
	}, &bad_wr), 0);

	/*
	 * post_send a ATOMIC_CMP_AND_SWP wr_id=6 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=1 swap=2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, ATOMIC_CMP_AND_SWP)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 6,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 8,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = {
			.remote_addr = (uintptr_t)dst->addr,
			.compare_add = 1,
			.swap = 2,
			.rkey = dst->rkey,
		},
	}, &bad_wr), 0);

	/*
	 * post_send a ATOMIC_FETCH_AND_ADD wr_id=7 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=3
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, ATOMIC_FETCH_AND_ADD)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 7,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 8,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = {
			.remote_addr = (uintptr_t)dst->addr,
			.compare_add = 3,
			.rkey = dst->rkey,
		},
	}, &bad_wr), 0);

	/*
	 * post_send a LOCAL_INV wr_id=8 invalidate_rkey=w2.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, LOCAL_INV)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 8,
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = w2->rkey,
	}, &bad_wr), 0);

	/*
	 * post_send a BIND_MW wr_id=9 mw=w2 mr=dst addr=dst.addr length=64 mw_access_flags=REMOTE_READ
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, BIND_MW)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 9,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = w2,
			.rkey = ibv_inc_rkey(w2->rkey),
			.bind_info = {
				.mr = dst,
				.addr = (uintptr_t)dst->addr,
				.length = 64,
				.mw_access_flags = IBV_ACCESS_REMOTE_READ,
			},
		},
	}, &bad_wr), 0);

	/*
	 * post_send u SEND wr_id=10 sge=src:0:8 ah=ah remote_qpn=cq.src_qp remote_qkey=0x11111111
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(u, SEND)", ibv_post_send(u, &(struct ibv_send_wr){
		.wr_id = 10,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 8,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {
			.ah = ah,
			.remote_qpn = last_wc(cq)->src_qp,
			.remote_qkey = 0x11111111,
		},
	}, &bad_wr), 0);

	/*
	 * post_send a SEND wr_id=11 sge=src:0:8 count=100 outstanding=8 signal_every=4
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a run that fails cannot be made to fail again. */

	/*
	 * post_recv a
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(a)", ibv_post_recv(a, &(struct ibv_recv_wr){ .wr_id = 0 }, &bad_recv_wr), 0);

	/*
	 * post_recv a wr_id=12 sge=dst:0:64,src:0:64
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(a)", ibv_post_recv(a, &(struct ibv_recv_wr){
		.wr_id = 12,
		.sg_list = (struct ibv_sge[]){
			{
				.addr = (uintptr_t)dst->addr,
				.length = 64,
				.lkey = dst->lkey,
			},
			{
				.addr = (uintptr_t)src->addr,
				.length = 64,
				.lkey = src->lkey,
			},
		},
		.num_sge = 2,
	}, &bad_recv_wr), 0);

	/*
	 * post_recv a wr_id=13 sge=dst count=8
	 * It failed: EINVAL, it was refused
	 */
	err = 0;
	for (unsigned int n = 0; n < 8 && !err; n++) {
		err = ibv_post_recv(a, &(struct ibv_recv_wr){
			.wr_id = 13,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = (uint32_t)dst->length,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
	}
	must_fail("ibv_post_recv(a)", err, 0);

	/*
	 * bind_mw a w1 mr=dst
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_bind_mw(a, w1)", ibv_bind_mw(a, w1, &(struct ibv_mw_bind){
		.wr_id = 0,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = dst,
			.addr = (uintptr_t)dst->addr,
			.length = dst->length,
			.mw_access_flags = 0,
		},
	}), 0);

	/*
	 * bind_mw a w1 mr=dst addr=dst.addr mw_access_flags=REMOTE_WRITE|ZERO_BASED wr_id=5
	 * send_flags=SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_bind_mw(a, w1)", ibv_bind_mw(a, w1, &(struct ibv_mw_bind){
		.wr_id = 5,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = dst,
			.addr = (uintptr_t)dst->addr,
			.length = (uintptr_t)dst->addr + dst->length - ((uintptr_t)dst->addr),
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED,
		},
	}), 0);

	/*
	 * bind_mw a w1 length=0
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_bind_mw(a, w1)", ibv_bind_mw(a, w1, &(struct ibv_mw_bind){
		.wr_id = 0,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = dst, .length = 0 },
	}), 0);

	/*
	 * poll_cq cq
	 * It failed: EINVAL, it was refused
	 */
	expect(!(poll_cq(cq, 1, 0) >= 0), "this should fail: 1 completion within 0s");

	/*
	 * poll_cq cq n=2 timeout=0s
	 * It failed: EINVAL, it was refused
	 */
	expect(!(poll_cq(cq, 2, 0) >= 0), "this should fail: 2 completions within 0s");

	/*
	 * poll_cq cq n=3 timeout=2s
	 * It failed: EINVAL, it was refused
	 */
	expect(!(poll_cq(cq, 3, 2000) == 3), "this should fail: 3 completions within 2s");

	/*
	 * pingpong a role=server size=128 n=10
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a run that fails cannot be made to fail again. */

	/*
	 * pingpong u ah=ah remote_qpn=5 remote_qkey=6 role=client event=1 validate=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: a run that fails cannot be made to fail again. */

	/*
	 * expect wc cq=cq qp=a wr_id=7 status=RNR_RETRY_EXC_ERR vendor_err=0
	 * It failed: EINVAL, it was refused
	 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->cq == cq &&
		    taken->wc.qp_num == a->qp_num &&
		    taken->wc.wr_id == 7 &&
		    taken->wc.status == IBV_WC_RNR_RETRY_EXC_ERR &&
		    taken->wc.vendor_err == 0)
			break;
	expect(!(taken), "this should fail: the completion cq=cq qp=a wr_id=7 status=RNR_RETRY_EXC"
		"_ERR vendor_err=0");

	/*
	 * expect wc cq=cq wr_id=8 opcode=RECV imm_data=0x1234 byte_len=dst.length src_qp=u.qp_num
	 * wc_flags=GRH|WITH_IMM qp_num=b.qp_num
	 * It failed: EINVAL, it was refused
	 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->cq == cq &&
		    taken->wc.wr_id == 8 &&
		    taken->wc.status == IBV_WC_SUCCESS &&
		    taken->wc.opcode == IBV_WC_RECV &&
		    taken->wc.byte_len == dst->length &&
		    (taken->wc.wc_flags & IBV_WC_WITH_IMM) &&
		    ntohl(taken->wc.imm_data) == 0x1234 &&
		    taken->wc.qp_num == b->qp_num &&
		    taken->wc.src_qp == u->qp_num &&
		    taken->wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM))
			break;
	expect(!(taken), "this should fail: the completion cq=cq wr_id=8 opcode=RECV byte_len=dst."
		"length imm_data=0x1234 qp_num=b.qp_num src_qp=u.qp_num wc_flags=GRH|WITH"
		"_IMM");

	/*
	 * expect wc invalidated_rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->wc.status == IBV_WC_SUCCESS &&
		    (taken->wc.wc_flags & IBV_WC_WITH_INV) &&
		    taken->wc.invalidated_rkey == dst->rkey)
			break;
	expect(!(taken), "this should fail: the completion invalidated_rkey=dst.rkey");

	/*
	 * expect mem dst 0 hex:0011
	 * It failed: EINVAL, it was refused
	 */
	expect(!(!memcmp(dst->addr, "hex:0011", 8)), "this should fail: what dst holds");

	/*
	 * expect mem dst 8 be32:7
	 * It failed: EINVAL, it was refused
	 */
	expect(!(load_be((char *)dst->addr + 8, 4) == 7), "this should fail: what dst holds");

	/*
	 * expect mem dst 8 pattern:32
	 * It failed: EINVAL, it was refused
	 */
	expect(!(is_pattern((char *)dst->addr + 8, 32, 0)), "this should fail: what dst holds");

	/*
	 * expect mem dst 0 zero:16
	 * It failed: EINVAL, it was refused
	 */
	expect(!(!memcmp(dst->addr, "zero:16", 7)), "this should fail: what dst holds");

	/*
	 * expect mem dst like=src
	 * It failed: EINVAL, it was refused
	 */
	expect(!(!memcmp(dst->addr, src->addr, src->length)), "this should fail: what dst holds");

	/*
	 * expect state a RTS
	 * It failed: EINVAL, it was refused
	 */
	expect(!(attr_of(a).qp_state == IBV_QPS_RTS), "this should fail: a is in RTS");

	/*
	 * expect async QP_LAST_WQE_REACHED qp=b
	 * It failed: EINVAL, it was refused
	 */
	expect(!(get_async_event(b->context, IBV_EVENT_QP_LAST_WQE_REACHED, b, 1000)), "this should fail: QP_LAST_WQE_REACHED comes in time");

	/*
	 * expect async SRQ_LIMIT_REACHED srq=srq timeout=1s
	 * It failed: EINVAL, it was refused
	 */
	expect(!(get_async_event(srq->context, IBV_EVENT_SRQ_LIMIT_REACHED, srq, 1000)), "this should fail: SRQ_LIMIT_REACHED comes in time");

	/*
	 * expect error EINVAL modify_qp a RTS sq_psn=0
	 * It failed: EINVAL, it was refused
	 */
	err = ibv_modify_qp(a, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = 0 }, IBV_QP_STATE | IBV_QP_SQ_PSN);
	if (err)
		die("ibv_modify_qp(a, RTS)", err);

	/*
	 * expect error ENOMEM reg_mr big pd=pd length=1099511627776
	 * It failed: EINVAL, it was refused
	 */
	big = reg_mr(pd, 1099511627776LL, IBV_ACCESS_LOCAL_WRITE);
	if (!big)
		die("ibv_reg_mr(pd)", errno);

	/* rdma_create_event_channel events mode=poll */
	events = rdma_create_event_channel();
	if (!events)
		die("rdma_create_event_channel", errno);
	if (fcntl(events->fd, F_SETFL, fcntl(events->fd, F_GETFL) | O_NONBLOCK))
		die("fcntl", errno);

	/* rdma_create_event_channel plainevents device=soft0 */
	plainevents = rdma_create_event_channel();
	if (!plainevents)
		die("rdma_create_event_channel", errno);

	/* rdma_create_id polled ps=TCP mode=poll */
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

	/* rdma_create_id own ps=TCP */
	if (rdma_create_id(plainevents, &own_id, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_create_id id channel=events ps=TCP */
	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP))
		die("rdma_create_id", errno);

	/* rdma_create_id listener channel=events ps=IB */
	if (rdma_create_id(events, &listener, NULL, RDMA_PS_IB))
		die("rdma_create_id", errno);

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

	/* rdma_getaddrinfo 10.9.0.2 name=res2 */
	if (rdma_getaddrinfo(SERVER_3, NULL, NULL, &res2))
		die("rdma_getaddrinfo", errno);

	/*
	 * rdma_bind_addr listener res
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_bind_addr(listener)", rdma_bind_addr(listener, address_of(SERVER_4, 0)) ? errno : 0, 0);

	/*
	 * rdma_bind_addr own ::1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_bind_addr(own_id)", rdma_bind_addr(own_id, address_of(SERVER_5, 0)) ? errno : 0, 0);

	/*
	 * rdma_listen listener backlog=4
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_listen(listener)", rdma_listen(listener, 4) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr id soft0 port=listener.port
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(id)", rdma_resolve_addr(id, NULL, address_of(SERVER_6, ntohs(rdma_get_src_port(listener))), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own res2 src=10.9.0.1 timeout=1s
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, address_of(server_name, 0), address_of(SERVER_7, 0), 1000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own 10.9.0.2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_3, 0), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_route id timeout=3s
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_route(id)", rdma_resolve_route(id, 3000) ? errno : 0, 0);

	/*
	 * rdma_create_qp id q1 pd=pd send_cq=cq recv_cq=plain qp_type=UD max_send_wr=3
	 * max_inline_data=9
	 */
	if (rdma_create_qp(id, pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = plain,
		.cap = {
			.max_send_wr = 3,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 9,
		},
		.qp_type = IBV_QPT_UD,
	}))
		die("rdma_create_qp(id)", errno);

	/* rdma_create_qp own q2 */
	if (rdma_create_qp(own_id, pd, &(struct ibv_qp_init_attr){
		.send_cq = plain,
		.recv_cq = plain,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	}))
		die("rdma_create_qp(own_id)", errno);

	/* rdma_create_qp listener q3 srq=srq sq_sig_all=1 */
	if (rdma_create_qp(listener, pd, &(struct ibv_qp_init_attr){
		.send_cq = plain,
		.recv_cq = plain,
		.srq = srq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	}))
		die("rdma_create_qp(listener)", errno);

	/*
	 * rdma_init_qp_attr id INIT qp=a
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
		int mask;

		must_fail("rdma_init_qp_attr(id)", rdma_init_qp_attr(id, &attr, &mask) ? errno : 0, 0);
		must_fail("ibv_modify_qp(a)", ibv_modify_qp(a, &attr, mask), 0);
	}

	/*
	 * rdma_init_qp_attr id RTS
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
		int mask;

		must_fail("rdma_init_qp_attr(id)", rdma_init_qp_attr(id, &attr, &mask) ? errno : 0, 0);
	}

	/*
	 * modify_qp a RTR qp_access_flags=id.RTR.qp_access_flags dest_qp_num=id.peer_qp_num
	 * rq_psn=id.RTR.rq_psn
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTR)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.qp_access_flags = init_attr_of(id, IBV_QPS_RTR).qp_access_flags,
		.dest_qp_num = told_by_peer(id)->peer_qp_num,
		.rq_psn = init_attr_of(id, IBV_QPS_RTR).rq_psn,
	}, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN), 0);

	/*
	 * rdma_connect id responder_resources=3 initiator_depth=id.initiator_depth flow_control=1
	 * rnr_retry_count=6 retry_count=5 srq=1 qp_num=a.qp_num private_data=be64:1
	 * It failed: EINVAL, it was refused
	 */
	{
		uint8_t data[8];

		store_be(data, 8, 1);
		must_fail("rdma_connect(id)", rdma_connect(id, &(struct rdma_conn_param){
			.private_data = data,
			.private_data_len = 8,
			.responder_resources = 3,
			.initiator_depth = told_by_peer(id)->initiator_depth,
			.flow_control = 1,
			.retry_count = 5,
			.rnr_retry_count = 6,
			.srq = 1,
			.qp_num = a->qp_num,
		}) ? errno : 0, 0);
	}

	/*
	 * rdma_connect own
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_connect(own_id)", rdma_connect(own_id, &(struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
	}) ? errno : 0, 0);

	/* rdma_get_cm_event CONNECT_REQUEST channel=events id=listener name=req */
	event = want_cm_event(get_cm_event(listener->channel, listener, 1000), RDMA_CM_EVENT_CONNECT_REQUEST);
	req = event->id;

	/* rdma_get_cm_event ESTABLISHED */
	want_cm_event(get_cm_event(plainevents, NULL, 1000), RDMA_CM_EVENT_ESTABLISHED);

	/* rdma_get_cm_event channel=events timeout=1s */
	event = get_cm_event(events, NULL, 1000);
	expect(event, "an event comes in time");

	/* rdma_get_request listener name=req2 */
	req2 = get_request(listener);

	/*
	 * rdma_accept req private_data=hex:01 responder_resources=req.responder_resources
	 * initiator_depth=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_accept(req)", rdma_accept(req, &(struct rdma_conn_param){
		.private_data = "hex:01",
		.private_data_len = 6,
		.responder_resources = told_by_peer(req)->responder_resources,
		.initiator_depth = 1,
		.flow_control = 1,
		.rnr_retry_count = 7,
	}) ? errno : 0, 0);

	/*
	 * rdma_accept req2 qp_num=a.qp_num srq=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_accept(req2)", rdma_accept(req2, &(struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.rnr_retry_count = 7,
		.srq = 1,
		.qp_num = a->qp_num,
	}) ? errno : 0, 0);

	/*
	 * rdma_reject req2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_reject(req2)", rdma_reject(req2, NULL, 0) ? errno : 0, 0);

	/*
	 * reject_all listener
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it rejects the pending requests on rdmatui's list. */

	/*
	 * rdma_establish id
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_establish(id)", rdma_establish(id) ? errno : 0, 0);

	/*
	 * rdma_notify id COMM_EST
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_notify(id)", rdma_notify(id, IBV_EVENT_COMM_EST) ? errno : 0, 0);

	/*
	 * rdma_set_option id REUSEADDR 1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_set_option(id, REUSEADDR)", rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &(int){ 1 }, sizeof(int)) ? errno : 0, 0);

	/*
	 * rdma_set_option id AFONLY 1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_set_option(id, AFONLY)", rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &(int){ 1 }, sizeof(int)) ? errno : 0, 0);

	/*
	 * rdma_set_option id ACK_TIMEOUT 14
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_set_option(id, ACK_TIMEOUT)", rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &(uint8_t){ 14 }, sizeof(uint8_t)) ? errno : 0, 0);

	/*
	 * rdma_join_multicast own 239.1.2.3
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_join_multicast(own_id)", rdma_join_multicast(own_id, address_of(SERVER_8, 0), NULL) ? errno : 0, 0);

	/*
	 * rdma_leave_multicast own 239.1.2.3
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_leave_multicast(own_id)", rdma_leave_multicast(own_id, address_of(SERVER_8, 0)) ? errno : 0, 0);

	/*
	 * rdma_migrate_id id plainevents
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_migrate_id(id)", rdma_migrate_id(id, plainevents) ? errno : 0, 0);

	/*
	 * post_send a RDMA_WRITE wr_id=20 sge=src remote_addr=id.private_data.be64.0
	 * rkey=id.private_data.be32.8
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, RDMA_WRITE)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 20,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = load_be((char *)told_by_peer(id)->private_data + 0, 8),
			.rkey = load_be((char *)told_by_peer(id)->private_data + 8, 4),
		},
	}, &bad_wr), 0);

	/*
	 * post_send a RDMA_WRITE wr_id=21 sge=src remote_addr=id.private_data.pair.0
	 * rkey=id.private_data.pair.1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a, RDMA_WRITE)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 21,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = number_of_pair(told_by_peer(id), 0),
			.rkey = number_of_pair(told_by_peer(id), 1),
		},
	}, &bad_wr), 0);

	/* create_ah ah3 pd=pd dgid=id.peer_gid sgid_index=1 */
	ah3 = ibv_create_ah(pd, &(struct ibv_ah_attr){
		.grh = {
			.dgid = gid_of_address(rdma_get_peer_addr(id)),
			.sgid_index = gid_index,
			.hop_limit = 64,
		},
		.port_num = port_num,
	});
	if (!ah3)
		die("ibv_create_ah(pd)", errno);

	/*
	 * post_send u SEND wr_id=22 sge=src ah=ah3 remote_qpn=id.remote_qpn remote_qkey=id.remote_qkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(u, SEND)", ibv_post_send(u, &(struct ibv_send_wr){
		.wr_id = 22,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {
			.ah = ah3,
			.remote_qpn = told_by_peer(id)->peer_qp_num,
			.remote_qkey = told_by_peer(id)->remote_qkey,
		},
	}, &bad_wr), 0);

	/*
	 * expect cm ESTABLISHED id=id timeout=1s
	 * It failed: EINVAL, it was refused
	 */
	expect(!((event = find_cm_event(id->channel, id, RDMA_CM_EVENT_ESTABLISHED, 1000))), "this should fail: cm ESTABLISHED id=id timeout=1s");

	/*
	 * expect cm REJECTED status=28 private_data=hex:01
	 * It failed: EINVAL, it was refused
	 */
	expect(!((event = find_cm_event(req2->channel, NULL, RDMA_CM_EVENT_REJECTED, 1000)) &&
		event->status == 28 &&
		event->private_data_len >= 6 &&
		!memcmp(event->private_data, "hex:01", 6)), "this should fail: cm REJECTED status=28 private_data=hex:01");

	/*
	 * expect cm UNREACHABLE status=ETIMEDOUT
	 * It failed: EINVAL, it was refused
	 */
	expect(!((event = find_cm_event(req2->channel, NULL, RDMA_CM_EVENT_UNREACHABLE, 1000)) &&
		event->status == -ETIMEDOUT), "this should fail: cm UNREACHABLE status=ETIMEDOUT");

	/*
	 * expect id id CONNECTED
	 * It failed: EINVAL, it was refused
	 */
	read_cm_events(id->channel, 0);
	expect(!(last_cm_event(id)->type == RDMA_CM_EVENT_ESTABLISHED), "this should fail: id is CONNECTED");

	/*
	 * poll_cq cq n=5 timeout=1s while=id
	 * It failed: EINVAL, it was refused
	 */
	expect(!(poll_cq_while(cq, 5, 1000, id)), "this should fail: 5 completions in time, or the connection ends");

	/*
	 * expect wc status=SUCCESS while=id
	 * It failed: EINVAL, it was refused
	 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->wc.status == IBV_WC_SUCCESS)
			break;
	expect(!(taken), "this should fail: the completion while=id status=SUCCESS");

	/*
	 * input src while=id end="disconnect"
	 * It failed: EINVAL, it was refused
	 */
	read_line(src, "input", "disconnect");

	/* exchange p1 qp=a listen=0.0.0.0 port=18515 psn=7 sgid_index=1 */
	a_psn = 7;
	p1_own = (struct peer){
		.lid = port_attr_of(a->context, port_num).lid,
		.qp_num = a->qp_num,
		.psn = a_psn,
		.gid = gid_at(a->context, port_num, gid_index),
	};
	tell_region(&p1_own, "dst", dst, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED);
	tell_region(&p1_own, "piece", piece, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED);
	p1 = exchange_as_server(server_port, 30000);
	printf("p1: qp_num 0x%06x, psn 0x%06x, lid %u\n", p1.qp_num, p1.psn, p1.lid);
	finish_as_server(&p1, &p1_own, true);

	/* exchange p2 qp=b address=10.0.0.2 hold=1 */
	p2_own = (struct peer){
		.lid = port_attr_of(b->context, port_num).lid,
		.qp_num = b->qp_num,
		.psn = b_psn,
	};
	tell_region(&p2_own, "dst", dst, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED);
	tell_region(&p2_own, "piece", piece, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED);
	p2 = exchange_with(SERVER_9, server_port, &p2_own);
	printf("p2: qp_num 0x%06x, psn 0x%06x, lid %u\n", p2.qp_num, p2.psn, p2.lid);

	/*
	 * exchange_finish p2
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: no exchange is under way. */

	/* exchange p6 qp=b address=10.0.0.2 regions=0 */
	p6_own = (struct peer){
		.lid = port_attr_of(b->context, port_num).lid,
		.qp_num = b->qp_num,
		.psn = b_psn,
	};
	p6 = exchange_with(SERVER_9, server_port, &p6_own);
	printf("p6: qp_num 0x%06x, psn 0x%06x, lid %u\n", p6.qp_num, p6.psn, p6.lid);
	finish_with_server(&p6, &p6_own, false);

	/*
	 * post_send b RDMA_WRITE sge=src:0:8 remote_addr=p2.dst.addr+8 rkey=p2.dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(b, RDMA_WRITE)", ibv_post_send(b, &(struct ibv_send_wr){
		.wr_id = 0,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 8,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = region_of(&p2, "dst")->addr + 8,
			.rkey = region_of(&p2, "dst")->rkey,
		},
	}, &bad_wr), 0);

	/*
	 * post_send b RDMA_READ sge=src:0:p1.length remote_addr=p1.addr rkey=p1.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(b, RDMA_READ)", ibv_post_send(b, &(struct ibv_send_wr){
		.wr_id = 0,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = region_of(&p1, NULL)->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = region_of(&p1, NULL)->addr,
			.rkey = region_of(&p1, NULL)->rkey,
		},
	}, &bad_wr), 0);

	/* peer p5 qp_num=0x12 addr=0x1000 rkey=0x77 length=64 */
	p5 = (struct peer){
		.qp_num = 0x12,
		.number_regions = 1,
		.regions[0].addr = 0x1000,
		.regions[0].rkey = 0x77,
		.regions[0].length = 64,
		.regions[0].name = "mr",
	};
	printf("p5: qp_num 0x%06x, psn 0x%06x, lid %u\n", p5.qp_num, p5.psn, p5.lid);

	/*
	 * post_send b RDMA_WRITE sge=src:0:8 remote_addr=p5.addr rkey=p5.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(b, RDMA_WRITE)", ibv_post_send(b, &(struct ibv_send_wr){
		.wr_id = 0,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 8,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr = region_of(&p5, NULL)->addr,
			.rkey = region_of(&p5, NULL)->rkey,
		},
	}, &bad_wr), 0);

	/* peer p3 record="0000:000012:6f21a0:00000000000000000000ffff0a000002" */
	p3 = (struct peer){
		.lid = 0,
		.qp_num = 0x000012,
		.psn = 0x6f21a0,
		.gid = gid_from("::ffff:10.0.0.2"),
	};
	printf("p3: qp_num 0x%06x, psn 0x%06x, lid %u\n", p3.qp_num, p3.psn, p3.lid);

	/* peer p4 qp_num=0x12 psn=1 lid=3 gid=fe80::1 */
	p4 = (struct peer){
		.lid = 3,
		.qp_num = 0x12,
		.psn = 1,
		.gid = gid_from("fe80::1"),
	};
	printf("p4: qp_num 0x%06x, psn 0x%06x, lid %u\n", p4.qp_num, p4.psn, p4.lid);

	/*
	 * modify_qp a RTR dest_qp_num=p3.qp_num rq_psn=p3.psn dgid=p3.gid dlid=p4.lid
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(a, RTR)", ibv_modify_qp(a, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = p3.qp_num,
		.rq_psn = p3.psn,
		.ah_attr = { .grh = { .dgid = p3.gid }, .dlid = p4.lid },
	}, IBV_QP_STATE | IBV_QP_AV | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN), 0);

	/*
	 * modify_qp a RTR path_mtu=a.path_mtu min_rnr_timer=a.min_rnr_timer dest_qp_num=a.psn
	 * rq_psn=a.sq_psn
	 * It failed: EINVAL, it was refused
	 */
	/*
	 * Not in this program: column 26: path_mtu: "a.path_mtu" is not an MTU; use one of 256 512
	 * 1024 2048 4096 (bytes).
	 */

	/*
	 * modify_qp a RTR sgid_index=soft0.gid dgid=soft0.gid
	 * It failed: EINVAL, it was refused
	 */
	/*
	 * Not in this program: column 43: dgid: "soft0.gid" is not a GID; give an IPv6 or IPv4
	 * address, such as fe80::1 or ::ffff:10.0.0.1.
	 */

	/*
	 * note "lines within lines"
	 * It failed: EINVAL, it was refused
	 */
	puts("lines within lines");

	/*
	 * loop 3
	 * It failed: EINVAL, it was refused
	 */
	for (unsigned long long round = 0; round < 3; round++) {
		/*
		 * post_recv b wr_id=1 sge=dst
		 * It failed: EINVAL, it was refused
		 */
		must_fail("ibv_post_recv(b)", ibv_post_recv(b, &(struct ibv_recv_wr){
			.wr_id = 1,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = (uint32_t)dst->length,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr), 0);

		/*
		 * poll_cq cq n=1 timeout=1s
		 * It failed: EINVAL, it was refused
		 */
		expect(!(poll_cq(cq, 1, 1000) == 1), "this should fail: 1 completion within 1s");

		/*
		 * end
		 * It failed: EINVAL, it was refused
		 */
		/* Not in this program: it is the end of a block. */
	}

	/*
	 * loop
	 * It failed: EINVAL, it was refused
	 */
	for (;;) {
		/*
		 * poll_cq cq n=1 timeout=1s while=id
		 * It failed: EINVAL, it was refused
		 */
		expect(!(poll_cq_while(cq, 1, 1000, id)), "this should fail: 1 completion in time, or the connection ends");

		/*
		 * end
		 * It failed: EINVAL, it was refused
		 */
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
		 * It failed: EINVAL, it was refused
		 */
		must_fail("rdma_disconnect(id)", rdma_disconnect(id) ? errno : 0, 0);

		/*
		 * end
		 * It failed: EINVAL, it was refused
		 */
		/* Not in this program: it is the end of a block. */
	}

	/*
	 * repeat 10 post_recv a wr_id=3 sge=dst
	 * It failed: EINVAL, it was refused
	 */
	for (unsigned int time = 0; time < 10; time++) {
		err = ibv_post_recv(a, &(struct ibv_recv_wr){
			.wr_id = 3,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = (uint32_t)dst->length,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
		if (err)
			die("ibv_post_recv(a)", err);
	}

	/*
	 * until expect id id DISCONNECTED
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it is in no loop. */

	/*
	 * chain post_send a SEND wr_id=1 sge=src:0:5 ; post_send a RDMA_READ wr_id=2 sge=dst:0:8
	 * remote_addr=dst.addr rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(a)", ibv_post_send(a, &(struct ibv_send_wr){
		.wr_id = 1,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 5,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.next = &(struct ibv_send_wr){
			.wr_id = 2,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr,
				.length = 8,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_READ,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = {
				.remote_addr = (uintptr_t)dst->addr,
				.rkey = dst->rkey,
			},
		},
	}, &bad_wr), 0);

	/*
	 * chain post_recv a wr_id=1 sge=dst:0:5 ; post_recv a wr_id=2 sge=dst:8:5
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(a)", ibv_post_recv(a, &(struct ibv_recv_wr){
		.wr_id = 1,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 5,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
		.next = &(struct ibv_recv_wr){
			.wr_id = 2,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)dst->addr + 8,
				.length = 5,
				.lkey = dst->lkey,
			},
			.num_sge = 1,
		},
	}, &bad_recv_wr), 0);

	/*
	 * chain post_srq_recv srq wr_id=1 sge=dst:0:5 ; post_srq_recv srq wr_id=2
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_srq_recv(srq)", ibv_post_srq_recv(srq, &(struct ibv_recv_wr){
		.wr_id = 1,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)dst->addr,
			.length = 5,
			.lkey = dst->lkey,
		},
		.num_sge = 1,
		.next = &(struct ibv_recv_wr){ .wr_id = 2 },
	}, &bad_recv_wr), 0);

	/* create_cq third device=soft0 cqe=cq.cqe */
	third = ibv_create_cq(soft0, cq->cqe, NULL, NULL, 0);
	if (!third)
		die("ibv_create_cq(soft0)", errno);

	/* create_qp fresh pd=pd send_cq=cq qp_type=RC */
	fresh = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
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
	if (!fresh)
		die("ibv_create_qp(pd)", errno);

	/*
	 * modify_qp fresh RTR rq_psn=fresh.psn dest_qp_num=fresh.sq_psn+1 dlid=soft0.lid
	 * max_dest_rd_atomic=fresh.state
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_qp(fresh, RTR)", ibv_modify_qp(fresh, &(struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = fresh_psn + 1,
		.rq_psn = fresh_psn,
		.max_dest_rd_atomic = attr_of(fresh).qp_state,
		.ah_attr = { .dlid = port_attr_of(soft0, port_num).lid },
	}, IBV_QP_STATE | IBV_QP_AV | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_DEST_QPN), 0);

	/*
	 * post_recv fresh wr_id=14 sge=@0x1000:8:0x7f
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(fresh)", ibv_post_recv(fresh, &(struct ibv_recv_wr){
		.wr_id = 14,
		.sg_list = &(struct ibv_sge){
			.addr = 0x1000,
			.length = 8,
			.lkey = 0x7f,
		},
		.num_sge = 1,
	}, &bad_recv_wr), 0);

	/*
	 * post_recv fresh wr_id=15 sge=src count=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(fresh)", ibv_post_recv(fresh, &(struct ibv_recv_wr){
		.wr_id = 15,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
	}, &bad_recv_wr), 0);

	/*
	 * post_recv fresh wr_id=16 sge=src count=0
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_recv(fresh)", ibv_post_recv(fresh, &(struct ibv_recv_wr){
		.wr_id = 16,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = (uint32_t)src->length,
			.lkey = src->lkey,
		},
		.num_sge = 1,
	}, &bad_recv_wr), 0);

	/*
	 * post_recv fresh wr_id=17 sge=src count=2
	 * It failed: EINVAL, it was refused
	 */
	err = 0;
	for (unsigned int n = 0; n < 2 && !err; n++) {
		err = ibv_post_recv(fresh, &(struct ibv_recv_wr){
			.wr_id = 17,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)src->addr,
				.length = (uint32_t)src->length,
				.lkey = src->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
	}
	must_fail("ibv_post_recv(fresh)", err, 0);

	/*
	 * post_recv fresh wr_id=18 sge=src:8:8:0x9 count=3
	 * It failed: EINVAL, it was refused
	 */
	err = 0;
	for (unsigned int n = 0; n < 3 && !err; n++) {
		err = ibv_post_recv(fresh, &(struct ibv_recv_wr){
			.wr_id = 18,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)src->addr + 8,
				.length = 8,
				.lkey = 0x9,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
	}
	must_fail("ibv_post_recv(fresh)", err, 0);

	/*
	 * post_recv fresh wr_id=19 sge=src count=4
	 * It failed: EINVAL, it was refused
	 */
	err = 0;
	for (unsigned int n = 0; n < 4 && !err; n++) {
		err = ibv_post_recv(fresh, &(struct ibv_recv_wr){
			.wr_id = 19,
			.sg_list = &(struct ibv_sge){
				.addr = (uintptr_t)src->addr,
				.length = (uint32_t)src->length,
				.lkey = src->lkey,
			},
			.num_sge = 1,
		}, &bad_recv_wr);
	}
	must_fail("ibv_post_recv(fresh)", err, 0);

	/*
	 * post_send fresh SEND_WITH_IMM wr_id=23 sge=src:0:8 count=5 imm_data=cq.imm_data
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(fresh, SEND_WITH_IMM)", ibv_post_send(fresh, &(struct ibv_send_wr){
		.wr_id = 23,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = 8,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(ntohl(last_wc(cq)->imm_data)),
	}, &bad_wr), 0);

	/*
	 * post_send fresh SEND wr_id=24 sge=src:0:cq.byte_len count=1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_post_send(fresh, SEND)", ibv_post_send(fresh, &(struct ibv_send_wr){
		.wr_id = 24,
		.sg_list = &(struct ibv_sge){
			.addr = (uintptr_t)src->addr,
			.length = last_wc(cq)->byte_len,
			.lkey = src->lkey,
		},
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, &bad_wr), 0);

	/*
	 * modify_srq srq
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_srq(srq)", ibv_modify_srq(srq, &(struct ibv_srq_attr){ 0 }, 0), 0);

	/*
	 * rdma_resolve_addr own res2.dst_addr src=res.src_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, res->ai_src_addr, res2->ai_dst_addr, 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own res2.next1.dst_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, res2->ai_next->ai_dst_addr, 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own res2.next16.dst_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, res2->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_next->ai_dst_addr, 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own res2.next17.dst_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_10, 0), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own res2.next0.dst_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_11, 0), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own id.peer_addr
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, rdma_get_peer_addr(id), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own id.next1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_12, 0), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own 10.9.0.2:99
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_3, 99), 2000) ? errno : 0, 0);

	/*
	 * rdma_resolve_addr own 10.9.0.2:0 port=7
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_resolve_addr(own_id)", rdma_resolve_addr(own_id, NULL, address_of(SERVER_3, 7), 2000) ? errno : 0, 0);

	/*
	 * rdma_bind_addr own port=7
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_bind_addr(own_id)", rdma_bind_addr(own_id, address_of(NULL, 7)) ? errno : 0, 0);

	/* alloc_pd managed id=own */
	managed = ibv_alloc_pd(own_id->verbs);
	if (!managed)
		die("ibv_alloc_pd(own_id->verbs)", errno);

	/* create_cq fourth id=own */
	fourth = ibv_create_cq(own_id->verbs, 64, NULL, NULL, 0);
	if (!fourth)
		die("ibv_create_cq(own_id->verbs)", errno);

	/* create_ah ah4 pd=pd id=own */
	ah4 = ibv_create_ah(pd, &told_by_peer(own_id)->ah_attr);
	if (!ah4)
		die("ibv_create_ah(pd)", errno);

	/*
	 * write_mem src file:message.bin
	 * It failed: EINVAL, it was refused
	 */
	load_file("message.bin", src->addr, src->length);

	/*
	 * write_mem src file:message.bin offset=8
	 * It failed: EINVAL, it was refused
	 */
	load_file("message.bin", (char *)src->addr + 8, src->length - 8);

	/*
	 * expect mem src file:message.bin
	 * It failed: EINVAL, it was refused
	 */
	expect(!(is_file("message.bin", src->addr, src->length)), "this should fail: what src holds");

	/*
	 * expect mem src 8 file:message.bin
	 * It failed: EINVAL, it was refused
	 */
	expect(!(is_file("message.bin", (char *)src->addr + 8, src->length - 8)), "this should fail: what src holds");

	/*
	 * expect wc cq=cq byte_len=cq.byte_len imm_data=cq.imm_data
	 * It failed: EINVAL, it was refused
	 */
	for (taken = next_taken(NULL); taken; taken = next_taken(taken))
		if (taken->cq == cq &&
		    taken->wc.status == IBV_WC_SUCCESS &&
		    taken->wc.byte_len == last_wc(cq)->byte_len &&
		    (taken->wc.wc_flags & IBV_WC_WITH_IMM) &&
		    ntohl(taken->wc.imm_data) == ntohl(last_wc(cq)->imm_data))
			break;
	expect(!(taken), "this should fail: the completion cq=cq byte_len=cq.byte_len imm_data=cq."
		"imm_data");

	/*
	 * query_gid soft0 port_num=1
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: all rows of a table are read one by one. */

	/*
	 * query_gid soft0 port_num=2
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: all rows of a table are read one by one. */

	/*
	 * rdma_disconnect id
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_disconnect(id)", rdma_disconnect(id) ? errno : 0, 0);

	/*
	 * live on
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: the exported program polls only where a line does. */

	/*
	 * sleep 1500ms
	 * It failed: EINVAL, it was refused
	 */
	pause_ns(1500000000);

	/*
	 * save other.rdma
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it writes a file for rdmatui. */

	/*
	 * rdma_disconnect own
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_disconnect(own_id)", rdma_disconnect(own_id) ? errno : 0, 0);

	/*
	 * detach_mcast u gid=239.1.2.3 lid=0xc000
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = gid_from("::ffff:239.1.2.3");

		must_fail("ibv_detach_mcast(u)", ibv_detach_mcast(u, &gid, 0xc000), 0);
	}

	/*
	 * close ah
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_destroy_ah(ah)", ibv_destroy_ah(ah), 0);

	/*
	 * rdma_destroy_qp q1
	 * It failed: EINVAL, it was refused
	 */
	rdma_destroy_qp(id);

	/*
	 * rdma_destroy_id polled
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_destroy_id(polled)", destroy_id(polled) ? errno : 0, 0);

	/*
	 * rdma_freeaddrinfo res
	 * It failed: EINVAL, it was refused
	 */
	rdma_freeaddrinfo(res);

	/*
	 * dealloc_mw w1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dealloc_mw(w1)", ibv_dealloc_mw(w1), 0);

	/*
	 * destroy_srq srq
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_destroy_srq(srq)", ibv_destroy_srq(srq), 0);

	/*
	 * dereg_mr src
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_dereg_mr(src)", dereg_mr(src), 0);

	/*
	 * reg_mr log pd=pd length=100 access=LOCAL_WRITE|REMOTE_WRITE backing=file:"/tmp/a \"log\" %s"
	 * offset=0x1000
	 */
	log = reg_mapped(pd, map_file("/tmp/a \"log\" %s", 0x1000, 100), 100, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!log)
		die("ibv_reg_mr(pd)", errno);

	/* reg_mr ring pd=pd length=4096 backing=shm:/ring */
	ring = reg_mapped(pd, map_shm("/ring", 0, 4096), 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!ring)
		die("ibv_reg_mr(pd)", errno);

	/* reg_mr huge pd=pd length=dst.length access=LOCAL_WRITE backing=hugetlb:2M */
	huge = reg_mapped(pd, map_huge(dst->length, 21), dst->length, IBV_ACCESS_LOCAL_WRITE);
	if (!huge)
		die("ibv_reg_mr(pd)", errno);

	/*
	 * expect error ENOMEM reg_mr pages pd=pd length=0x40000000 backing=hugetlb
	 * It failed: EINVAL, it was refused
	 */
	pages = reg_mapped(pd, map_huge(0x40000000, 0), 0x40000000, IBV_ACCESS_LOCAL_WRITE);
	if (!pages)
		die("ibv_reg_mr(pd)", errno);

	/*
	 * create_cq stamped device=soft0 cqe=16 channel=ch comp_vector=2
	 * wc_flags=BYTE_LEN|COMPLETION_TIMESTAMP|CVLAN
	 */
	stamped = ibv_cq_ex_to_cq(ibv_create_cq_ex(soft0, &(struct ibv_cq_init_attr_ex){
		.cqe = 16,
		.channel = ch,
		.comp_vector = 2,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_CVLAN,
	}));
	if (!stamped)
		die("ibv_create_cq_ex(soft0)", errno);

	/*
	 * create_qp wr pd=pd send_cq=cq recv_cq=cq
	 * send_ops_flags=SEND|SEND_WITH_IMM|RDMA_WRITE|RDMA_READ|ATOMIC_CMP_AND_SWP|ATOMIC_FETCH_AND_ADD|LOCAL_INV|SEND_WITH_INV|BIND_MW
	 */
	wr = ibv_create_qp_ex(pd->context, &(struct ibv_qp_init_attr_ex){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV,
	});
	if (!wr)
		die("ibv_create_qp_ex(pd)", errno);

	/* create_qp wu pd=pd send_cq=cq recv_cq=cq qp_type=UD send_ops_flags=SEND */
	wu = ibv_create_qp_ex(pd->context, &(struct ibv_qp_init_attr_ex){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	});
	if (!wu)
		die("ibv_create_qp_ex(pd)", errno);

	/* alloc_mw w3 type=TYPE_2 pd=pd */
	w3 = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	if (!w3)
		die("ibv_alloc_mw(pd)", errno);

	/*
	 * post_send wr SEND_WITH_IMM wr_id=30 sge=dst:0:8 imm_data=9
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 30;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send_imm(qpx, htonl(9));
		ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, 8);
		must_fail("ibv_wr_complete(wr, SEND_WITH_IMM)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr SEND_WITH_INV wr_id=31 invalidate_rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 31;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send_inv(qpx, dst->rkey);
		ibv_wr_set_sge_list(qpx, 0, NULL);
		must_fail("ibv_wr_complete(wr, SEND_WITH_INV)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr RDMA_WRITE wr_id=32 sge=dst:0:8,dst:8:8 remote_addr=dst.addr rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 32;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(qpx, dst->rkey, (uintptr_t)dst->addr);
		ibv_wr_set_sge_list(qpx, 2, (struct ibv_sge[]){
			{
				.addr = (uintptr_t)dst->addr,
				.length = 8,
				.lkey = dst->lkey,
			},
			{
				.addr = (uintptr_t)dst->addr + 8,
				.length = 8,
				.lkey = dst->lkey,
			},
		});
		must_fail("ibv_wr_complete(wr, RDMA_WRITE)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr RDMA_READ wr_id=33 sge=dst remote_addr=dst.addr+8 rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 33;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_read(qpx, dst->rkey, (uintptr_t)dst->addr + 8);
		ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, (uint32_t)dst->length);
		must_fail("ibv_wr_complete(wr, RDMA_READ)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr ATOMIC_CMP_AND_SWP wr_id=34 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=1 swap=2
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 34;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_atomic_cmp_swp(qpx, dst->rkey, (uintptr_t)dst->addr, 1, 2);
		ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, 8);
		must_fail("ibv_wr_complete(wr, ATOMIC_CMP_AND_SWP)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr ATOMIC_FETCH_AND_ADD wr_id=35 sge=dst:0:8 remote_addr=dst.addr rkey=dst.rkey
	 * compare_add=3 send_flags=FENCE
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 35;
		qpx->wr_flags = IBV_SEND_FENCE;
		ibv_wr_atomic_fetch_add(qpx, dst->rkey, (uintptr_t)dst->addr, 3);
		ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, 8);
		must_fail("ibv_wr_complete(wr, ATOMIC_FETCH_AND_ADD)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr LOCAL_INV wr_id=36 invalidate_rkey=7
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 36;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_local_inv(qpx, 7);
		must_fail("ibv_wr_complete(wr, LOCAL_INV)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr BIND_MW wr_id=37 mw=w3 mr=dst addr=dst.addr length=64
	 * mw_access_flags=REMOTE_READ
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 37;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_bind_mw(qpx, w3, ibv_inc_rkey(w3->rkey), &(struct ibv_mw_bind_info){
			.mr = dst,
			.addr = (uintptr_t)dst->addr,
			.length = 64,
			.mw_access_flags = IBV_ACCESS_REMOTE_READ,
		});
		must_fail("ibv_wr_complete(wr, BIND_MW)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wr SEND wr_id=38 sge=dst:0:8,dst:8:8 send_flags=INLINE|SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wr);

		ibv_wr_start(qpx);
		qpx->wr_id = 38;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(qpx);
		ibv_wr_set_inline_data_list(qpx, 2, (struct ibv_data_buf[]){
			{ (void *)((uintptr_t)dst->addr), 8 },
			{ (void *)((uintptr_t)dst->addr + 8), 8 },
		});
		must_fail("ibv_wr_complete(wr, SEND)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * post_send wu SEND wr_id=39 sge=dst:0:8 ah=ah remote_qpn=5 remote_qkey=6
	 * It failed: EINVAL, it was refused
	 */
	{
		struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(wu);

		ibv_wr_start(qpx);
		qpx->wr_id = 39;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(qpx);
		ibv_wr_set_ud_addr(qpx, ah, 5, 6);
		ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, 8);
		must_fail("ibv_wr_complete(wu, SEND)", ibv_wr_complete(qpx), 0);
	}

	/*
	 * attach_mcast wu gid=ff0e::1
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = gid_from("ff0e::1");

		must_fail("ibv_attach_mcast(wu)", ibv_attach_mcast(wu, &gid, 0), 0);
	}

	/*
	 * attach_mcast wu gid=239.9.9.9
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = gid_from("::ffff:239.9.9.9");

		must_fail("ibv_attach_mcast(wu)", ibv_attach_mcast(wu, &gid, 0), 0);
	}

	/*
	 * detach_mcast wu gid=ff0e::1
	 * It failed: EINVAL, it was refused
	 */
	{
		union ibv_gid gid = gid_from("ff0e::1");

		must_fail("ibv_detach_mcast(wu)", ibv_detach_mcast(wu, &gid, 0), 0);
	}

	/*
	 * get_cq_event ch timeout=1s
	 * It failed: EINVAL, it was refused
	 */
	expect(!(get_cq_event(ch, 1000)), "this should fail: a completion event within 1s");

	/*
	 * modify_cq cq cq_count=16 cq_period=100
	 * It failed: EINVAL, it was refused
	 */
	must_fail("ibv_modify_cq(cq)", ibv_modify_cq(cq, &(struct ibv_modify_cq_attr){
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 16, .cq_period = 100 },
	}), 0);

	/* rdma_create_ep ep res2 max_send_wr=2 max_recv_wr=cq.cqe max_inline_data=16 sq_sig_all=1 */
	if (rdma_create_ep(&ep, res2, NULL, &(struct ibv_qp_init_attr){
		.cap = {
			.max_send_wr = 2,
			.max_recv_wr = cq->cqe,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 16,
		},
		.sq_sig_all = 1,
	}))
		die("rdma_create_ep(res2)", errno);

	/* rdma_create_ep bare res2 pd=pd qp_init_attr=0 */
	if (rdma_create_ep(&bare, res2, pd, NULL))
		die("rdma_create_ep(res2)", errno);

	/* rdma_create_ep given res2 pd=pd send_cq=cq recv_cq=plain */
	if (rdma_create_ep(&given, res2, pd, &(struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = plain,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	}))
		die("rdma_create_ep(res2)", errno);

	/* rdma_reg_msgs m1 id=ep length=16 */
	m1 = rdma_reg_msgs(ep, new_memory(16), 16);
	if (!m1)
		die("rdma_reg_msgs(ep)", errno);

	/* rdma_reg_read m2 id=ep length=dst.length */
	m2 = rdma_reg_read(ep, new_memory(dst->length), dst->length);
	if (!m2)
		die("rdma_reg_read(ep)", errno);

	/* rdma_reg_write m3 id=ep length=4096 */
	m3 = rdma_reg_write(ep, new_memory(4096), 4096);
	if (!m3)
		die("rdma_reg_write(ep)", errno);

	/*
	 * rdma_post_recv ep wr_id=40 sge=m1
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_recv(ep)", rdma_post_recv(ep, (void *)(uintptr_t)40, m1->addr, m1->length, m1) ? errno : 0, 0);

	/*
	 * rdma_post_recv ep wr_id=dst.length+1 sge=m1:4
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_recv(ep)", rdma_post_recv(ep, (void *)(uintptr_t)(dst->length + 1), (char *)m1->addr + 4, m1->length - 4, m1) ? errno : 0, 0);

	/*
	 * rdma_post_send ep wr_id=41 sge=m1:4:8 send_flags=INLINE|SIGNALED
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_send(ep)", rdma_post_send(ep, (void *)(uintptr_t)41, (char *)m1->addr + 4, 8, m1, IBV_SEND_SIGNALED | IBV_SEND_INLINE) ? errno : 0, 0);

	/*
	 * rdma_post_read ep wr_id=42 sge=m1:0:dst.length remote_addr=dst.addr+16 rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_read(ep)", rdma_post_read(ep, (void *)(uintptr_t)42, m1->addr, dst->length, m1, IBV_SEND_SIGNALED, (uintptr_t)dst->addr + 16, dst->rkey) ? errno : 0, 0);

	/*
	 * rdma_post_write ep wr_id=43 sge=m1 remote_addr=0x1000 rkey=0x77 send_flags=0
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_write(ep)", rdma_post_write(ep, (void *)(uintptr_t)43, m1->addr, m1->length, m1, 0, 0x1000, 0x77) ? errno : 0, 0);

	/*
	 * rdma_post_ud_send ep wr_id=44 sge=m1 ah=ah3 remote_qpn=id.remote_qpn
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_ud_send(ep)", rdma_post_ud_send(ep, (void *)(uintptr_t)44, m1->addr, m1->length, m1, IBV_SEND_SIGNALED, ah3, told_by_peer(id)->peer_qp_num) ? errno : 0, 0);

	/*
	 * rdma_post_recvv ep wr_id=45 sge=m1:0:8,m2:8
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_recvv(ep)", rdma_post_recvv(ep, (void *)(uintptr_t)45, (struct ibv_sge[]){
		{
			.addr = (uintptr_t)m1->addr,
			.length = 8,
			.lkey = m1->lkey,
		},
		{
			.addr = (uintptr_t)m2->addr + 8,
			.length = (uint32_t)(m2->length - 8),
			.lkey = m2->lkey,
		},
	}, 2) ? errno : 0, 0);

	/*
	 * rdma_post_sendv ep wr_id=46 sge=m1:8
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_sendv(ep)", rdma_post_sendv(ep, (void *)(uintptr_t)46, &(struct ibv_sge){
		.addr = (uintptr_t)m1->addr + 8,
		.length = (uint32_t)(m1->length - 8),
		.lkey = m1->lkey,
	}, 1, IBV_SEND_SIGNALED) ? errno : 0, 0);

	/*
	 * rdma_post_readv ep wr_id=47 sge=@0x1000:8:0x7f remote_addr=dst.addr rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_readv(ep)", rdma_post_readv(ep, (void *)(uintptr_t)47, &(struct ibv_sge){
		.addr = 0x1000,
		.length = 8,
		.lkey = 0x7f,
	}, 1, IBV_SEND_SIGNALED, (uintptr_t)dst->addr, dst->rkey) ? errno : 0, 0);

	/*
	 * rdma_post_writev ep wr_id=48 sge=m1:0:8:0x9,m2 remote_addr=dst.addr rkey=dst.rkey
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_post_writev(ep)", rdma_post_writev(ep, (void *)(uintptr_t)48, (struct ibv_sge[]){
		{
			.addr = (uintptr_t)m1->addr,
			.length = 8,
			.lkey = 0x9,
		},
		{
			.addr = (uintptr_t)m2->addr,
			.length = (uint32_t)m2->length,
			.lkey = m2->lkey,
		},
	}, 2, IBV_SEND_SIGNALED, (uintptr_t)dst->addr, dst->rkey) ? errno : 0, 0);

	/*
	 * rdma_get_send_comp ep
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it would wait forever, as no completion came. */

	/*
	 * rdma_get_recv_comp ep timeout=2s
	 * It failed: EINVAL, it was refused
	 */
	/* Not in this program: it would wait forever, as no completion came. */

	/*
	 * rdma_dereg_mr m3
	 * It failed: EINVAL, it was refused
	 */
	must_fail("rdma_dereg_mr(m3)", rdma_dereg_mr(m3) ? errno : 0, 0);

	/*
	 * rdma_destroy_ep bare
	 * It failed: EINVAL, it was refused
	 */
	rdma_destroy_ep(bare);

	/* Destroy each object before those that it was created from. */
	err = dereg_mr(m3);
	if (err)
		die("ibv_dereg_mr(m3)", err);
	err = dereg_mr(m2);
	if (err)
		die("ibv_dereg_mr(m2)", err);
	err = dereg_mr(m1);
	if (err)
		die("ibv_dereg_mr(m1)", err);
	rdma_destroy_ep(given);
	rdma_destroy_ep(ep);
	err = ibv_dealloc_mw(w3);
	if (err)
		die("ibv_dealloc_mw(w3)", err);
	err = ibv_destroy_qp(wu);
	if (err)
		die("ibv_destroy_qp(wu)", err);
	err = ibv_destroy_qp(wr);
	if (err)
		die("ibv_destroy_qp(wr)", err);
	err = ibv_destroy_cq(stamped);
	if (err)
		die("ibv_destroy_cq(stamped)", err);
	err = dereg_mr(pages);
	if (err)
		die("ibv_dereg_mr(pages)", err);
	err = dereg_mr(huge);
	if (err)
		die("ibv_dereg_mr(huge)", err);
	err = dereg_mr(ring);
	if (err)
		die("ibv_dereg_mr(ring)", err);
	err = dereg_mr(log);
	if (err)
		die("ibv_dereg_mr(log)", err);
	err = ibv_destroy_ah(ah4);
	if (err)
		die("ibv_destroy_ah(ah4)", err);
	err = ibv_destroy_cq(fourth);
	if (err)
		die("ibv_destroy_cq(fourth)", err);
	err = ibv_dealloc_pd(managed);
	if (err)
		die("ibv_dealloc_pd(managed)", err);
	err = ibv_destroy_qp(fresh);
	if (err)
		die("ibv_destroy_qp(fresh)", err);
	err = ibv_destroy_cq(third);
	if (err)
		die("ibv_destroy_cq(third)", err);
	err = ibv_destroy_ah(ah3);
	if (err)
		die("ibv_destroy_ah(ah3)", err);
	if (destroy_id(req2))
		die("rdma_destroy_id(req2)", errno);
	if (destroy_id(req))
		die("rdma_destroy_id(req)", errno);
	rdma_destroy_qp(listener);
	rdma_destroy_qp(own_id);
	rdma_destroy_qp(id);
	rdma_freeaddrinfo(res2);
	rdma_freeaddrinfo(res);
	if (destroy_id(listener))
		die("rdma_destroy_id(listener)", errno);
	if (destroy_id(id))
		die("rdma_destroy_id(id)", errno);
	if (destroy_id(own_id))
		die("rdma_destroy_id(own_id)", errno);
	if (rdma_destroy_id(synced))
		die("rdma_destroy_id(synced)", errno);
	if (destroy_id(polled))
		die("rdma_destroy_id(polled)", errno);
	rdma_destroy_event_channel(polled_channel);
	rdma_destroy_event_channel(plainevents);
	rdma_destroy_event_channel(events);
	err = dereg_mr(big);
	if (err)
		die("ibv_dereg_mr(big)", err);
	err = ibv_destroy_ah(back);
	if (err)
		die("ibv_destroy_ah(back)", err);
	err = ibv_destroy_ah(ah2);
	if (err)
		die("ibv_destroy_ah(ah2)", err);
	err = ibv_destroy_ah(ah);
	if (err)
		die("ibv_destroy_ah(ah)", err);
	err = ibv_destroy_qp(u);
	if (err)
		die("ibv_destroy_qp(u)", err);
	err = ibv_destroy_qp(b);
	if (err)
		die("ibv_destroy_qp(b)", err);
	err = ibv_dealloc_mw(w2);
	if (err)
		die("ibv_dealloc_mw(w2)", err);
	err = ibv_dealloc_mw(w1);
	if (err)
		die("ibv_dealloc_mw(w1)", err);
	err = ibv_destroy_qp(a);
	if (err)
		die("ibv_destroy_qp(a)", err);
	err = ibv_destroy_srq(srq);
	if (err)
		die("ibv_destroy_srq(srq)", err);
	err = ibv_destroy_cq(plain);
	if (err)
		die("ibv_destroy_cq(plain)", err);
	err = ibv_destroy_cq(cq);
	if (err)
		die("ibv_destroy_cq(cq)", err);
	err = ibv_destroy_comp_channel(ch);
	if (err)
		die("ibv_destroy_comp_channel(ch)", err);
	err = ibv_dereg_mr(piece);
	if (err)
		die("ibv_dereg_mr(piece)", err);
	err = ibv_dereg_mr(whole);
	if (err)
		die("ibv_dereg_mr(whole)", err);
	err = ibv_free_dm(d);
	if (err)
		die("ibv_free_dm(d)", err);
	err = dereg_mr(buffer);
	if (err)
		die("ibv_dereg_mr(buffer)", err);
	err = dereg_mr(dst);
	if (err)
		die("ibv_dereg_mr(dst)", err);
	err = dereg_mr(src);
	if (err)
		die("ibv_dereg_mr(src)", err);
	err = ibv_dealloc_pd(pd);
	if (err)
		die("ibv_dealloc_pd(pd)", err);
	err = ibv_close_device(soft0);
	if (err)
		die("ibv_close_device(soft0)", err);
	return 0;
}
