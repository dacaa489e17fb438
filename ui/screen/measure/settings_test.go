package measure

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// TestScaleOfNumbers: + doubles a number and - halves it, down to its least; other fields have no number.
func TestScaleOfNumbers(t *testing.T) {
	for _, tt := range []struct{ set, name, twice, half string }{
		{"size=6", "size", "12", "3"}, {"size=1", "size", "2", "1"}, {"size=0", "size", "1", "1"},
		{"duration=3", "duration", "6", "1"}, {"iters=5", "iters", "10", "2"}, {"qp=1", "qp", "2", "1"},
		{"tx-depth=9", "tx-depth", "18", "4"}, {"cq-mod=0", "cq-mod", "1", "0"}, {"inline_size=-1", "inline_size", "1",
			"0"},
		{"inline_size=1", "inline_size", "2", "0"}, {"", "events", "", ""}, {"", "test", "", ""}, {"", "nosuch", "",
			""},
	} {
		s := newSettings()
		if name, value, ok := strings.Cut(tt.set, "="); ok {
			if err := s.set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		for twice, want := range map[bool]string{true: tt.twice, false: tt.half} {
			if got, ok := s.scale(tt.name, twice); got != want || ok != (want != "") {
				t.Errorf("%s, %s: twice %v: %q, want %q", tt.set, tt.name, twice, got, want)
			}
		}
	}
}

// TestDifferences: what differs between two settings is named in the words of the form.
func TestDifferences(t *testing.T) {
	was := newSettings()
	for _, tt := range []struct{ set, want string }{
		{"", ""}, {"size=1", "size 1"}, {"duration=7", "duration 7s"}, {"iters=7", "duration 0s iters 7"},
		{"connection=UC", "connection UC"}, {"events=1 qp=3", "qp 3 events true"}, {"rdma_cm=1", "rdma_cm true"},
	} {
		is := was
		for word := range strings.FieldsSeq(tt.set) {
			name, value, _ := strings.Cut(word, "=")
			if err := is.set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(changes(&was.p, &is.p), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.set, got, tt.want)
		}
	}
}

// TestBounds: each number of the form has a largest value, and none means its default.
func TestBounds(t *testing.T) {
	for name, most := range map[string]uint64{"port": 65535, "size": 1 << 31, "duration": 86400, "iters": 100_000_000} {
		s := newSettings()
		for value, ok := range map[string]bool{"": true, fmt.Sprint(most): true, fmt.Sprint(most + 1): false,
			"-1": false} {
			if err := s.set(name, value); (err == nil) != ok {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	s := newSettings()
	for _, f := range []struct{ name, value string }{{"port", "7"}, {"size", "7"}, {"qp", "7"}, {"tx-depth", "7"},
		{"connection", "UC"}, {"cq-mod", "7"}, {"inline_size", "7"}} {
		for _, value := range []string{f.value, ""} {
			if err := s.set(f.name, value); err != nil {
				t.Error(err)
			}
		}
	}
	if want := newSettings(); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if got := s.p.Connection; got != verbs.RC {
		t.Error(got)
	}
}

// TestFolded: the form has what most use, and what differs from the test's usual settings; the rest is counted.
func TestFolded(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*settings)
		all    bool
		want   string
	}{
		"usual": {func(*settings) {}, false, "test ends device size duration more=12 . shows them"},
		"iterations": {func(s *settings) { s.p.Duration = 0 }, false,
			"test ends device size duration iters more=11 . shows them"},
		"others": {func(s *settings) { s.p.QPs, s.p.CM = 2, true }, false,
			"test ends device port size duration qp rdma_cm more=10 . shows them"},
		"all": {func(*settings) {}, true, "test ends device size duration iters connection all tx-depth qp post_list " +
			"cq-mod inline_size events bidirectional rdma_cm report_gbits"},
	} {
		s := newSettings()
		tt.change(&s)
		var got []string
		for _, f := range s.fields(nil, device{}, tt.all) {
			text := f.Name
			if f.Name == widget.MoreFields {
				text += "=" + f.Value + " " + f.Note
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}
