package measure

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"rdmatui/session/perftest"
)

// drawn is a view of a test with two phases.
func drawn(test perftest.Test, both bool) *View {
	p := perftest.DefaultParams(test)
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
		"bandwidth":  {drawn(perftest.Test{Verb: perftest.Write}, false), limits, 4, "link, 4×"},
		"directions": {drawn(perftest.Test{Verb: perftest.Write}, true), nil, 8, ">received<"},
		"latency":    {drawn(perftest.Test{Verb: perftest.Send, Latency: true}, false), nil, 4, "p99.9 6 µs"},
		"nothing":    {&View{Params: perftest.DefaultParams(perftest.Test{})}, limits, 0, "starting"},
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
