package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Result is what came of an experiment.
type Result struct {
	Experiment  string       `json:"experiment"`
	Device      string       `json:"device"`
	Driver      string       `json:"driver,omitempty"` // "" if none whose differences are known
	Kernel      string       `json:"kernel,omitempty"` // of Driver, as "6.12"
	Verdict     Verdict      `json:"verdict"`
	Findings    []Finding    `json:"findings"`
	Completions []Completion `json:"completions"`
	Back        string       `json:"way_back"` // "recovered", or why not
	Err         string       `json:"error,omitempty"`

	// Told is what needs an explanation, as the time line had it: completions, events and calls that were refused.
	Told []timeline.Event `json:"-"`
}

// Completion is a completion of an experiment, in the order in which they came.
type Completion struct {
	QP        string         `json:"qp"`
	WRID      uint64         `json:"wr_id"`
	Status    verbs.WCStatus `json:"status"`
	VendorErr uint32         `json:"vendor_err"`
}

// Results of the recovery.
const (
	worksAgain = "recovered"
	notTried   = "not tried"
)

// String is the result in one line.
func (r *Result) String() string {
	text := r.Experiment + " on " + r.Device + ": " + r.Verdict.String()
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Happened == None && f.Verdict == AsSpecified {
			continue
		}
		text += fmt.Sprintf("; %s %s", f.Label(), f.Happened)
		if f.Verdict != AsSpecified {
			text += fmt.Sprintf(", specified is %s", f.Specified)
		}
		if f.Reason != "" {
			text += " (" + f.Reason + ")"
		}
	}
	if r.Err != "" {
		text += "; " + r.Err
	}
	return text + "; " + r.Recovery()
}

// Recovery says whether the queue pairs worked again after the experiment.
func (r *Result) Recovery() string {
	if r.Back == worksAgain {
		return r.Back
	}
	return "recovery: " + r.Back
}

// observer takes note of what happens in an experiment. Its methods may be called
// from any goroutine.
type observer struct {
	mu          sync.Mutex
	part        Part
	driver      Driver
	completions []Completion
	events      []string
	refused     []string
	told        []timeline.Event
	states      map[string]string
	err         string // why it could not be set up
	back        string // why the way back failed
}

func (o *observer) enter(p Part) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.part = p
}

// maxEvents bounds what is kept of a device that tells without end.
const maxEvents = 256

// take looks at an event of the run.
func (o *observer) take(e *timeline.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.part != Trying || len(o.completions)+len(o.events) >= maxEvents {
		return
	}
	before := len(o.completions) + len(o.events) + len(o.refused)
	switch {
	case e.Kind == timeline.KindWC:
		w := &e.WC
		o.completions = append(o.completions, Completion{
			QP: w.QP, WRID: w.WC.WRID, Status: w.WC.Status, VendorErr: w.WC.VendorErr,
		})
	case e.Async != nil:
		o.events = append(o.events, strings.TrimSpace(e.Async.Type.String()+" "+e.Async.QP+e.Async.CQ+e.Async.SRQ))
	case e.Command != nil && e.Command.Errno != "" && !slices.Contains(o.refused, e.Command.Errno):
		o.refused = append(o.refused, e.Command.Errno)
	}
	if len(o.completions)+len(o.events)+len(o.refused) > before {
		o.told = append(o.told, *e)
	}
}

func (o *observer) state(qp string, s verbs.QPState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.states == nil {
		o.states = map[string]string{}
	}
	o.states[qp] = s.String()
}

func (o *observer) driverIs(d Driver) Driver {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.driver = d
	return d
}

func (o *observer) driverWas() Driver {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.driver
}

func (o *observer) partNow() Part {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.part
}

// failed notes where the run came to a halt, or that it goes on: err is nil.
func (o *observer) failed(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.back = "", ""
	switch {
	case err == nil:
	case o.part >= SettingUpAgain:
		o.back = core.Wording(err)
	default:
		o.err = core.Wording(err)
	}
	return err
}

// result judges what was observed; ended says that the script is at its end.
func (o *observer) result(exp *Experiment, driver Driver, ended bool) Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	res := Result{
		Experiment: exp.Name, Driver: driver.Name, Kernel: driver.Kernel.String(),
		Completions: slices.Clone(o.completions), Back: notTried, Err: o.err, Told: slices.Clone(o.told),
	}
	happened := maps.Clone(o.states)
	if happened == nil {
		happened = map[string]string{}
	}
	happened[Refused], happened[Event] = strings.Join(o.refused, " "), strings.Join(o.events, ", ")
	happened[Requester], happened[Responder] = o.statuses("a"), o.statuses("b")
	res.Findings, res.Verdict = exp.Judge(driver, happened)
	switch {
	case o.err != "" || !ended && o.part < SettingUpAgain:
		res.Verdict = NotRun
	case o.back != "":
		res.Back, res.Verdict = o.back, Unexpected
	case ended:
		res.Back = worksAgain
	}
	return res
}

// statuses are those of a queue pair's completions.
func (o *observer) statuses(qp string) string {
	var all []string
	for i := range o.completions {
		if c := &o.completions[i]; c.QP == qp {
			all = append(all, c.Status.String())
		}
	}
	return strings.Join(all, " ")
}
