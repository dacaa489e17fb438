package devices

import (
	"fmt"
	"strconv"
	"time"

	"rdmatui/assets/explain"
	inv "rdmatui/devices"
	"rdmatui/verbs/ring"
)

// maxSeries is how many rates are kept per counter; one per second.
const maxSeries = 120

// counterID names a counter of one device.
type counterID struct {
	port        uint8
	group, name string
}

// meter is a counter's last value and its rates.
type meter struct {
	value  uint64
	series []float64 // one rate per second, newest last
}

// readings are the counter values read from one device.
type readings struct {
	at     time.Time
	list   []inv.Counter
	meters map[counterID]*meter
	err    string
}

// add takes the values read at a time. A counter that decreased, as after a reset,
// has no rate for that reading.
func (r *readings) add(at time.Time, list []inv.Counter) {
	dt := at.Sub(r.at).Seconds()
	if r.meters == nil {
		r.meters = map[counterID]*meter{}
	}
	next := make(map[counterID]*meter, len(list))
	for _, c := range list {
		id := counterID{c.PortNum, c.Group, c.Name}
		m := r.meters[id]
		switch {
		case m == nil:
			m = &meter{}
		case dt > 0 && c.Value >= m.value:
			m.push(float64(c.Value-m.value) / dt)
		}
		m.value = c.Value
		next[id] = m
	}
	r.at, r.list, r.meters, r.err = at, list, next, ""
}

func (m *meter) push(rate float64) { m.series = ring.Newest(append(m.series, rate), maxSeries) }

// rows lists the counters by group.
func (r *readings) rows() []row {
	var rows []row
	var at counterID
	for i, c := range r.list {
		if g := (counterID{c.PortNum, c.Group, ""}); i == 0 || g != at {
			at = g
			rows = append(rows, headRow(groupTitle(g)))
		}
		rows = append(rows, counterRow(c, r.meters[counterID{c.PortNum, c.Group, c.Name}]))
	}
	return rows
}

func groupTitle(g counterID) string {
	where := "device"
	if g.port > 0 {
		where = fmt.Sprintf("port %d", g.port)
	}
	return where + " " + g.group
}

func counterRow(c inv.Counter, m *meter) row {
	rate, t := "–", dim
	if n := len(m.series); n > 0 {
		rate = perSecond(c.Name, m.series[n-1])
		if m.series[n-1] > 0 {
			t = plain
		}
	}
	trend := cell{}
	if len(m.series) > 0 {
		trend.series = m.series
	}
	doc := c.Help
	if doc == "" {
		doc = explain.Short("counter", c.Name)
	}
	return row{about: joined(c.Name, doc), ask: ask{"counter", c.Name, ""}, cells: []cell{{text: c.Name, tone: label},
		{text: strconv.FormatUint(c.Value, 10)}, {text: rate, tone: t}, trend, {text: doc, tone: dim}}}
}

// perSecond formats a rate with three digits. The two data counters of IBA 16.1 count
// in units of 4 bytes.
func perSecond(name string, v float64) string {
	unit := "/s"
	if name == "port_xmit_data" || name == "port_rcv_data" {
		v, unit = 4*v, "B/s"
	}
	if v == 0 {
		return "0"
	}
	prefixes := []string{"", "k", "M", "G", "T"}
	i := 0
	for v >= 999.5 && i < len(prefixes)-1 {
		v /= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s%s", v, prefixes[i], unit)
}
