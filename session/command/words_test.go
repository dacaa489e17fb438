package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// TestSharedMemoryNames tries each character, and the shortest names.
func TestSharedMemoryNames(t *testing.T) {
	for r := range rune(0x100) {
		text := "shm:/a" + string(r)
		want := '!' <= r && r <= '~' && !strings.ContainsRune(`/"#;`, r)
		b, err := parseBacking(text)
		if (err == nil) != want || want && (b != verbs.Backing{Kind: verbs.SharedMemory, Path: text[len("shm:"):]}) {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
	for text, want := range map[string]bool{"shm:": false, "shm:/": false, "shm:a": false, "shm:ab": false,
		"shm:/a": true, "shm://": false} {
		if _, err := parseBacking(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOffers: forms offer choices that the parser takes, and every operation.
func TestOffers(t *testing.T) {
	offered := 0
	for _, s := range Commands {
		for i := range s.Args {
			for _, o := range s.Args[i].Offers {
				if offered++; !slices.Contains(s.Args[i].Choices, o.Value) {
					t.Errorf("%s %s does not take %s", s.Name, s.Args[i].Name, o.Value)
				}
			}
		}
	}
	if a := PostSend.Arg("opcode"); len(a.Offers) != len(a.Choices) || offered <= len(a.Offers) {
		t.Errorf("%d of %d operations are offered, %d offers", len(a.Offers), len(a.Choices), offered)
	}
}

// TestNumberMessage: a word that begins with a digit but is not a number is not called too large.
func TestNumberMessage(t *testing.T) {
	for text, want := range map[string]string{
		"256":                  `"256" is too large: the field has 8 bits, at most 255`,
		"0x100":                `"0x100" is too large: the field has 8 bits, at most 255`,
		"99999999999999999999": `"99999999999999999999" is too large: the field has 8 bits, at most 255`,
		"5x":                   `"5x" is not a number`, "x5": `"x5" is not a number`,
		"": `"" is not a number`, "-1": `"-1" is not a number`,
	} {
		if _, err := readUint(text, 8); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestDeviceNames(t *testing.T) {
	long := strings.Repeat("d", syntax.MaxNameLen)
	for name, want := range map[string]bool{
		"mlx5_0": true, "rocep1s0f0.1": true, "!~": true, long: true, "": false, long + "d": false, "a b": false,
		"a\x7f": false, "a\t": false, "é": false,
	} {
		if got := isDeviceName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestValuesAreReplaced: With and Without change one value, and only in the command that they return.
func TestValuesAreReplaced(t *testing.T) {
	c := mustParse(t, "reg_mr m pd=p length=4096")
	for want, got := range map[string]Command{
		"reg_mr m pd=p length=4096 access=LOCAL_WRITE": c,
		"reg_mr m length=4096 access=LOCAL_WRITE":      c.Without("pd"),
		"reg_mr m pd=p length=4096":                    c.Without("access"),
		"reg_mr m pd=q length=4096 access=LOCAL_WRITE": c.With("pd", "q"),
		"reg_mr m pd=p length=8 access=LOCAL_WRITE":    c.With("length", "8").With("nothing", "1").Without("nothing"),
	} {
		if got.Full() != want {
			t.Errorf("%s, want %s", got.Full(), want)
		}
		args := map[string]bool{}
		for _, v := range got.Values {
			if args[v.Arg.Name] {
				t.Errorf("%s: %s has two values", want, v.Arg.Name)
			}
			args[v.Arg.Name] = true
		}
	}
	if n := c.With("length", "0x7fffffffffffffff").Int("length"); n != 1<<63-1 {
		t.Errorf("the largest int is read as %d", n)
	}
	if n := c.With("length", "0x8000000000000000").Int("length"); n != 0 {
		t.Errorf("a number beyond int is read as %d", n)
	}
}

// TestNamesThatAreChoices: an object may have the name of a choice if the argument of the choice is given by name; if
// it is positional, the word is read as the choice.
func TestNamesThatAreChoices(t *testing.T) {
	for line, want := range map[string]string{"create_qp RC": "RC", "create_qp UD qp_type=RC": "UD",
		"modify_qp INIT": "", "modify_qp RTR INIT": "", "modify_qp a INIT": "a"} {
		c, err := Parse(line)
		name := c.String("name") + c.String("qp")
		if err == nil && name != want {
			t.Errorf("%s: %q, want %q", line, name, want)
		}
		if err != nil && want != "" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestQuotesOfPaths: a path is quoted if the lexer needs it, but not if only a positional name would need it.
func TestQuotesOfPaths(t *testing.T) {
	for _, line := range []string{`write_mem m file:a=b`, `write_mem m file:#1`, `write_mem m file:"a b"`,
		`write_mem m file:a`} {
		if got := mustParse(t, line).Canonical(); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestReplaceInSGEs: every part of a piece may be a reference, except the name of its region.
func TestReplaceInSGEs(t *testing.T) {
	lookUp := func(name, field string) (string, error) {
		return map[string]string{"a.x": "1", "b.y": "2", "c.z": "3", "d.addr": "0x1000"}[name+"."+field], nil
	}
	for text, want := range map[string]string{
		"src": "src", "src:a.x": "src:1", "src:a.x:b.y": "src:1:2",
		"src:a.x:b.y:c.z": "src:1:2:3", "@d.addr:b.y:c.z": "@0x1000:2:3",
		"src:a.x,dst:b.y:4": "src:1,dst:2:4", "@0x10:a.x:7,src": "@0x10:1:7,src",
	} {
		replace := func(s string) (string, error) { return resolveText(s, lookUp) }
		if got, err := replaceInSGEs(text, keepName, replace); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestErrnoNames(t *testing.T) {
	long := "E" + strings.Repeat("X", syntax.MaxNameLen-1)
	for name, want := range map[string]bool{
		"EIO": true, "E2BIG": true, "EINVAL": true, long: true, "": false, "E": false, "EX": false, "einval": false,
		"Einval": false, "INVAL": false, "XEIO": false, "E-O ": false, long + "X": false,
	} {
		if got := isErrno(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestFilesOfALine: the file that a line reads, makes or maps; text that only looks like a file is ignored.
func TestFilesOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"write_mem m file:a.bin": "a.bin", `write_mem m "file:a.bin"`: "",
		"write_mem m pattern:8": "", "reg_mr m length=1 backing=file:b.bin": "b.bin",
		"reg_mr m length=1 backing=shm:/ring": sharedRoot + "/ring", "reg_mr m length=4096": "", "note shm:/ring": "",
		"note file:a": "", "expect mem m file:c": "c", "save x.rdma": "x.rdma", "export c x.c": "x.c",
		"capture soft0 on file=x.pcapng": "x.pcapng", "save_packets y": "y", "save_incident z": "z",
		"reg_mr m length=1 backing=dmabuf:3": "dmabuf:3", "reg_mr m length=1 backing=hugetlb": "", "note dmabuf:3": "",
	} {
		if got := strings.Join(mustParse(t, line).Files(), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestLimits: the limit of a wait is the value of the line's timeout argument; other durations are no limits.
func TestLimits(t *testing.T) {
	for line, want := range map[string]time.Duration{"poll_cq cq timeout=3s": 3 * time.Second,
		"poll_cq cq n=2": 0, "rdma_resolve_addr id 10.0.0.1 timeout=250ms": 250 * time.Millisecond, "alloc_pd": 0,
		"fault soft0 delay=5s": 0} {
		if got := mustParse(t, line).Limit(); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
