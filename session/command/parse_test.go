package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// designScript is a whole session as a user would write it.
const designScript = `open_device soft0
alloc_pd pd
reg_mr src pd=pd length=4096 access=LOCAL_WRITE
reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq cqe=64
create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC
modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=0x111 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=b.gid
modify_qp b RTR path_mtu=1024 dest_qp_num=a.qp_num rq_psn=0x222 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=a.gid
modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1
modify_qp b RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x111 max_rd_atomic=1
# the six lines above in one: connect_qps a b
write_mem src "hello"
post_recv b wr_id=7 sge=dst:0:4096
post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED
poll_cq cq n=2 timeout=1s
expect wc wr_id=7 status=SUCCESS byte_len=5
expect mem dst 0 "hello"
`

func mustParse(t testing.TB, line string) Command {
	t.Helper()
	c, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return c
}

func TestDesignScriptParses(t *testing.T) {
	for line := range strings.Lines(designScript) {
		line = strings.TrimSuffix(line, "\n")
		c := mustParse(t, line)
		if c.Spec == nil {
			if line[0] != '#' {
				t.Errorf("%s: no command", line)
			}
			continue
		}
		// Arguments may come in another order; the rest must be the same.
		got, want := strings.Fields(c.Canonical()), strings.Fields(line)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\nbecame %s", line, c.Canonical())
		}
	}
}

func TestExamplesParse(t *testing.T) {
	for _, s := range Commands {
		if c := mustParse(t, s.Example); c.Spec != s {
			t.Errorf("the example of %s is %q", s.Name, s.Example)
		}
	}
}

// TestParseGives lists the commands that lines parse to, including defaults.
func TestParseGives(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", ""},
		{"  \t# only a comment", ""},
		{"alloc_pd", "alloc_pd"},
		{"alloc_pd pd # with a remark", "alloc_pd pd"},
		{"\talloc_pd\tpd\r", "alloc_pd pd"},
		{"reg_mr length=0x1000", "reg_mr length=0x1000 access=LOCAL_WRITE"},
		{"reg_mr m access=local_write,IBV_ACCESS_REMOTE_READ length=8",
			"reg_mr m length=8 access=LOCAL_WRITE|REMOTE_READ"},
		{"reg_mr m access=0 length=8", "reg_mr m length=8 access=0"},
		{`reg_mr m backing=file:"/tmp/a b"`, `reg_mr m access=LOCAL_WRITE backing=file:"/tmp/a b"`},
		{"reg_mr m backing=shm:/ring offset=0x1000 length=8",
			"reg_mr m length=8 access=LOCAL_WRITE backing=shm:/ring offset=0x1000"},
		{"reg_mr m backing=dmabuf:3", "reg_mr m access=LOCAL_WRITE backing=dmabuf:3"},
		{"reg_mr m dm=d offset=8 access=ZERO_BASED", "reg_mr m access=ZERO_BASED dm=d offset=8"},
		{"memcpy_to_dm d src", "memcpy_to_dm d src dm_offset=0 offset=0"},
		{"reg_mr m length=0x200000 backing=hugetlb:2M",
			"reg_mr m length=0x200000 access=LOCAL_WRITE backing=hugetlb:2M"},
		{"modify_qp INIT", "modify_qp qp_state=INIT"},
		{"modify_qp init", "modify_qp init"}, // a queue pair may have that name
		{"modify_qp a ibv_qps_rts", "modify_qp a RTS"},
		{"modify_qp a min_rnr_timer=12", "modify_qp a min_rnr_timer=12"},
		{"modify_qp qp_state=RTR qp=a path_mtu=IBV_MTU_1024", "modify_qp a RTR path_mtu=1024"},
		{"post_send SEND", "post_send opcode=SEND send_flags=SIGNALED"},
		{"post_send a opcode=SEND send_flags=0", "post_send a SEND send_flags=0"},
		{"post_send a RDMA_WRITE sge=src,dst:4:b.length:7 remote_addr=dst.addr+0x10 rkey=dst.rkey",
			"post_send a RDMA_WRITE sge=src,dst:4:b.length:7 send_flags=SIGNALED remote_addr=dst.addr+0x10 rkey=dst.rkey"},
		{`write_mem "hello"`, `write_mem data="hello" offset=0`},
		{`write_mem src "tab\there \x41\"\\" offset=3`, `write_mem src "tab\there A\"\\" offset=3`},
		{`write_mem src a"b c"d`, `write_mem src "ab cd" offset=0`},
		{"write_mem src pattern:16", "write_mem src pattern:16 offset=0"},
		{`expect mem "x"`, `expect mem offset=0 data="x"`},
		{"expect mem dst 4 0x00ff", "expect mem dst 4 0x00ff"},
		{"expect state RTS", "expect state qp_state=RTS"},
		{"expect error modify_qp a RTS # why not", "expect error modify_qp a RTS"},
		{"expect error EINVAL modify_qp a RTS", "expect error EINVAL modify_qp a RTS"},
		{"post_send a SEND remote_qpn=3 remote_qkey=4",
			"post_send a SEND send_flags=SIGNALED remote_qpn=3 remote_qkey=4"},
		{"expect error post_send a SEND rkey=1", "expect error post_send a SEND rkey=1"}, // wrong, as the line expects
		{"repeat 3  repeat 2 note x", "repeat 3 repeat 2 note x"},
		{"read_mem 16 8", "read_mem offset=16 length=8"},
		{"read_mem dst dst.length", "read_mem dst dst.length 64"},
		{"live off", "live off"},
		{`note "#1"`, `note "#1"`},
		{"note a#b", "note a#b"},
		{`note "a=b"`, `note "a=b"`},
		{"peer p 0000:000011:6f21a0:00000000000000000000ffff0a090002",
			"peer p 0000:000011:6f21a0:00000000000000000000ffff0a090002"},
		{"expect wc status=RETRY_EXC_ERR vendor_err=0x81", "expect wc status=RETRY_EXC_ERR vendor_err=0x81"},
		{"open_device mlx5_0", "open_device mlx5_0"},
		{`open_device device="soft0"`, "open_device soft0"}, // a quoted positional value would be text
		{`open_device device="#x"`, "open_device device=#x"},
		{`alloc_pd name="pd" device="d\"0"`, `alloc_pd pd device="d\"0"`},
		{`query_port device="a=b"`, `query_port device=a=b`},
		{`modify_qp qp="a" qp_state="RTR" rq_psn="0x10"`, "modify_qp a RTR rq_psn=0x10"},
		{`write_mem src "0x41"`, `write_mem src "0x41" offset=0`},
	}
	for _, tt := range tests {
		got := mustParse(t, tt.line).Full()
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
		}
		if again := mustParse(t, got).Full(); again != got {
			t.Errorf("%s\nbecame %s\nand that %s", tt.line, got, again)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		line   string
		column int
		want   string // of the message and the hint
	}{
		{"modfy_qp a", 1, `unknown command "modfy_qp"; did you mean modify_qp?`},
		{"zzzzzz", 1, `unknown command "zzzzzz"; help lists the commands`},
		{"  ibv_post_send a", 3, "write post_send"},
		{`"alloc_pd"`, 1, "unknown command"},
		{"alloc_pd=1", 1, "unknown command"},
		{"expect", 7, "one of wc mem state async error"},
		{"expect stat a RTS", 8, `expect does not know "stat"; did you mean state?`},
		{"expect wc", 10, "at least one value"},
		{"expect wc status=RETRY_EXC_ERR byte_len=3", 41, "byte_len is undefined in a completion with RETRY_EXC_ERR"},
		{"modify_qp a INTI", 13, `"INTI" is not known; did you mean INIT?`},
		{"modify_qp a UNKNOWN", 13, "is not known"},
		{"modify_qp a INIT pkey_indx=0", 18, `has no argument "pkey_indx"; did you mean pkey_index?`},
		{"modify_qp a RTS timeout=99", 25, "the field has 5 bits, at most 31"},
		{"modify_qp a RTR dgid=foo", 22, "is not a GID or IP address"},
		{"reg_mr x", 9, "reg_mr needs length: at least 1; for example: reg_mr dst length=4096"},
		{"reg_mr x length=", 17, "length has an empty value"},
		{"reg_mr x backing=hugetlb", 25, "needs length"},
		{"reg_mr x backing=file:", 18, "file: needs a path"},
		{"reg_mr x backing=shm:ring", 18, `"ring" is not a name for shared memory`},
		{"reg_mr x backing=shm:/../a", 18, "is not a name for shared memory"},
		{"reg_mr x length=1 backing=hugetlb:3M", 27, `"3M" is not a page size`},
		{"reg_mr x length=1 backing=hugetlb:", 27, `"" is not a page size`},
		{"reg_mr x length=1 backing=hugetlb:99999999999G", 27, "is not a page size"},
		{"reg_mr x backing=dmabuf:", 18, "is not a descriptor: write dmabuf:N"},
		{"reg_mr x backing=dmabuf:-1", 18, "is not a descriptor"},
		{"reg_mr x backing=dmabuf:0x80000000", 18, "is not a descriptor"},
		{"reg_mr x backing=dmabuf:udmabuf", 32, "needs length"},
		{"reg_mr x length=1 backing=disk", 27, `"disk" is not a kind of memory; write anonymous, file:PATH`},
		{"reg_mr x length=1 offset=0", 26, "offset needs a file, shared memory, a dma-buf or device memory"},
		{"reg_mr x dm=d backing=hugetlb", 23, "give either dm or backing, not both"},
		{"alloc_dm x", 11, "alloc_dm needs length"},
		{"reg_mr x length=abc", 17, `"abc" is not a number`},
		{"reg_mr x length=18446744073709551616", 17, "too large: the field has 64 bits, at most 18446744073709551615"},
		{"reg_mr x length=1 access=LOCAL_WRITE|REMOTE_WRIT", 38,
			`"REMOTE_WRIT" is not known; did you mean REMOTE_WRITE?`},
		{"reg_mr x length=1 access=|", 26, "has an empty flag"},
		{"reg_mr 9x length=1", 8, `"9x" is not a name`},
		{"reg_mr m pd=9x length=1", 13, `"9x" cannot be the name of a pd`},
		{"write_mem mr=9x data=pattern:1", 14, `"9x" cannot be the name of an mr`},
		{`open_device device="a b"`, 20, `"a b" cannot be the name of an available device`},
		{"reg_mr name=9x length=1", 13, `"9x" is not a name`},
		{"alloc_pd SEND", 10, "word of the language"},
		{"poll_cq cq n=1 n=2", 16, "n is given twice"},
		{"poll_cq cq cq=cq", 12, "cq is given twice"},
		{"poll_cq cq 5", 12, "takes no further argument"},
		{"poll_cq cq timeout", 12, "write timeout=value"},
		{"poll_cq cq timeout=-1s", 20, "negative"},
		{"sleep 3", 7, `"3" has no unit: write 3s or 3ms`},
		{"sleep soon", 7, "is not a duration"},
		{"expect error einval post_send a SEND", 14, `unknown command "einval"`},
		{"expect error post_send a SEND rkye=1", 31, `no argument "rkye"; did you mean rkey?`},
		{`expect error note "x`, 19, "does not end"},
		{"live maybe", 6, "neither 0 nor 1"},
		{"note a b", 8, "quote text that has spaces"},
		{"note \x1b[31m", 6, `control character '\x1b'`},
		{"note a\nnote b", 7, `control character '\n'`},
		{`note "abc`, 6, "does not end"},
		{"note \"a\nb\"", 8, "line break"},
		{`note "a\q"`, 8, "unknown escape"},
		{`note "\x4"`, 7, "unknown escape"},
		{`note "\`, 7, "ends in a backslash"},
		{"post_send a SEND rkey=3", 23,
			"rkey does not apply to SEND; it belongs to RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ"},
		{"post_send a SEND imm_data=3", 27,
			"imm_data does not apply to SEND; it belongs to RDMA_WRITE_WITH_IMM, SEND_WITH_IMM"},
		{"post_send a ATOMIC_FETCH_AND_ADD remote_addr=1 rkey=2 compare_add=3 swap=4", 74,
			"swap does not apply to ATOMIC_FETCH_AND_ADD"},
		{"post_send a LOCAL_INV sge=src invalidate_rkey=1", 27, "sge does not apply to LOCAL_INV"},
		{"post_send a RDMA_WRITE sge=src", 31, "RDMA_WRITE needs remote_addr"},
		{"post_send a SEND_WITH_IMM", 26, "SEND_WITH_IMM needs imm_data"},
		{"post_send a SEND ah=h remote_qpn=3", 35, "a datagram with ah and remote_qpn needs remote_qkey too"},
		{"post_send a TSO", 13, `"TSO" is not known`},
		{"post_send a BIND_MW sge=src", 25, "sge does not apply to BIND_MW"},
		{"post_send a FLUSH remote_addr=1 rkey=2", 39,
			"FLUSH needs length: how many bytes from remote_addr on, or level=MR"},
		{"post_send a FLUSH remote_addr=1 rkey=2 length=0x100000000", 47, "at most 4294967295 bytes"},
		{"post_send a FLUSH remote_addr=1 rkey=2 length=1 sge=src", 53, "sge does not apply to FLUSH"},
		{"post_send a FLUSH remote_addr=1 rkey=2 length=1 type=ALL", 54, "ALL"},
		{"post_send a RDMA_WRITE remote_addr=1 rkey=2 level=MR", 51,
			"level does not apply to RDMA_WRITE; it belongs to FLUSH"},
		{"post_send a ATOMIC_WRITE remote_addr=1 rkey=2", 46, "ATOMIC_WRITE needs sge"},
		{"create_qp a send_ops_flags=FLASH", 28, "FLASH"},
		{"post_send a BIND_MW count=5", 27,
			"count does not apply to BIND_MW; it belongs to all but LOCAL_INV and BIND_MW"},
		{"post_send a BIND_MW outstanding=5", 33, "outstanding does not apply to BIND_MW"},
		{"post_send a LOCAL_INV invalidate_rkey=1 signal_every=1", 54, "signal_every does not apply to LOCAL_INV"},
		{"post_send a SEND mw=w", 21, "mw does not apply to SEND; it belongs to BIND_MW"},
		{"post_send a SEND sge=src:x:5", 22, `offset: "x" is not a number`},
		{"post_send a SEND sge=src:0:5,", 22, "an SGE is empty"},
		{"post_send a SEND sge=@1:2", 22, "a raw SGE is @addr:length:lkey"},
		{"post_send a SEND sge=src:0:4294967296", 22, "the field has 32 bits"},
		{"write_mem src 0x123", 15, "even number of digits"},
		{"write_mem src 0xzz", 15, "is not hex data"},
		{"write_mem src pattern:99999999999", 15, "not a pattern length"},
		{"write_mem src pattern:9:2147483648", 15, `"2147483648" is not a position in the pattern`},
		{"write_mem src pattern:9:x", 15, `"x" is not a position in the pattern`},
		{"write_mem src pattern:dst.length:", 15, "is not a position in the pattern"},
		{"expect mem m 0 pattern:dst.length:x", 16, `data: "x" is not a position in the pattern`},
		{"expect mem m 0 be32:dst.length,be32:x", 16, `data: "x" is not a number`},
		{"expect mem m 0 64 text", 19, "takes no further argument"},
		{"peer p", 7, "peer needs qp_num, or a record"},
		{"peer p 0000:000011", 8, "is not a pingpong record"},
		{"peer p 000:0000011:6f21a0:00000000000000000000ffff0a090002", 8, "is not a pingpong record"},
		{"peer p 0000:000011:6f21a0:00000000000000000000ffff0a09000", 8, "is not a pingpong record"},
		{"peer p 0000:000011:6f21a0:00000000000000000000ffff0a090002:1", 8, "is not a pingpong record"},
		{"peer p 0000:000011:6f21ag:00000000000000000000ffff0a090002", 8, "is not a pingpong record"},
		{"peer p g000:000011:6f21a0:00000000000000000000ffff0a090002", 8, "is not a pingpong record"},
		{"peer p 0000:000011:6f21a0:00000000000000000000ffff0a09000g", 8, "is not a pingpong record"},
		{"peer p 0000:000011:6f21a0:00000000000000000000ffff0a090002 psn=1", 64, "the record already holds psn"},
		{"repeat 0 note x", 8, "out of range: 1 to 1000000000"},
		{"repeat 3", 9, "repeat needs line"},
		{"repeat 3 pots_send", 10, "did you mean post_send?"},
		{"repeat 3 note x y", 17, "quote text"},
		{"chain note x", 7, "note cannot be in a chain"},
		{"chain post_recv a sge=m ; note x", 27, "note cannot be in a chain"},
		{"chain post_recv a sge=m count=2", 31, "count does not apply to a request in a chain"},
		{"chain post_recv a sge=m ; post_recv a sge=m count=2", 51, "count does not apply to a request in a chain"},
		{"expect error", 13, "needs line"},
		{strings.Repeat("repeat 2 ", 20) + "note x", 82, "nested too deep"},
		{strings.Repeat("expect error ", 20) + "note x", 118, "nested too deep"},
		{"note " + strings.Repeat("x", syntax.MaxLineLen), syntax.MaxLineLen + 1, "longer than"},
		{"note " + strings.Repeat("x ", syntax.MaxWords), 6 + 2*(syntax.MaxWords-1), "too many words"},
	}
	for _, tt := range tests {
		c, err := Parse(tt.line)
		var e *syntax.Error
		if err == nil {
			t.Errorf("%s: no error, but %s", clip(tt.line), clip(c.Full()))
			continue
		}
		e = err.(*syntax.Error)
		if e.Column != tt.column || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%s\n got %v\nwant column %d: … %s", clip(tt.line), e, tt.column, tt.want)
		}
		if e.Line != tt.line {
			t.Errorf("%s: the error is about %s", clip(tt.line), clip(e.Line))
		}
	}
}

func clip(s string) string { return s[:min(len(s), 100)] }

func TestTypedValues(t *testing.T) {
	c := mustParse(t, `reg_mr m length=0x1000 access=LOCAL_WRITE|REMOTE_READ`)
	if c.Uint("length") != 4096 || c.Int("length") != 4096 || c.Access("access") != verbs.LocalWrite|verbs.RemoteRead ||
		c.String("name") != "m" {
		t.Errorf("reg_mr: %d %v %q", c.Uint("length"), c.Access("access"), c.String("name"))
	}
	if c.Has("pd") || c.Given("pd") || !c.Given("length") || c.Uint("pd") != 0 ||
		c.Bytes("pd") != nil || c.SGEs("pd") != nil {
		t.Error("an omitted argument has a value")
	}
	c = mustParse(t, "poll_cq cq timeout=1500ms")
	if c.Duration("timeout") != 1500*time.Millisecond || c.Int("n") != 1 || c.Given("n") || !c.Has("n") {
		t.Errorf("poll_cq: %v %d", c.Duration("timeout"), c.Int("n"))
	}
	c = mustParse(t, "post_send a RDMA_READ send_flags=SIGNALED|FENCE remote_addr=1 rkey=2 sge=src:4:8,@0x10:0x20:3,dst,dst:7,dst:1:2:9")
	want := []SGEText{
		{Object: "src", Offset: 4, Length: 8}, {Addr: 16, Length: 32, LKey: 3, HasLKey: true},
		{Object: "dst", ToEnd: true},
		{Object: "dst", Offset: 7, ToEnd: true}, {Object: "dst", Offset: 1, Length: 2, LKey: 9, HasLKey: true},
	}
	if got := c.SGEs("sge"); !slices.Equal(got, want) {
		t.Errorf("sge: %+v", got)
	}
	if c.Opcode("opcode") != verbs.WRRDMARead || c.SendFlags("send_flags") != verbs.SendSignaled|verbs.SendFence {
		t.Errorf("post_send: %v %v", c.Opcode("opcode"), c.SendFlags("send_flags"))
	}
	for line, want := range map[string]string{
		`write_mem m "0x41"`: "0x41", `write_mem m 0x41`: "A", `write_mem m pattern:3`: "\x00\x01\x02",
		`write_mem m pattern:3:501`: "\xfa\x00\x01", `write_mem m text`: "text", `write_mem m ""`: "",
	} {
		if got := string(mustParse(t, line).Bytes("data")); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if !mustParse(t, "live ON").Bool("on") || mustParse(t, "live off").Bool("on") {
		t.Error("live reads on and off wrongly")
	}
	if got := mustParse(t, "peer p qp_num=1 gid=10.0.0.2").GID("gid").String(); got != "::ffff:10.0.0.2" {
		t.Error(got)
	}
	c = mustParse(t, "create_qp a qp_type=UD")
	if c.QPType("qp_type") != verbs.UD || mustParse(t, "expect state a SQD").QPState("qp_state") != verbs.QPSQD ||
		mustParse(t, "expect async PORT_ERR").EventType("event_type") != verbs.EventPortErr ||
		mustParse(t, "expect wc status=GENERAL_ERR").WCStatus("status") != verbs.WCGeneralErr ||
		mustParse(t, "connect_qps a b path_mtu=2048").MTU("path_mtu") != verbs.MTU2048 {
		t.Error("an enum is read wrongly")
	}
}

// TestAbsentValues reads arguments that a line omits.
func TestAbsentValues(t *testing.T) {
	if mtu := mustParse(t, "connect_qps a b").MTU("path_mtu"); mtu != 0 {
		t.Errorf("path_mtu is %s", mtu)
	}
}

func TestPatternHasNoPowerOfTwoPeriod(t *testing.T) {
	p := make([]byte, 2*patternPeriod+9)
	FillPattern(p[:100], 0)
	FillPattern(p[100:], 100)
	for shift := 1; shift < patternPeriod; shift *= 2 {
		if p[0] == p[shift] {
			t.Errorf("a shift of %d goes unnoticed", shift)
		}
	}
	if p[patternPeriod] != p[0] || p[101] != 101 {
		t.Errorf("byte %d is %d, byte 101 is %d", patternPeriod, p[patternPeriod], p[101])
	}
}

// TestModifyTakesEveryField types each field as it is formatted and checks that its bit is in the mask.
func TestModifyTakesEveryField(t *testing.T) {
	for i := range fields.QP {
		f := &fields.QP[i]
		var zero verbs.QPAttr
		text := f.Format(&zero)
		if f.Bit == verbs.AttrPathMTU {
			text = "256" // 0 is no MTU
		}
		c := mustParse(t, fmt.Sprintf("modify_qp a %s=%s", f.Name, text))
		var want verbs.QPAttr
		if err := f.Set(&want, text); err != nil {
			t.Error(err)
		}
		if attr, err := c.QPAttr(); attr != want || err != nil {
			t.Errorf("%s=%s: %+v, not %+v, %v", f.Name, text, attr, want, err)
		}
	}
	attr, err := mustParse(t, "modify_qp a RTR dest_qp_num=0x12 is_global=on dgid=10.0.0.1 path_mtu=1024").QPAttr()
	if err != nil || attr.QPState != verbs.QPRTR || attr.DestQPNum != 0x12 || !attr.AH.IsGlobal ||
		attr.PathMTU != verbs.MTU1024 ||
		attr.AH.GRH.DGID.String() != "::ffff:10.0.0.1" ||
		attr.Mask != verbs.AttrState|verbs.AttrAV|verbs.AttrDestQPN|verbs.AttrPathMTU {
		t.Errorf("%+v %v", attr, err)
	}
	if _, err := mustParse(t, "modify_qp a RTR dest_qp_num=b.qp_num").QPAttr(); err == nil {
		t.Error("a reference that was not resolved was taken for 0")
	}
}

// TestChoicesHaveValues: each choice that C has a constant for is read as that constant.
func TestChoicesHaveValues(t *testing.T) {
	for _, s := range Commands {
		for i := range s.Args {
			a := &s.Args[i]
			if a.cprefix == "" {
				continue
			}
			if len(a.values) != len(a.Choices) {
				t.Errorf("%s: %s has %d choices with %d values", s.Name, a.Name, len(a.Choices), len(a.values))
			}
		}
	}
	c := mustParse(t,
		"modify_qp a IBV_QPS_RTR path_mtu=ibv_mtu_2048 path_mig_state=REARM qp_access_flags=REMOTE_READ,0x1")
	if c.QPState("qp_state") != 2 || c.MTU("path_mtu") != 4 || c.Uint("path_mig_state") != 1 ||
		c.Access("qp_access_flags") != 5 {
		t.Errorf("%+v", c.Values)
	}
	c = mustParse(t, "post_send a IBV_WR_RDMA_READ remote_addr=1 rkey=2 sge=m send_flags=SIGNALED|FENCE")
	if c.Opcode("opcode") != 4 || c.SendFlags("send_flags") != 3 {
		t.Errorf("%+v", c.Values)
	}
}

// TestUnresolved: what still is a reference, or has one in it, has no value yet.
func TestUnresolved(t *testing.T) {
	c := mustParse(t, "post_send a SEND sge=src:0:dst.length wr_id=b.qp_num")
	data := mustParse(t, "write_mem m be32:1,be64:src.addr")
	if c.IsResolved("sge") || c.IsResolved("wr_id") || c.SGEs("sge") != nil || c.Uint("wr_id") != 0 ||
		data.Bytes("data") != nil {
		t.Errorf("%v, %d, %x", c.SGEs("sge"), c.Uint("wr_id"), data.Bytes("data"))
	}
	seven := func(string, string) (string, error) { return "7", nil }
	c, err := c.Resolve(seven)
	const want = "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07"
	if data, wrong := data.Resolve(seven); wrong != nil || string(data.Bytes("data")) != want {
		t.Errorf("%x, %v", data.Bytes("data"), wrong)
	}
	if list := c.SGEs("sge"); err != nil || c.Uint("wr_id") != 7 || len(list) != 1 || list[0].Length != 7 {
		t.Errorf("%+v, %d, %v", list, c.Uint("wr_id"), err)
	}
}

// TestUnreadable: what cannot be read as its type has no value, whoever wrote it.
func TestUnreadable(t *testing.T) {
	c := mustParse(t, "modify_qp a RTR").With("sgid_index", "zz").With("dgid", "nowhere")
	if c.IsResolved("sgid_index") || c.IsResolved("dgid") || c.Uint("sgid_index") != 0 {
		t.Errorf("sgid_index %t %d, dgid %t", c.IsResolved("sgid_index"), c.Uint("sgid_index"), c.IsResolved("dgid"))
	}
	if attr, err := c.QPAttr(); err == nil {
		t.Errorf("they are taken for %+v", attr)
	}
}

func TestWith(t *testing.T) {
	c := mustParse(t, "modify_qp RTR sgid_index=b.x")
	filled := c.With("qp", "a").With("dgid", "::1").With("nothing", "x")
	if got, want := filled.Full(), "modify_qp a RTR dgid=::1 sgid_index=b.x"; got != want {
		t.Errorf("full %q, want %q", got, want)
	}
	if got, want := filled.Canonical(), "modify_qp qp_state=RTR sgid_index=b.x"; got != want {
		t.Errorf("canonical %q, want %q", got, want)
	}
	if c.Has("qp") || !filled.Has("qp") || filled.Given("qp") {
		t.Error("With changed the command it was called on, or counts as typed")
	}
	if got := filled.With("qp", "z").String("qp"); got != "z" {
		t.Errorf("qp is %q", got)
	}
}

func TestQuoteReadsBack(t *testing.T) {
	for _, s := range []string{"", "plain", "a b", "\x00\x01\n\t\r\"\\", "\xff\xfe", "é→", "\u202e", "\x1b[2J"} {
		q := syntax.Quote(s)
		if got := mustParse(t, "note "+q).String("text"); got != s {
			t.Errorf("%q became %s and then %q", s, q, got)
		}
	}
	if got, want := syntax.Quote("a\x1b\u202e"), `"a\x1b\xe2\x80\xae"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSuggest(t *testing.T) {
	words := []string{"post_send", "post_recv", "poll_cq", "pd", "reg_mr"}
	for word, want := range map[string]string{
		"pots_send": "post_send", "POST_SEND": "post_send", "poll": "poll_cq", "dp": "pd", "rg_mr": "reg_mr",
		"zzz": "", "": "",
		strings.Repeat("p", 5000): "",
	} {
		if got := syntax.Suggest(word, words); got != want {
			t.Errorf("%s: %q, want %q", clip(word), got, want)
		}
	}
}

// TestNoHintOfALine: a nested line has no name that could be misspelt.
func TestNoHintOfALine(t *testing.T) {
	for line, want := range map[string]string{"repeat lin=3 note x": "one of n",
		"repeat m=3 note x": "did you mean n?"} {
		_, err := Parse(line)
		if got := (*syntax.Error)(nil); !errors.As(err, &got) || got.Hint != want {
			t.Errorf("%s: %v, want the hint %q", line, err, want)
		}
	}
}
