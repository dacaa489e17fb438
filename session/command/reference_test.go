package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rdmatui/session/command/syntax"
)

var errNoObject = errors.New("there is no such object")

// world has the objects that the tests refer to.
func world(object, field string) (string, error) {
	values := map[string]string{
		"b.qp_num": "0x000012", "b.gid": "::ffff:10.0.0.1", "b.state": "RTS", "dst.addr": "0x1000",
		"dst.rkey": "0x1234", "dst.length": "4096", "dst.access": "LOCAL_WRITE|REMOTE_READ",
		"top.addr": "0xffffffffffffffff", "b.evil": "\x1b[31m",
	}
	if v, ok := values[object+"."+field]; ok {
		return v, nil
	}
	return "", fmt.Errorf("%s.%s: %w", object, field, errNoObject)
}

func TestResolve(t *testing.T) {
	tests := []struct{ line, want string }{
		{"modify_qp a RTR dest_qp_num=b.qp_num dgid=b.gid",
			"modify_qp a RTR dest_qp_num=0x000012 dgid=::ffff:10.0.0.1"},
		{"modify_qp a qp_state=b.state", "modify_qp a RTS"},
		{"post_send a RDMA_READ remote_addr=dst.addr+16 rkey=dst.rkey sge=dst:4:dst.length,@dst.addr+0x10:8:dst.rkey",
			"post_send a RDMA_READ sge=dst:4:4096,@0x1010:8:0x1234 send_flags=SIGNALED remote_addr=0x1010 rkey=0x1234"},
		{"write_mem dst pattern:dst.length", "write_mem dst pattern:4096 offset=0"},
		{"write_mem dst pattern:dst.length:7", "write_mem dst pattern:4096:7 offset=0"},
		{`write_mem dst "dst.length"`, `write_mem dst "dst.length" offset=0`}, // quoted: text
		{"write_mem dst dst.length", "write_mem dst dst.length offset=0"},     // data is text too
		{"reg_mr x length=dst.length access=dst.access", "reg_mr x length=4096 access=LOCAL_WRITE|REMOTE_READ"},
		{"write_mem dst be64:dst.addr+16,be32:dst.rkey,u8:7", "write_mem dst be64:0x1010,be32:0x1234,u8:7 offset=0"},
		{"rdma_connect id private_data=le16:dst.length", "rdma_connect id private_data=le16:4096 responder_resources=1 initiator_depth=1 flow_control=1 rnr_retry_count=7 srq=0 retry_count=7 timeout=30s"},
		{"save dst.length", "save dst.length"},
		// a host name
		{"exchange address=dst.length",
			"exchange address=dst.length protocol=pingpong port=18515 timeout=30s hold=0 regions=1"},
		// resolved when it runs
		{"repeat 2 read_mem dst dst.length", "repeat 2 read_mem dst dst.length"},
		{"sleep 1.5s", "sleep 1.5s"},
		{"# nothing", ""},
	}
	for _, tt := range tests {
		c := mustParse(t, tt.line)
		before := c.Full()
		r, err := c.Resolve(world)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if got := r.Full(); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
		}
		if c.Full() != before {
			t.Errorf("%s: Resolve changed the command it was called on", tt.line)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	tests := []struct {
		line   string
		column int
		want   string
	}{
		{"modify_qp a RTR dest_qp_num=c.qp_num", 29, "dest_qp_num: c.qp_num: there is no such object"},
		{"post_send a SEND sge=dst:0:c.length", 22, "sge: c.length: there is no such object"},
		{"modify_qp a RTR dest_qp_num=b.gid", 29, "is not a number"},
		{"modify_qp a RTR timeout=dst.length", 25, "the field has 5 bits"},
		{"modify_qp a RTR dgid=b.gid+1", 22, "to which no number can be added"},
		{"post_send a RDMA_READ rkey=1 remote_addr=top.addr+1", 42, "beyond 64 bits"},
		{"modify_qp a RTR dest_qp_num=b.evil", 29, `"\x1b[31m" is not a number`},
		{"repeat dst.rk note x", 8, "there is no such object"},
		{"repeat b.qp_num+1000000000 note x", 8, "out of range"},
		{"post_send a opcode=b.state", 20, `"RTS" is not known`},
	}
	for _, tt := range tests {
		_, err := mustParse(t, tt.line).Resolve(world)
		var e *syntax.Error
		if !errors.As(err, &e) || e.Column != tt.column || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%s\n got %v\nwant column %d: … %s", tt.line, err, tt.column, tt.want)
		}
		if strings.Contains(tt.want, errNoObject.Error()) && !errors.Is(err, errNoObject) {
			t.Errorf("%s: the error does not wrap its cause", tt.line)
		}
	}
}

func TestParseReference(t *testing.T) {
	for s, want := range map[string]string{
		"b.qp_num": "b qp_num 0 false", "a-1.cap.max_send_wr+0x10": "a-1 cap.max_send_wr 16 true",
		"_x.a": "_x a 0 false",
	} {
		r, ok := parseReference(s)
		if got := fmt.Sprint(r.object, " ", r.field, " ", r.add, " ", r.plus); !ok || got != want {
			t.Errorf("%s: %s %v, want %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"", ".", "a.", ".b", "1.5s", "10.0.0.1", "::ffff:1.2.3.4", "a b.c", "a.b+",
		"a.b+x", "a.b-1", "a.5",
		strings.Repeat("a", 65) + ".b", "a." + strings.Repeat("b", 129)} {
		if r, ok := parseReference(s); ok {
			t.Errorf("%s is mistaken for %+v", s, r)
		}
	}
}
