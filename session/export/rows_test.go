package export

import (
	"strings"
	"testing"

	"rdmatui/session/command"
)

// row is a case of a table: the program of some lines has a text, and lacks another if that is not "". A line that
// begins with "! " fails at the provider.
type row struct{ name, lines, has, lacks string }

func (r row) check(t *testing.T) {
	t.Helper()
	lines := strings.Split(r.lines, "\n")
	fails := make([]bool, len(lines))
	for i := range lines {
		lines[i], fails[i] = strings.CutPrefix(lines[i], "! ")
	}
	text := C(recordingOf(t, lines, func(n int, s *Step) {
		if fails[n] {
			s.Done.Err, s.Done.Errno, s.Asked = "it was refused", "EINVAL", true
		}
	}))
	if !strings.Contains(text, r.has) || r.lacks != "" && strings.Contains(text, r.lacks) {
		t.Errorf("%s: has %q %v, has %q %v:\n%s", r.name, r.has, strings.Contains(text, r.has), r.lacks,
			strings.Contains(text, r.lacks), text)
	}
}

const (
	aDevice = "open_device soft0\nalloc_pd pd\n"
	aRegion = aDevice + "reg_mr m pd=pd length=64\n"
	aPair   = aRegion + "create_cq cq\ncreate_qp q pd=pd send_cq=cq recv_cq=cq max_recv_wr=8\n"
	aWindow = aPair + "alloc_mw w pd=pd type=TYPE_1\n"
	twoIDs  = "rdma_create_event_channel events\nrdma_create_id a channel=events ps=TCP\n" +
		"rdma_create_id b channel=events ps=TCP\n"
	anID    = "rdma_create_id a ps=TCP mode=event\n"
	managed = "rdma_create_id a ps=TCP mode=event\nalloc_pd pd id=a\ncreate_cq cq id=a\n"
)

// TestHostValues: what depends on the host can be set: the first port, row, device and host.
func TestHostValues(t *testing.T) {
	for _, tt := range []row{
		{"another row of the GID table", aDevice + "create_ah x pd=pd dgid=::1 sgid_index=12\n" +
			"create_ah y pd=pd dgid=::1 sgid_index=34", "#define GID_INDEX_2 34\n", ""},
		{"another port", aDevice + "create_ah x pd=pd port_num=1 dlid=5\ncreate_ah y pd=pd port_num=12 dlid=6",
			".port_num = 12", ""},
		{"no port", aDevice + "create_ah x pd=pd dlid=soft0.lid", "#define PORT 1\n", ""},
		{"the GID of a device", aDevice + "create_ah x pd=pd dgid=soft0.gid", "gid_at(soft0, port_num, gid_index)", ""},
		{"the port of a queue pair", aPair + "create_ah x pd=pd dlid=5 port_num=q.port_num",
			".port_num = attr_of(q).port_num", ""},
		{"the LID on a port", aPair + "create_ah x pd=pd dlid=5 port_num=1\nmodify_qp q INIT port_num=2\n" +
			"modify_qp q RTR rq_psn=1\ncreate_ah y pd=pd dlid=q.lid", "port_attr_of(q->context, 2).lid", ""},
		{"one value", "open_device soft0",
			"#define DEVICE \"soft0\"\n#endif\n\nstatic const char *device_name = DEVICE;\n\n", "DEVICE_2"},
		{"the port of a device", aDevice + "create_ah x pd=pd dlid=soft0.port_num", ".dlid = port_num,", ""},
		{"a device that is closed", "open_device soft0\nopen_device soft1\nclose_device soft1",
			"err = ibv_close_device(soft1);", ""},
		{"a device that is not opened", "open_device soft0\n! open_device soft1",
			"soft1 = open_device(DEVICE_2);\n\tmust_fail(\"ibv_open_device\", soft1 ? 0 : errno, 0);",
			"ibv_close_device(soft1)"},
		{"the verbs alone", "open_device soft0", "-o session session.c -libverbs", "-lrdmacm"},
		{"the connection manager", twoIDs, "-o session session.c -lrdmacm -libverbs", ""},
		{"the connection manager's calls alone", "rdma_create_id a ps=TCP mode=sync", "#include <rdma/rdma_cma.h>\n",
			"get_cm_event"},
		{"one host", anID + "rdma_resolve_addr a 10.0.0.2 port=7", "#define SERVER \"10.0.0.2\"\n", "SERVER_2"},
		{"a value that can be set", "open_device soft0", "#include <unistd.h>\n", ""},
		{"no value that can be set", "note x", "", "#include <unistd.h>"},
		{"a port that is only queried", "open_device soft0\nquery_port port_num=3", "#define PORT 3\n",
			"ibv_query_port(soft0, 3"},
	} {
		tt.check(t)
	}
}

// TestMadeOn: an object is made on the device that its line names, else on the device of what it names.
func TestMadeOn(t *testing.T) {
	for _, tt := range []row{
		{"the device of a channel opened first", "open_device soft0\ncreate_comp_channel ch device=soft0\n" +
			"open_device soft1\ncreate_cq cq channel=ch", "ibv_create_cq(soft0, ", "ibv_create_cq(soft1, "},
		{"a device beside a channel", "rdma_create_id a ps=TCP mode=sync\ncreate_comp_channel ch id=a\n" +
			"open_device soft0\ncreate_cq cq channel=ch device=soft0", "ibv_create_cq(soft0, ", "ibv_create_cq(a->"},
		{"an identifier beside a channel", "open_device soft0\ncreate_comp_channel ch device=soft0\n" +
			"rdma_create_id a ps=TCP mode=sync\ncreate_cq cq channel=ch id=a", "ibv_create_cq(a->verbs, ",
			"ibv_create_cq(soft0, "},
		{"no name", "open_device soft0\nalloc_pd\ncreate_ah x pd=pd dlid=5", "ibv_create_ah(pd, ", ""},
		{"a datagram queue pair", "open_device soft0\nalloc_pd pd\ncreate_cq cq\n" +
			"rdma_create_id u ps=UDP mode=sync\nrdma_create_qp u q pd=pd send_cq=cq recv_cq=cq",
			".qp_type = IBV_QPT_UD", "IBV_QPT_RC"},
		{"a queue pair without a queue", aDevice + "create_qp q pd=pd",
			"Not in this program: no send_cq was named.", "ibv_destroy_qp"},
		{"an identifier's queue pair without a queue", aDevice + "rdma_create_id a ps=TCP mode=sync\n" +
			"rdma_create_qp a q pd=pd", "Not in this program: no send_cq was named.", "rdma_destroy_qp"},
		{"a queue pair before its queue", managed + "create_qp q pd=pd send_cq=cq recv_cq=cq\n" +
			"rdma_create_event_channel c\nrdma_migrate_id a c",
			"die(\"ibv_destroy_qp(q)\", err);\n\terr = ibv_destroy_cq(cq);", ""},
		{"a queue pair before its shared receive queue", managed + "alloc_pd pd2 id=a\ncreate_srq s pd=pd2\n" +
			"create_qp q pd=pd send_cq=cq recv_cq=cq srq=s\nrdma_create_event_channel c\nrdma_migrate_id a c",
			"die(\"ibv_destroy_qp(q)\", err);\n\terr = ibv_destroy_srq(s);", ""},
		{"an identifier's queue pair that is not made at first", managed +
			"! rdma_create_qp a q pd=pd send_cq=cq recv_cq=cq\nrdma_create_qp a q pd=pd send_cq=cq recv_cq=cq\n" +
			"post_recv q", "die(\"rdma_create_qp(a)\", errno);\n\tq = a->qp;", ", 0);\n\tq = a->qp;"},
		{"an identifier's queue pair that is not made", managed +
			"! rdma_create_qp a q pd=pd send_cq=cq recv_cq=cq", "must_fail(\"rdma_create_qp(a)\", ", "rdma_destroy_qp"},
		{"an identifier that does not migrate", anID + "rdma_create_event_channel c\n! rdma_migrate_id a c",
			"die(\"rdma_destroy_id(a)\", errno);\n\trdma_destroy_event_channel(a_channel);", ""},
		{"a domain before its identifier", managed + "rdma_create_event_channel c\nrdma_migrate_id a c",
			"die(\"ibv_dealloc_pd(pd)\", err);\n\tif (destroy_id(a))", ""},
		{"a region that moved", aRegion + "alloc_pd pd2\nrereg_mr m pd=pd2",
			"die(\"ibv_dereg_mr(m)\", err);\n\terr = ibv_dealloc_pd(pd2)", ""},
		{"a region that could not move", aRegion + "alloc_pd pd2\n! rereg_mr m pd=pd2", "must_fail(\"ibv_rereg_mr(m)\"",
			"die(\"ibv_dereg_mr(m)\", err);\n\terr = ibv_dealloc_pd(pd2)"},
		{"a region changed twice", aRegion + "rereg_mr m length=32 access=REMOTE_READ",
			"rereg_mr(m, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS, NULL, 32, ", ""},
		{"a region not changed", aRegion + "rereg_mr m", "rereg_mr(m, 0, NULL, 0, 0)", ""},
		{"a region that a peer may read", aPair +
			"rereg_mr m access=REMOTE_READ\nexchange p qp=q listen=127.0.0.1 port=1",
			"tell_region(&p_own, \"m\", m, IBV_ACCESS_REMOTE_READ);", ""},
		{"a region that a peer may not read", aPair +
			"! rereg_mr m access=REMOTE_READ\nexchange p qp=q listen=127.0.0.1 port=1", "exchange_as_server(",
			"tell_region(&p_own"},
		{"an exchange that failed", aPair + "! exchange p qp=q listen=127.0.0.1 port=1",
			"what an exchange ends with is not for the program to say", "exchange_as_server"},
		{"an exchange that was finished", aPair + "exchange p qp=q address=10.0.0.2 hold=1\nexchange_finish p\n" +
			"exchange_finish p", "Not in this program: no exchange is under way.", ""},
		{"a region over device memory that is not made", aDevice +
			"alloc_dm d length=64\n! reg_mr x pd=pd dm=d length=64",
			"ibv_reg_dm_mr(pd, d, ", "ibv_dereg_mr(x);"},
		{"a whole region to device memory", aRegion + "alloc_dm d length=64\nmemcpy_to_dm d mr=m",
			"m->addr, m->length)", ""},
		{"an address handle that is not made", aPair + "! create_ah_from_wc x pd=pd cq=cq mr=m",
			"must_fail(\"ibv_create_ah_from_wc(pd)\", ", "ibv_destroy_ah"},
		{"a window that is not bound", aWindow + "bind_mw q w length=0", ".length = 0", ".mr ="},
		{"a peer's numbers", "peer p qp_num=3 psn=4", ".qp_num = 3, .psn = 4 }", ".lid = "},
		{"a peer's region of unknown length", "peer p qp_num=3 addr=16 rkey=7", ".regions[0].rkey = 7", ".length = "},
	} {
		tt.check(t)
	}
}

// TestNumbers: a reference becomes an expression, and a part of a region an address.
func TestNumbers(t *testing.T) {
	const toWindow = "post_send q RDMA_WRITE remote_addr=w.addr rkey=w.rkey sge=m:0:8"
	for _, tt := range []row{
		{"a flag", aPair + "req_notify_cq cq solicited_only=q.en_sqd_async_notify",
			"ibv_req_notify_cq(cq, attr_of(q).en_sqd_async_notify)", ""},
		{"a number of the device that C does not have", aDevice + "create_cq cq cqe=soft0.atomic_cap",
			"ibv_create_cq(soft0, 1, ", ""},
		{"a PSN that another transition does not set", aPair + "modify_qp q INIT port_num=1\n" +
			"modify_qp q RTR rq_psn=q.sq_psn", ".rq_psn = q_psn", "attr_of(q).sq_psn"},
		{"a part of a region up to its end", aPair + "post_recv q sge=m:8",
			".addr = (uintptr_t)m->addr + 8,\n\t\t\t.length = (uint32_t)(m->length - 8),", ""},
		{"no such region", aPair + "post_recv q sge=nosuch:0:4",
			"Not in this program: nosuch was not created in it.", "ibv_post_recv"},
		{"no such region in a chain", aDevice + "create_cq cq\n" +
			"create_qp q pd=pd send_cq=cq recv_cq=cq send_ops_flags=SEND\n" +
			"chain post_send q SEND ; post_send q SEND sge=nosuch:0:4",
			"Not in this program: nosuch was not created in it.", "ibv_wr_start"},
		{"no such region in a chain of RECVs", aPair + "chain post_recv q ; post_recv q sge=nosuch:0:4",
			"Not in this program: nosuch was not created in it.", "ibv_post_recv"},
		{"the first of a chain chooses how to post", aDevice + "create_cq cq\n" +
			"create_qp q pd=pd send_cq=cq recv_cq=cq send_ops_flags=SEND\n" +
			"chain post_send q SEND ; post_send q RDMA_WRITE remote_addr=1 rkey=2", "ibv_wr_rdma_write(",
			"ibv_post_send"},
		{"where a window begins", aWindow + "bind_mw q w mr=m addr=m.addr+8 length=16\n" + toWindow,
			".remote_addr = (uintptr_t)m->addr + 8,", ""},
		{"what a window binds", aWindow + "bind_mw q w mr=m addr=m.addr+8 length=16", ".addr = (uintptr_t)m->addr + 8,",
			""},
		{"where a window begins that counts from 0", aWindow +
			"bind_mw q w mr=m addr=m.addr+8 length=16 mw_access_flags=REMOTE_WRITE|ZERO_BASED\n" + toWindow,
			".remote_addr = 0,", ""},
		{"how long a window is", aWindow + "bind_mw q w mr=m length=16\ncreate_cq c2 cqe=w.length",
			"ibv_create_cq(soft0, 16, ", ""},
		{"text that looks like numbers", aRegion + "write_mem m \"be32:7\"", "memcpy(m->addr, \"be32:7\", 6);",
			"store_be"},
		{"numbers in memory", aRegion + "write_mem m u8:1,be32:7", "store_be((char *)m->addr + 1, 4, 7);", ""},
		{"bytes in memory, compared", aRegion + "expect mem m 0 u8:1,be16:2",
			"load_be((char *)m->addr + 0 + 1, 2) == 2", ""},
		{"memory without a region", aPair + "post_recv q sge=@m.addr:8:m.lkey",
			".addr = (uintptr_t)m->addr,\n\t\t\t.length = 8,\n\t\t\t.lkey = m->lkey,", ""},
		{"a window's field that is none", aWindow + "create_cq c2 cqe=w.nothing", "ibv_create_cq(soft0, 1, ", ""},
		{"private data of numbers", anID + "rdma_reject a private_data=be32:7", "\t\tstore_be(data, 4, 7);\n" +
			"\t\tif (rdma_reject(a, data, 4))\n\t\t\tdie(\"rdma_reject(a)\", errno);\n\t}\n", ""},
		{"private data of a pattern", anID + "rdma_connect a private_data=pattern:8", "\t\tfill_pattern(data, 8, 0);\n",
			"store_be"},
		{"numbers in memory, compared", aRegion + "expect mem m 0 be32:7,be16:8",
			"load_be((char *)m->addr + 0 + 4, 2) == 8",
			""},
		{"a pattern from a character on", aRegion + "write_mem m pattern:8:65", "fill_pattern(m->addr, 8, 65);", ""},
		{"private data of no bytes", anID + "rdma_connect a private_data=\"\"", "rdma_connect(a, ", "uint8_t data["},
		{"no such region in a ping-pong", aPair + "pingpong q role=server mr=nosuch",
			"Not in this program: nosuch was not created in it.", "struct pingpong"},
		{"a ping-pong of several queue pairs", aPair + "create_srq s pd=pd\npingpong srq=s role=server",
			"Not in this program: the run of several queue pairs at once has no function here.", "struct pingpong"},
		{"a ping-pong without its RECV", aPair + "! post_recv q sge=m\npingpong q role=server", ".posted = 0,", ""},
		{"a step to the same state", aPair + "modify_qp q min_rnr_timer=3", "die(\"ibv_modify_qp(q)\", err);", ""},
		{"a part of an alternate path", aPair + "modify_qp q alt_timeout=5", ".alt_timeout = 5 }", ""},
		{"a name that C does not have", anID + "rdma_notify a nosuch.event", "rdma_notify(a, 0)", ""},
		{"no such region in a SEND", aPair + "post_send q SEND sge=nosuch:0:4",
			"Not in this program: nosuch was not created in it.", "ibv_post_send"},
		{"no such region in a run", aPair + "post_send q SEND sge=nosuch:0:4 count=9 outstanding=4",
			"Not in this program: nosuch was not created in it.", "send_stream("},
		{"a part of a millisecond", aPair + "poll_cq cq timeout=1000001ns", "poll_cq(cq, 1, 2)", ""},
		{"a run of one request", aPair + "post_send q SEND sge=m:0:4 outstanding=4", ".count = 1,", ".signal_every = "},
		{"a run of requests", aPair + "post_send q SEND sge=m:0:4 count=9 outstanding=4",
			"send_stream((struct send_stream){", "ibv_post_send(q, &(struct"},
		{"an address of a closed object", anID + "rdma_getaddrinfo 10.0.0.1 name=r\nclose r\n" +
			"rdma_bind_addr a r.src_addr", "rdma_bind_addr(a, address_of(", "ai_src_addr"},
	} {
		tt.check(t)
	}
}

// TestRounds: loops in loops count with different variables, and a line may end its loop.
func TestRounds(t *testing.T) {
	for _, tt := range []row{
		{"a loop in a loop", "loop n=2\nloop n=3\nnote x\nend\nend", "round_2 < 3; round_2++", ""},
		{"a repeat in a loop", "loop n=2\nrepeat 3 note x\nend", "time_2 < 3; time_2++", "int time = 0"},
		{"an object until it can be made", "open_device soft0\nloop\nuntil alloc_pd pd device=soft0\nend",
			"pd = ibv_alloc_pd(soft0);\n\t\tif (pd)\n\t\t\tbreak;\n",
			"/* alloc_pd pd device=soft0 */"},
		{"a step until it succeeds", aPair + "loop\nuntil modify_qp q INIT\nend", "IBV_QP_STATE))\n\t\t\tbreak;\n", ""},
		{"made in a block", "open_device soft0\ntry\nalloc_pd pd device=soft0\nend",
			"\tif (pd) {\n\t\terr = ibv_dealloc_pd(pd);\n\t\tif (err)\n\t\t\tdie(\"ibv_dealloc_pd(pd)\", err);\n\t}\n\terr = ", ""},
		{"made in a loop", "open_device soft0\nloop n=2\nalloc_pd pd device=soft0\nend",
			"\tif (pd) {\n\t\terr = ibv_dealloc_pd(pd);", ""},
		{"an identifier's queue pair destroyed in a loop", managed + "loop n=2\n" +
			"rdma_create_qp a q pd=pd send_cq=cq recv_cq=cq\nrdma_destroy_qp q\nend",
			"\t\trdma_destroy_qp(a);\n\t\tq = NULL;\n", ""},
		{"a call until it succeeds", anID + "loop\nuntil rdma_listen a\nend",
			"if (!rdma_listen(a, 8))\n\t\t\tbreak;\n", ""},
	} {
		tt.check(t)
	}
}

// TestEvents: which events of the connection manager the program reads, and from where.
func TestEvents(t *testing.T) {
	const awaits = ", 10000)" // an event that no line took
	for _, tt := range []row{
		{"of the newest identifier", anID + "rdma_get_cm_event ESTABLISHED", "get_cm_event(a->channel, NULL, ", ""},
		{"of an identifier that is gone", "open_device soft0\ncreate_cq cq device=soft0\n" + twoIDs +
			"rdma_resolve_addr a 10.0.0.2 port=7\nclose a\npoll_cq cq timeout=1s", "poll_cq(cq, 1, 1000)", awaits},
		{"that does not come", anID + "! rdma_get_cm_event ESTABLISHED id=a",
			"expect(!((event = get_cm_event(a->channel, a, ", "want_cm_event("},
		{"of a kind that does not come", anID + "! rdma_get_cm_event ESTABLISHED id=a",
			") && event->type == RDMA_CM_EVENT_ESTABLISHED), ", ""},
		{"of any kind that does not come", anID + "! rdma_get_cm_event id=a",
			"expect(!((event = get_cm_event(a->channel, a, ",
			"event->type"},
		{"taken by any identifier", anID + "rdma_resolve_addr a 10.0.0.2 port=7\nrdma_get_cm_event ADDR_RESOLVED\n" +
			"rdma_resolve_route a", "rdma_resolve_route(a, ", awaits},
		{"taken by one of two identifiers", twoIDs + "rdma_resolve_addr a 10.0.0.2 port=7\n" +
			"rdma_resolve_addr b 10.0.0.2 port=7\nrdma_get_cm_event ADDR_RESOLVED\nrdma_resolve_route b", awaits, ""},
		{"another one of the identifier", anID + "rdma_resolve_addr a 10.0.0.2 port=7\n" +
			"rdma_get_cm_event ADDR_ERROR id=a\nrdma_resolve_route a", "rdma_resolve_route(a, ", awaits},
		{"another one of any identifier", anID + "rdma_resolve_addr a 10.0.0.2 port=7\n" +
			"rdma_get_cm_event CONNECT_ERROR\nrdma_resolve_route a", awaits, ""},
		{"a request that no line took", twoIDs + "rdma_bind_addr a 10.0.0.1 port=7\nrdma_listen a\nrdma_reject a-1",
			"/* rdmatui read this request by itself, without a line in the session. */", ""},
		{"before a poll for as long as there is a connection", "open_device soft0\ncreate_cq cq device=soft0\n" +
			twoIDs +
			"rdma_disconnect a\npoll_cq cq timeout=1s while=a", "poll_cq_while(cq, 1, 1000, a)", ""},
		{"an end that failed", anID + "rdma_connect a\n! rdma_disconnect a", "\trdma_disconnect(a);\n", ""},
		{"an end that did not", anID + "rdma_connect a\nrdma_disconnect a", "if (rdma_disconnect(a))",
			"\trdma_disconnect(a);\n"},
		{"expected before", anID + "rdma_resolve_addr a 10.0.0.2 port=7\nexpect cm ADDR_RESOLVED id=a\n" +
			"rdma_resolve_route a", "rdma_resolve_route(a, ", awaits},
		{"no state of a synchronous identifier", "rdma_create_id a ps=TCP mode=sync\nexpect id a CONNECTED",
			"no event announces it", "last_cm_event(a)"},
		{"no request", "rdma_create_id a ps=TCP mode=sync\nrdma_listen a\n! rdma_get_request a",
			"it would wait forever, as no request came", "get_request(a)"},
		{"a status without a name", anID + "expect cm REJECTED id=a status=nonsense",
			"the status nonsense has no name in C", "find_cm_event"},
		{"no channel", "rdma_get_cm_event ESTABLISHED", "Not in this program: no channel was named.", "want_cm_event"},
		{"no identifier", "expect cm ESTABLISHED", "Not in this program: there is no identifier.", "find_cm_event"},
		{"a request of a closed listener", anID + "rdma_listen a\nclose a\nrdma_reject a-1",
			"Not in this program: a-1 was not created in it.", "want_cm_event("},
		{"a request of what is no listener", aDevice + "reg_mr m pd=pd-1 length=8",
			"Not in this program: pd-1 was not created in it.", "want_cm_event("},
		{"a request whose name is taken later", anID +
			"rdma_listen a\nrdma_get_cm_event CONNECT_REQUEST id=a name=r\n" +
			"open_device soft0\nalloc_pd r device=soft0", "= event->id;", ""},
		{"events acknowledged", "open_device soft0\ncreate_comp_channel ch device=soft0\ncreate_cq cq channel=ch\n" +
			"ack_cq_events cq n=1", "ibv_ack_cq_events(cq, 1);", "ibv_ack_cq_events(cq, -1);"},
	} {
		tt.check(t)
	}
}

// TestNoReference: text that is quoted, or no reference, or names what C does not have, is no expression.
func TestNoReference(t *testing.T) {
	tr := &translator{objects: objects{byName: map[string]*object{
		"cq": {kind: command.KindCQ, name: "cq", expr: "cq"}, "pd": {kind: command.KindPD, name: "pd", expr: "pd"},
	}}}
	for _, tt := range []struct {
		text   string
		quoted bool
		want   string
	}{
		{"cq.cqe", false, "cq->cqe"}, {"cq.cqe+2", false, "cq->cqe + 2"}, {"cq.cqe", true, ""}, {"cq.cqe+x", false, ""},
		{"cq.nothing", false, ""}, {"pd.handle", false, ""}, {"other.cqe", false, ""}, {"7", false, ""},
	} {
		cmd := stepOf(t, "poll_cq cq n=2").Cmd.With("n", tt.text)
		for i := range cmd.Values {
			cmd.Values[i].Quoted = tt.quoted && cmd.Values[i].Arg.Name == "n"
		}
		expr, ok := (&line{translator: tr, cmd: cmd}).reference("n")
		if expr != tt.want || ok != (tt.want != "") {
			t.Errorf("%q, quoted %v: %q, %v, want %q", tt.text, tt.quoted, expr, ok, tt.want)
		}
	}
}

// TestWriter: text without values is written as it is, and comments are as wide as the indentation allows.
func TestWriter(t *testing.T) {
	w := writer{indent: 2}
	if w.put("%%"); w.text.String() != "\t\t%%\n" {
		t.Errorf("%q", w.text.String())
	}
	w.comment(strings.Repeat("x ", commentWidth))
	longest := 0
	for l := range strings.SplitSeq(w.text.String(), "\n") {
		longest = max(longest, len(strings.TrimPrefix(l, "\t\t * ")))
	}
	if want := commentWidth - 8*2; longest > want || longest < want-1 {
		t.Errorf("a line of %d characters, want %d", longest, want)
	}
	if text := C(Recording{}); !strings.HasSuffix(text, "{\n\treturn 0;\n}\n") {
		t.Errorf("the empty program is %s", text)
	}
	if text := (&Step{Cmd: command.Command{Text: "typed"}}).line(); text != "typed" {
		t.Errorf("the line is %q", text)
	}
}

// TestUsedValues: the program defines the values that it uses, and no others.
func TestUsedValues(t *testing.T) {
	c := choices{devices: []define{{"DEVICE_2", "soft1"}, {"DEVICE_3", "soft2"}}}
	var b strings.Builder
	c.defines(&b, nil, map[string]bool{"DEVICE_3": true})
	if want := "\n#ifndef DEVICE_3\n#define DEVICE_3 \"soft2\"\n#endif\n\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestFreeNames: a variable whose name is taken gets the name of its kind behind it, then a number.
func TestFreeNames(t *testing.T) {
	var v variables
	text := "\nint main(void)\n"
	for _, one := range [][2]string{{"int_pd", "mr"}, {"int_pd2", "cq"}, {"int", "pd"}, {"int_ah", "mr"}, {"int", "ah"},
		{"int", "qp"}} {
		text += v.named(one[0], one[1], "int ", "0") + "\n"
	}
	const want = "\nint main(void)\nint_pd\nint_pd2\nint_pd3\nint_ah\nint_ah2\nint_qp\n"
	if got := v.settle(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
