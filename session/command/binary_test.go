package command

import (
	"reflect"
	"testing"
)

// TestBinary: a decoded command equals the encoded one, and damaged data is refused.
func TestBinary(t *testing.T) {
	lines := []string{"", "# a comment", `write_mem mr data="a \"b\" \xff" offset=0x10`, "write_mem mr data=$cq.cqe"}
	for _, spec := range Commands {
		lines = append(lines, spec.Example)
	}
	for _, line := range lines {
		want := mustParse(t, line)
		b, err := want.MarshalBinary()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var got Command
		if err := got.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s came back as %+v, %v; want %+v", line, got, err, want)
		}
		for n := range b {
			var cut Command
			_ = cut.UnmarshalBinary(b[:n]) // an error or a shorter command, never a panic
		}
	}
	if b, err := (Command{Spec: Commands[0], Values: []Value{{Arg: &Arg{Name: "none"}}}}).MarshalBinary(); err == nil {
		t.Errorf("a value of another command was encoded: %q", b)
	}
	for name, b := range map[string]string{
		"nothing": "", "no such command": "\x01x\x00", "a value without a command": "\x00\x00\x01",
		"a value without an argument": "\x08alloc_pd\x00\x7f\x00\x00\x00", "a length beyond the end": "\x7fx",
		"no line": "\x08alloc_pd", "no flags": "\x08alloc_pd\x00\x00",
		"no column": "\x08alloc_pd\x00\x00\x01", "no text": "\x08alloc_pd\x00\x00\x01\x00\x04a",
	} {
		var c Command
		if err := c.UnmarshalBinary([]byte(b)); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
