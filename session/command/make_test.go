package command

import (
	"strings"
	"testing"
)

// TestMake: the values of a form make the command that its line would be, in any order of the named ones.
func TestMake(t *testing.T) {
	for _, tt := range []struct {
		spec   *Spec
		fields []Field
		line   string
		wrong  string // what is wrong with it, "" for nothing
	}{
		{PostSend, []Field{{"qp", "a"}, {"opcode", "RDMA_READ"}, {"wr_id", "7"}, {"sge", "src:0:2K"},
			{"remote_addr", "dst.addr+16"}, {"rkey", "dst.rkey"}},
			"post_send a RDMA_READ wr_id=7 sge=src:0:2K remote_addr=dst.addr+16 rkey=dst.rkey", ""},
		{PostSend, []Field{{"qp", "a"}, {"opcode", "SEND"}, {"send_flags", "SIGNALED|FENCE"}, {"sge", "src"}},
			"post_send a SEND send_flags=SIGNALED|FENCE sge=src", ""},
		{ModifyQP, []Field{{"qp", "a"}, {"qp_state", "RTR"}, {"path_mtu", "1024"}, {"dgid", "::1"}},
			"modify_qp a RTR path_mtu=1024 dgid=::1", ""},
		{WriteMem, []Field{{"mr", "src"}, {"data", "two words"}, {"offset", "8"}},
			`write_mem src "two words" offset=8`, ""},
		{PostSend, []Field{{"qp", "a"}, {"opcode", "RDMA_READ"}, {"sge", "src"}, {"rkey", "0x12zz"}},
			"post_send a RDMA_READ sge=src rkey=0x12zz", `rkey: "0x12zz" is not a number`},
		{PostSend, []Field{{"qp", "a"}, {"opcode", "RDMA_READ"}, {"sge", "src"}, {"rkey", "1"}},
			"post_send a RDMA_READ sge=src rkey=1", "RDMA_READ needs remote_addr: "},
		{PostRecv, []Field{{"qp", "a b"}}, `post_recv "a b"`, `qp: "a b" cannot be the name of a qp`},
	} {
		c, err := Make(tt.spec, tt.fields...)
		if c.Text != tt.line {
			t.Errorf("the line is %s, not %s", c.Text, tt.line)
		}
		if tt.wrong != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.wrong) || c.Wrong == nil {
				t.Errorf("%s: %v, not %s", tt.line, err, tt.wrong)
			}
			continue
		}
		if typed := mustParse(t, tt.line); err != nil || c.Wrong != nil || c.Full() != typed.Full() {
			t.Errorf("%s: %v\n%s, not\n%s", tt.line, err, c.Full(), typed.Full())
		}
		if renamed := c.Renamed(func(name string) string { return name + "2" }); !strings.Contains(renamed, "2 ") {
			t.Errorf("%s is renamed %s", tt.line, renamed)
		}
	}
}

// TestMadeErrors: what is wrong with a reference is said without the column of a line that nobody typed.
func TestMadeErrors(t *testing.T) {
	c, err := Make(PostRecv, Field{"qp", "b"}, Field{"wr_id", "x.y"})
	if err != nil {
		t.Fatal(err)
	}
	text := func(string, string) (string, error) { return "text", nil }
	if _, err := c.Resolve(text); err == nil || err.Error() != `wr_id: "text" is not a number` {
		t.Error(err)
	}
	if _, err := mustParse(t, c.Text).Resolve(text); err == nil || !strings.HasPrefix(err.Error(), "column 19: wr_id") {
		t.Error(err)
	}
}

// TestMakeQuotes: text with spaces is quoted in the line, and read as text even if it begins as numbers do.
func TestMakeQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"hello, b": "hello, b", "0x 41": "0x 41", "be32: 1": "be32: 1", "0x6869": "hi", "u8:104": "h",
	} {
		c, err := Make(WriteMem, Field{"mr", "m"}, Field{"data", text})
		if got := string(c.Bytes("data")); err != nil || got != want {
			t.Errorf("%s is %q, want %q, %v", c.Text, got, want, err)
		}
	}
}
