package completions

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
)

// A path that cannot be written is refused with one message, and nothing is lost.
func TestExportRefused(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "a directory")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"none":                   "",
		"no such directory":      filepath.Join(dir, "none", "x.csv"),
		"a directory":            blocked,
		"below a file":           filepath.Join(os.Args[0], "x.csv"),
		"escape, and a line end": filepath.Join(dir, "none", "\x1b[31mred\nsecond\u202e"),
		"NUL":                    filepath.Join(dir, "a\x00b"),
		"too long":               filepath.Join(dir, strings.Repeat("x", 5000)),
	} {
		x := newBench(t, theme.New("none", true), 64)
		x.journey()
		m, ok := x.s.export(path)().(screen.FlashMsg)
		if !ok || m.Level != timeline.LevelError || !strings.HasPrefix(m.Text, "export: ") ||
			strings.ContainsAny(m.Text, "\n\r\x1b\x00\u202e") {
			t.Errorf("%s: %+v", name, m)
		}
		if x.s.list().Len() != 12 {
			t.Errorf("%s: %d rows are left", name, x.s.list().Len())
		}
	}
}

// Hostile names and bytes are exported as text that can be parsed.
func TestExportHostile(t *testing.T) {
	c := recvDone(1<<64 - 1)
	c.CQ, c.QP = "=HYPERLINK(\"x\")", "a,\"b\"\r\n\x1b[31m"
	c.Arrived = &timeline.Arrived{Data: []byte("=1+1\r\n\x1b\x00\xff"), Total: 9}
	x := newBench(t, theme.New("none", true), 64)
	x.sess.Timeline().AppendBatch([]timeline.Completion{c})
	x.refresh()
	dir := t.TempDir()
	for _, name := range []string{"x.csv", "x.jsonl"} {
		if m := x.s.export(filepath.Join(dir, name))().(screen.FlashMsg); m.Level != timeline.LevelInfo ||
			!strings.HasPrefix(m.Text, "1 completion written to ") {
			t.Fatal(m.Text)
		}
	}
	f, err := os.Open(filepath.Join(dir, "x.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	for i, text := range rows[1] {
		if text != "" && strings.ContainsAny(text[:1], "=+-@") || strings.ContainsAny(text, "\r\n\x1b\x00") {
			t.Errorf("%s is %q", rows[0][i], text)
		}
	}
	if got := rows[1][len(rows[1])-1]; got != "0x3d312b310d0a1b00ff" || rows[0][len(rows[0])-1] != "data" {
		t.Errorf("data %q", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "x.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		WRID uint64 `json:"wr_id"`
		Imm  uint64 `json:"imm_data"`
		Data string
	}
	if err := json.Unmarshal(text, &got); err != nil || strings.Count(string(text), "\n") != 1 || got.WRID != 1<<64-1 ||
		got.Data != "0x3d312b310d0a1b00ff" {
		t.Errorf("%s: %+v, %v", text, got, err)
	}
}
