package queue

import (
	"encoding/json"
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs/format"
)

// CQReport is the JSON result of cq_stats.
type CQReport struct {
	CQ            string               `json:"cq"`
	CQE           int                  `json:"cqe"`
	Fill          *int                 `json:"fill,omitempty"` // omitted if the device does not report it
	Peak          *int                 `json:"peak,omitempty"`
	Mode          string               `json:"mode"`
	SolicitedOnly bool                 `json:"solicited_only"`
	Overruns      uint64               `json:"overruns"`
	Ways          map[string]wayReport `json:"ways"` // the modes that were used
}

// wayReport is [core.CQStats] with stable JSON names.
type wayReport struct {
	Completions     uint64 `json:"completions"`
	FirstFull       uint64 `json:"first_poll_nonempty"`
	FirstEmpty      uint64 `json:"first_poll_empty"`
	SecondFull      uint64 `json:"second_poll_nonempty"`
	SecondEmpty     uint64 `json:"second_poll_empty"`
	Events          uint64 `json:"events"`
	Acked           uint64 `json:"acked"`
	EmptyReads      uint64 `json:"empty_reads"`
	CPU             *int64 `json:"cpu_us,omitempty"` // omitted if it was not measured
	Wall            *int64 `json:"wall_us,omitempty"`
	CPUOfCompletion *int64 `json:"cpu_ns_per_completion,omitempty"`
}

// CQStats carries out cq_stats.
func CQStats(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	mode, solicited, _ := q.taking.way()
	stats := q.taking.Now()
	if !c.S.Live.Load() {
		mode = core.ByHand
	}
	r := CQReport{
		CQ: q.Name, CQE: q.CQ.CQE(), Mode: mode.String(), SolicitedOnly: solicited,
		Overruns: q.taking.overrunsNow(), Ways: map[string]wayReport{},
	}
	if fill, peak, ok := q.Fill(); ok {
		r.Fill, r.Peak = &fill, &peak
	}
	text := r.summary()
	for m := range stats {
		if st := &stats[m]; st.Used() {
			r.Ways[core.CQMode(m).String()] = reportOf(st)
			text += "; " + core.CQMode(m).String() + ": " + st.String()
		}
	}
	if c.Cmd.Bool("reset") {
		q.taking.reset()
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	c.Done.Result, c.Done.Data = text, string(data)
	return nil
}

// summary formats what does not depend on the mode.
func (r *CQReport) summary() string {
	text := fmt.Sprintf("%s, %s", r.CQ, format.Counted(r.CQE, "entry"))
	if r.Fill != nil {
		text = fmt.Sprintf("%s, %d of %d entries in use, at most %d so far", r.CQ, *r.Fill, r.CQE, *r.Peak)
	}
	text += ", taken " + r.Mode
	if r.Overruns > 0 {
		text += ", OVERRUN " + format.Counted(r.Overruns, "time")
	}
	return text
}

func reportOf(c *core.CQStats) wayReport {
	r := wayReport{
		Completions: c.Completions, FirstFull: c.FirstFull, FirstEmpty: c.FirstEmpty, SecondFull: c.SecondFull,
		SecondEmpty: c.SecondEmpty, Events: c.Events, Acked: c.Acked, EmptyReads: c.EmptyReads,
	}
	if c.Measured {
		cpu, wall := c.CPU.Microseconds(), c.Wall.Microseconds()
		r.CPU, r.Wall = &cpu, &wall
		if c.Completions > 0 {
			each := c.PerCompletion().Nanoseconds()
			r.CPUOfCompletion = &each
		}
	}
	return r
}
