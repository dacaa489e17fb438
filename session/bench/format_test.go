package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fieldsText joins fields to one text.
func fieldsText(fields []Field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.Name+"="+f.JSON)
	}
	return strings.Join(parts, " ")
}

// TestReportFormat: a bandwidth has two digits, or six below 0.1 Gbit/s, in perftest's columns.
func TestReportFormat(t *testing.T) {
	for _, tt := range []struct {
		gbits          bool
		average        float64
		row, json, col string
	}{
		{false, 0.05, "2 1000 1.23 0.05 0.123457", "BW_peak=1.23 BW_average=0.05 MsgRate=0.123457", "MiB/sec"},
		{true, 0.1, "2 1000 1.23 0.10 0.123457", "BW_peak=1.23 BW_average=0.10 MsgRate=0.123457", "Gb/sec"},
		{true, 0.05, "2 1000 1.234568 0.050000 0.123457",
			"BW_peak=1.234568 BW_average=0.050000 MsgRate=0.123457", "Gb/sec"},
	} {
		p := DefaultParams(Test{Verb: Write})
		p.Gbits = tt.gbits
		r := Report{Size: 2, Iters: 1000, Peak: 1.2345678, Average: tt.average, Rate: 0.1234567}
		if got := strings.Join(strings.Fields(r.Row(&p)), " "); got != tt.row {
			t.Errorf("%q, want %q", got, tt.row)
		}
		if got, want := fieldsText(r.Fields(&p)), "MsgSize=2 n_iterations=1000 "+tt.json; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		want := fmt.Sprintf("BW peak[%s]    BW average[%[1]s]", tt.col)
		if got := Columns(&p, true); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p := DefaultParams(Test{Verb: Write})
	if got := Columns(&p, false); !strings.Contains(got, "BW peak[MB/sec]    BW average[MB/sec]") {
		t.Errorf("of an old peer: %q", got)
	}
}

// TestLatencyFormat: a test of given duration knows only the average.
func TestLatencyFormat(t *testing.T) {
	l := Latency{Size: 2, Iters: 1000, Min: 1, Max: 2, Typical: 3, Average: 4, Stdev: 5, P99: 6, P999: 7, PerSecond: 8}
	for _, tt := range []struct {
		duration          time.Duration
		row, json, column string
	}{
		{0, "2 1000 1.00 2.00 3.00 4.00 5.00 6.00 7.00",
			"t_min=1.00 t_max=2.00 t_typical=3.00 t_avg=4.00 t_stdev=5.00 " +
				"percentile_99=6.00 percentile_99.9=7.00", "t_typical[usec]"},
		{time.Second, "2 1000 4.00 8.00", "t_avg=4.00 tps_average=8.00", "tps average"},
	} {
		p := DefaultParams(Test{Verb: Write, Latency: true})
		p.Duration = tt.duration
		if got := strings.Join(strings.Fields(l.Row(&p)), " "); got != tt.row {
			t.Errorf("%q, want %q", got, tt.row)
		}
		if got, want := fieldsText(l.Fields(&p)), "MsgSize=2 n_iterations=1000 "+tt.json; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := Columns(&p, true); !strings.Contains(got, tt.column) {
			t.Errorf("%q has no %s", got, tt.column)
		}
	}
}
