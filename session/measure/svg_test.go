package measure

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/bench"
)

// drawn is a view of a test with two phases.
func drawn(test bench.Test, both bool) *View {
	p := bench.DefaultParams(test)
	p.Bidirectional = both
	v := &View{State: Stopped, Params: p, Both: true, Phases: []Phase{{Params: p}, {From: time.Second, Params: p}},
		Counters: []Counter{{"retransmissions", 3}, {"timeouts", 0}}, Err: "a < b & \x1b[2J"}
	for i := range 20 {
		v.Points = append(v.Points, Point{At: time.Duration(i+1) * interval, Over: interval, Size: p.Size,
			Phase:    i / 10,
			Messages: 1000, Received: 10, Latency: 5000})
	}
	if test.Latency {
		v.Histogram = NewHistogram()
		for i := range 1000 {
			v.Histogram.Add(time.Duration(5000 + i))
		}
		v.Spread = v.Histogram.Spread()
	}
	return v
}

// TestSVG: every drawing is XML, with one part of a curve for each curve and phase.
func TestSVG(t *testing.T) {
	limits := []Limit{{"link", "4×", 1e10}}
	for name, tt := range map[string]struct {
		v      *View
		limits []Limit
		parts  int // of curves
		want   string
	}{
		"bandwidth":  {drawn(bench.Test{Verb: bench.Write}, false), limits, 4, "link, 4×"},
		"directions": {drawn(bench.Test{Verb: bench.Write}, true), nil, 8, ">received<"},
		"latency":    {drawn(bench.Test{Verb: bench.Send, Latency: true}, false), nil, 4, "p99.9 6 µs"},
		"nothing":    {&View{Params: bench.DefaultParams(bench.Test{})}, limits, 0, "starting"},
	} {
		var b strings.Builder
		if err := WriteSVG(&b, `"<&name>"`+"\x1b", tt.v, tt.limits); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		parts := 0
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			e, _ := token.(xml.StartElement)
			for _, a := range e.Attr {
				if a.Name.Local == "d" {
					parts += strings.Count(a.Value, "M")
				}
			}
		}
		if parts != tt.parts || !strings.Contains(text, tt.want) || strings.Contains(text, "\x1b") ||
			strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %d parts of curves, want %d and %q\n%s", name, parts, tt.parts, tt.want, text)
		}
	}
}

// TestSVGTexts: a drawing labels its axes and phases, and says what the run was, but writes nothing of what is unknown
// or zero.
func TestSVGTexts(t *testing.T) {
	write := bench.Test{Verb: bench.Write}
	const mean = "1, from 0.0 s: "
	for _, tt := range []struct {
		name   string
		change func(v *View)
		with   []string // texts of their own
		parts  []string
		never  []string
	}{
		{"two phases", func(*View) {}, []string{"0 s", "0.5 s", "1 s", "1.5 s", "2 s", "2", "retransmissions: 3",
			write.String() + ", stopped"}, []string{mean, "2, from 1.0 s: "}, []string{"timeouts", "1"}},
		{"one phase", func(v *View) { v.Phases = v.Phases[:1] }, []string{"2 s"}, nil, []string{mean, "2"}},
		{"no phase", func(v *View) { v.Phases = nil }, []string{"2 s"}, nil, []string{mean, "2"}},
		{"a device", func(v *View) { v.Info.DeviceName = "mlx5_0" }, []string{write.String() + ", stopped, mlx5_0"},
			nil, nil},
		{"shorter than a sample", func(v *View) { v.Points = []Point{{At: 1, Over: 1}} },
			[]string{"0 s", "0.025 s", "0.05 s", "0.075 s", "0.1 s"}, nil, nil},
		{"no error", func(v *View) { v.Err = "" }, []string{"retransmissions: 3"}, nil, []string{"a < b"}},
	} {
		v := drawn(write, false)
		tt.change(v)
		var b strings.Builder
		if err := WriteSVG(&b, "name", v, nil); err != nil {
			t.Fatal(err)
		}
		var image struct {
			Texts []string `xml:"text"`
		}
		if err := xml.Unmarshal([]byte(b.String()), &image); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.with {
			if !slices.Contains(image.Texts, want) {
				t.Errorf("%s: no text %q in %q", tt.name, want, image.Texts)
			}
		}
		all := strings.Join(image.Texts, "\n")
		if last := image.Texts[len(image.Texts)-1]; last == "" || strings.HasPrefix(last, "a < b") != (v.Err != "") {
			t.Errorf("%s: the last text is %q", tt.name, last)
		}
		for _, want := range tt.parts {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.name, want, all)
			}
		}
		for _, never := range tt.never {
			if slices.ContainsFunc(image.Texts, func(s string) bool {
				return s == never || len(never) > 1 && strings.Contains(s, never)
			}) {
				t.Errorf("%s: %q is in\n%s", tt.name, never, all)
			}
		}
	}
}
