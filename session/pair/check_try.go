package pair

import (
	"errors"
	"fmt"
	"slices"

	"rdmatui/session/agent"
	"rdmatui/verbs/format"
)

// outcome tells of an attempt: what it did, or why it failed and what helps.
func (a *attempt) outcome(what string) Finding {
	if !a.tried {
		return notLooked("it was not tried")
	}
	if a.why == nil {
		return right(what)
	}
	var line *agent.LineError
	text, change := a.why.Error(), ""
	if errors.As(a.why, &line) {
		text, change = line.Line+": "+line.Err, line.Hint
	}
	if change == "" {
		change = "run 'rdmatui doctor' at " + a.at.Host
	}
	return wrong(fmt.Sprintf("at %s: %s", a.at.name, text), change)
}

// checkWrite tells of one small RDMA_WRITE.
func checkWrite(_ *examination, d *direction) Finding {
	f := d.write.outcome(fmt.Sprintf("an RDMA_WRITE of %d bytes arrives", smallWrite))
	if f.Verdict == Wrong && d.write.arrived {
		f.Evidence += fmt.Sprintf("; the bytes are in %s's memory, so its acknowledgements are lost", d.to.name)
	}
	return f
}

// checkSend tells of one small SEND.
func checkSend(_ *examination, d *direction) Finding {
	return d.send.outcome(fmt.Sprintf("a SEND of %d bytes arrives", smallWrite))
}

// checkSizes tells of messages around the length of one packet.
func checkSizes(_ *examination, d *direction) Finding {
	if len(d.sizes) == 0 {
		return notLooked("it was not tried")
	}
	last := &d.sizes[len(d.sizes)-1]
	if last.good() {
		return right(fmt.Sprintf("RDMA_WRITEs of %s to %s bytes arrive whole",
			format.Count(uint64(d.sizes[0].length)),
			format.Count(uint64(last.length))))
	}
	f := last.outcome("")
	f.Evidence = fmt.Sprintf("an RDMA_WRITE of %s bytes fails, one of %d does not: %s",
		format.Count(uint64(last.length)), smallWrite,
		f.Evidence)
	return f
}

// checkLoss finds packets that were sent more than once.
func checkLoss(_ *examination, d *direction) Finding {
	m := &d.many
	if m.why != nil || !m.tried || len(m.latencies) == 0 {
		return m.outcome("")
	}
	sorted := slices.Sorted(slices.Values(m.latencies))
	half, most := format.Span(sorted[len(sorted)/2]), format.Span(sorted[len(sorted)-1])
	if slow := m.slow(); slow > slowAllowed {
		return wrong(fmt.Sprintf("%d of %d RDMA_WRITEs took longer than the retry timer of %s, the slowest %s: "+
			"packets or their acknowledgements are lost", slow, len(sorted), slowTime, most),
			"look for drops: 'ip -s link' at both ends and the counters of the switch ports; "+
				"on lossless Ethernet check PFC at both ends")
	}
	return right(fmt.Sprintf("%d RDMA_WRITEs, one after another: half took less than %s, the slowest %s", len(sorted),
		half,
		most))
}

// checkManager tells of a connection through the connection manager.
func checkManager(_ *examination, d *direction) Finding {
	return d.manager.outcome("the connection manager connects")
}
