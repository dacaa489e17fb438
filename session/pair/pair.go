// Package pair says why two hosts do not talk RDMA. It asks an agent at each end for facts, tries what can be tried,
// and gives three-valued findings in a fixed order: what explains the most of what fails comes first.
package pair

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rdmatui/devices"
	"rdmatui/session/agent"
)

// Verdict is what a check has found.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"
	Wrong     Verdict = "wrong"
	NotLooked Verdict = "not looked at" // the evidence says why
)

// Finding is the outcome of one check, for one end or one direction.
type Finding struct {
	Check    string  `json:"check"` // "route"
	Of       string  `json:"of"`    // "a", "b", "a→b", "b→a", or "both"
	Verdict  Verdict `json:"verdict"`
	Evidence string  `json:"evidence"`         // what was seen at both sides
	Change   string  `json:"change,omitempty"` // what mends it; "" unless it is wrong
}

// End describes one end in a report.
type End struct {
	Host    string `json:"host"` // as it was given
	Version string `json:"version"`
	Device  string `json:"device,omitempty"`
	Port    int    `json:"port_num,omitempty"`
	GID     string `json:"gid,omitempty"`
	Index   int    `json:"sgid_index"`
}

// Report is the verdict on a pair.
type Report struct {
	A        End       `json:"a"`
	B        End       `json:"b"`
	Healthy  bool      `json:"healthy"` // nothing is wrong
	Findings []Finding `json:"findings"`
}

// First returns the first finding that is wrong; nil if there is none.
func (r *Report) First() *Finding {
	for i := range r.Findings {
		if r.Findings[i].Verdict == Wrong {
			return &r.Findings[i]
		}
	}
	return nil
}

// end is one end while it is examined.
type end struct {
	Side
	name  string // "a" or "b"
	facts agent.Facts
	gid   *agent.GID // to use with the other end; nil: none
	ready error      // why the objects for tries could not be made
	made  bool       // they were made, or not
}

// direction is one way between the ends, with what was tried on it.
type direction struct {
	from, to *end
	route    devices.Route
	noRoute  error // why the route could not be read
	hop      devices.Route
	datagram datagrams
	write    attempt // a small RDMA_WRITE
	send     attempt // a small SEND
	sizes    []sizeTried
	many     series
	manager  attempt
}

// String names the direction: "a→b".
func (d *direction) String() string { return d.from.name + "→" + d.to.name }

// examination is everything that the checks look at.
type examination struct {
	a, b     *end
	there    *direction // a→b
	back     *direction // b→a
	matched  bool       // the GIDs of the ends fit each other
	made     int        // queue pairs made so far
	findings []Finding
}

// check is one check. ask gives its findings; of says for whom they are when a check that it needs was not right.
type check struct {
	name  string
	scope scope
	needs []string
	each  func(*examination, *end) Finding       // for each end
	way   func(*examination, *direction) Finding // for each direction
	both  func(*examination) Finding
}

// scope says how many findings a check has.
type scope int

const (
	perEnd scope = iota
	perWay
	once
)

// Examine looks at both ends and says what is wrong. It returns an error only if an end cannot be asked.
func Examine(ctx context.Context, a, b Side) (*Report, error) {
	x := newExamination(&end{name: "a", Side: a}, &end{name: "b", Side: b})
	for _, e := range x.ends() {
		var err error
		if e.facts, err = e.Conn.Facts(ctx); err != nil {
			return nil, e.over(err)
		}
	}
	x.chooseGIDs()
	if err := x.tryAll(ctx); err != nil {
		return nil, err
	}
	r := x.judge()
	r.A.Version, r.B.Version = a.Conn.Hello.Version, b.Conn.Hello.Version
	return r, nil
}

func newExamination(a, b *end) *examination {
	return &examination{a: a, b: b, there: &direction{from: a, to: b}, back: &direction{from: b, to: a}}
}

// judge makes all checks on what is known.
func (x *examination) judge() *Report {
	for i := range checks {
		x.do(&checks[i])
	}
	r := &Report{A: x.a.describe(), B: x.b.describe(), Findings: x.findings}
	r.Healthy = r.First() == nil
	return r
}

// Side is an end with its agent.
type Side struct {
	Host string
	Conn *agent.Conn
	Why  func(error) error // adds to an error of the connection what is known of its end; may be nil
}

// EndError is the error of an end that cannot be asked.
type EndError struct {
	End, Host string
	Err       error
}

// Error names the end.
func (e *EndError) Error() string { return fmt.Sprintf("%s (%s): %s", e.End, e.Host, e.Err) }

// Unwrap returns the cause.
func (e *EndError) Unwrap() error { return e.Err }

// over returns the error of an end that cannot be asked any more.
func (e *end) over(err error) error {
	if e.Why != nil {
		err = e.Why(err)
	}
	return &EndError{e.name, e.Host, err}
}

func (x *examination) ends() []*end       { return []*end{x.a, x.b} }
func (x *examination) ways() []*direction { return []*direction{x.there, x.back} }

// do makes a check, or says why it was not made.
func (x *examination) do(c *check) {
	add := func(of string, ask func() Finding) {
		f := Finding{Verdict: NotLooked, Evidence: x.blocked(c, of)}
		if f.Evidence == "" {
			f = ask()
		}
		f.Check, f.Of = c.name, of
		x.findings = append(x.findings, f)
	}
	switch c.scope {
	case perEnd:
		for _, e := range x.ends() {
			add(e.name, func() Finding { return c.each(x, e) })
		}
	case perWay:
		for _, d := range x.ways() {
			add(d.String(), func() Finding { return c.way(x, d) })
		}
	case once:
		add(both, func() Finding { return c.both(x) })
	}
}

// both is what a finding is about that concerns both ends together.
const both = "both"

// blocked says which check that c needs is not right; "" if all are.
func (x *examination) blocked(c *check, of string) string {
	for _, f := range x.findings {
		for _, name := range c.needs {
			if f.Check != name || f.Verdict == Right || !concerns(f.Of, of) {
				continue
			}
			if f.Verdict == NotLooked {
				return f.Evidence // the reason for both
			}
			return fmt.Sprintf("because %s (%s) is wrong", f.Check, f.Of)
		}
	}
	return ""
}

// concerns reports whether a finding about one matters for another: an end is part of both its directions.
func concerns(one, other string) bool {
	if one == both || other == both || one == other {
		return true
	}
	return len(one) == 1 && strings.Contains(other, one)
}

func (e *end) describe() End {
	d := End{Host: e.Host}
	if e.facts.Device != nil {
		d.Device, d.Port = e.facts.Device.Name, e.facts.Device.PortNum
	}
	if e.gid != nil {
		d.GID, d.Index = e.gid.Addr.String(), e.gid.Index
	}
	return d
}

// lineError returns the error of a line that failed at an end, and lost for an end that no longer answers.
func lineError(err error) (failed error, lost error) {
	var line *agent.LineError
	var refused *agent.Error
	if errors.As(err, &line) || errors.As(err, &refused) {
		return err, nil
	}
	return nil, err
}
