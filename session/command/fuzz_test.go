package command

import (
	"strings"
	"testing"
	"unicode"

	"rdmatui/session/command/syntax"
)

func seeds(f *testing.F) []string {
	lines := []string{
		"", "#", `note "\x00\xff\"" # x`, `note "`, `note "\`, "a=b", "=", "x.y+1", "repeat 3 repeat 3 note x",
		"expect", "expect error",
		"post_send a SEND sge=@0:0:0,x:y.z:1", "modify_qp a qp_state=b.c rq_psn=b.psn+1", "\x1b[31m",
		"reg_mr x access=|||", "peer p record=::",
	}
	for line := range strings.Lines(designScript) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	for _, spec := range Commands {
		lines = append(lines, spec.Example)
	}
	return lines
}

func FuzzParse(f *testing.F) {
	for _, line := range seeds(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := Parse(line)
		if err != nil {
			checkErrorText(t, line, err.(*syntax.Error))
			return
		}
		if c.Spec == nil {
			return
		}
		readAll(c)
		roundTrip(t, c)
		if r, err := c.Resolve(world); err == nil {
			readAll(r)
			roundTrip(t, r)
		} else {
			checkErrorText(t, line, err.(*syntax.Error))
		}
	})
}

// checkErrorText checks that an error is one printable line that points into the command line.
func checkErrorText(t *testing.T, line string, e *syntax.Error) {
	if e.Column < 1 || e.Column > len(line)+1 {
		t.Errorf("%q: column %d", line, e.Column)
	}
	for _, r := range e.Error() {
		if !unicode.IsPrint(r) {
			t.Errorf("%q: the error %q holds %U", line, e.Error(), r)
		}
	}
}

// roundTrip checks that the formatted line is the same command.
func roundTrip(t *testing.T, c Command) {
	for _, text := range []string{c.Canonical(), c.Full()} {
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q became %q: %v", c.Text, text, err)
		}
		if again.Full() != c.Full() {
			t.Fatalf("%q became %q, and that %q", c.Text, text, again.Full())
		}
	}
}

// readAll reads each value with every getter: none may panic.
func readAll(c Command) {
	for _, v := range c.Values {
		name := v.Arg.Name
		_, _, _, _ = c.Uint(name), c.Int(name), c.Bool(name), c.Duration(name)
		_, _, _, _ = c.GID(name), c.Access(name), c.SendFlags(name), c.Opcode(name)
		_, _, _, _ = c.QPState(name), c.QPType(name), c.EventType(name), c.MTU(name)
		_, _ = c.SGEs(name), c.WCStatus(name)
		if len(v.Text) < 20 {
			_ = c.Bytes(name) // a long pattern is slow, not wrong
		}
	}
	_, _ = c.QPAttr()
}

func FuzzComplete(f *testing.F) {
	for _, line := range seeds(f) {
		for _, cursor := range []int{0, len(line) / 2, len(line)} {
			f.Add(line, cursor)
		}
	}
	f.Fuzz(func(t *testing.T, line string, cursor int) {
		found := Complete(line, cursor, testObjects, testFields)
		cursor = min(max(cursor, 0), len(line))
		for _, c := range found {
			if c.From < 0 || c.From > cursor || c.To < cursor || c.To > len(line) || c.Text == "" {
				t.Errorf("%q at %d: %+v", line, cursor, c)
			}
		}
	})
}

func BenchmarkParsePostSend(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		const line = "post_send a RDMA_WRITE wr_id=1 sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED"
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseLongPayload(b *testing.B) {
	line := "write_mem src 0x" + strings.Repeat("00", 1<<20-64)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	line := "modify_qp a RTR dest_qp_num="
	b.ReportAllocs()
	for b.Loop() {
		Complete(line, len(line), testObjects, testFields)
	}
}
