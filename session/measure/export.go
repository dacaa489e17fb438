package measure

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"rdmatui/session/bench"
)

// WriteCSV writes the history of a run, one line for each interval.
func WriteCSV(w io.Writer, _ string, v *View) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"t_s", "interval_s", "bytes", "messages", "messages_per_s", "bytes_per_s",
		"latency_us", "phase", "received"}) // Error returns it
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }
	for i := range v.Points {
		p := &v.Points[i]
		latency := ""
		if p.Latency > 0 {
			latency = fmt.Sprintf("%.3f", usec(p.Latency))
		}
		_ = out.Write([]string{seconds(p.At), seconds(p.Over), strconv.FormatUint(p.Size, 10),
			strconv.FormatUint(p.Messages, 10),
			fmt.Sprintf("%.1f", p.Rate()), fmt.Sprintf("%.0f", p.Throughput()), latency,
			strconv.Itoa(p.Phase + 1), strconv.FormatUint(p.Received, 10)})
	}
	out.Flush()
	return out.Error()
}

func usec(d time.Duration) float64 { return float64(d) / 1e3 }

// document is a run as JSON.
type document struct {
	Name        string             `json:"name"`
	Test        string             `json:"test"`
	Flags       string             `json:"flags"`
	Device      string             `json:"device,omitempty"`
	State       string             `json:"state"`
	Error       string             `json:"error,omitempty"`
	Results     []json.RawMessage  `json:"results"` // in the layout of perftest's --out_json
	Percentiles map[string]float64 `json:"percentiles_us,omitempty"`
	Counters    map[string]uint64  `json:"counters,omitempty"`
	Lanes       []bench.Lane       `json:"queue_pairs"` // messages of the last phase and size
	Threads     []Thread           `json:"threads,omitempty"`
	Phases      []phaseDocument    `json:"phases"`
	History     []pointDocument    `json:"history"`
}

// phaseDocument is a phase as JSON.
type phaseDocument struct {
	T     float64 `json:"t"` // of its begin
	Flags string  `json:"flags"`
}

// pointDocument is a point of the history as JSON.
type pointDocument struct {
	T        float64 `json:"t"`
	Interval float64 `json:"interval"`
	Phase    int     `json:"phase"` // from 1
	Bytes    uint64  `json:"bytes"`
	Messages uint64  `json:"messages"`
	Received uint64  `json:"received,omitempty"`
	Latency  float64 `json:"latency_us,omitempty"`
}

// WriteJSON writes all of a run.
func WriteJSON(w io.Writer, name string, v *View) error {
	doc := document{Name: name, Test: v.Params.Test.String(), Flags: v.Params.Flags(), Device: v.Info.DeviceName,
		State: v.State.String(), Error: v.Err,
		Results: []json.RawMessage{}, Counters: map[string]uint64{}, Lanes: append([]bench.Lane{}, v.Lanes...),
		Threads: v.Threads, Phases: []phaseDocument{}, History: []pointDocument{}}
	for i := range v.Results {
		doc.Results = append(doc.Results, v.Info.JSON(&v.Results[i]))
	}
	if s := &v.Spread; s.Samples > 0 {
		doc.Percentiles = map[string]float64{"min": usec(s.Min), "p50": usec(s.P50), "p90": usec(s.P90),
			"p99": usec(s.P99), "p99.9": usec(s.P999), "max": usec(s.Max)}
	}
	for _, c := range v.Counters {
		doc.Counters[c.Name] = c.Value
	}
	for i := range v.Phases {
		p := &v.Phases[i]
		doc.Phases = append(doc.Phases, phaseDocument{p.From.Seconds(), p.Params.Flags()})
	}
	for i := range v.Points {
		p := &v.Points[i]
		doc.History = append(doc.History, pointDocument{p.At.Seconds(), p.Over.Seconds(), p.Phase + 1, p.Size,
			p.Messages, p.Received, usec(p.Latency)})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(doc)
}
