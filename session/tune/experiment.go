// Package tune compares techniques of RDMA programs on one device: each experiment
// measures the same work without and with a technique, in turns, between queue pairs
// of this process. The objects are those of the session, made by command lines.
//
// A measured loop only posts and polls: it records nothing on the time line.
package tune

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Experiment compares two variants of the same work.
type Experiment struct {
	Name   string
	Title  string // what the technique changes
	Reason string // why it may help
	Use    string // advice if the technique is better
	Same   string // advice if there is no difference
	Avoid  string // advice if it is worse

	unit    *unit
	work    func(*loop) error
	lack    func(*host) string // what the device or the host lacks; nil: nothing
	without variant
	with    variant
}

// variant is one side of an experiment.
type variant struct {
	label string // with names of host values in braces
	setup
}

// setup says which objects a variant uses and how. The zero value of each field is
// the usual way.
type setup struct {
	message []verbs.WROpcode // the requests of one message
	size    int              // bytes of a message
	pairs   int              // connected pairs of queue pairs
	depth   int              // messages outstanding on each pair
	list    int              // messages in one call
	signal  int              // messages for each completion

	inline    bool
	pieces    int  // parts of a message in separate buffers; 0: one buffer
	copied    bool // the parts are copied into one buffer before each post
	waiting   waiting
	solicited bool // receivers wait for solicited events, one for each list
	mtu       verbs.MTU

	moderation verbs.CQModeration // of the receivers' events
	rdAtomic   int                // mostReads: as many as the device allows
	span       int                // bytes of the region that messages walk through
	huge       bool
	shared     bool // pairs share one receive queue
	node       int  // ownNode or farNode: where thread and memory are; 0: anywhere
}

// mostReads stands for the device's max_qp_init_rd_atom.
const mostReads = -1

// waiting is how the receiver waits for a completion.
type waiting uint8

const (
	polling waiting = iota
	events
	hybrid // polls for a while, then waits for an event
)

// unit is what an experiment measures.
type unit struct {
	name  string
	less  bool // small values are good
	value func(*round) float64
	text  func(float64) string
	whole bool // the value of a turn is that of all its measurements together; else the best of theirs
}

// round is one measurement.
type round struct {
	messages uint64
	size     int
	events   uint64
	took     time.Duration
	cpu      time.Duration // of the process
}

// add adds another measurement of the same variant.
func (r *round) add(more *round) {
	r.messages += more.messages
	r.size = more.size
	r.events += more.events
	r.took += more.took
	r.cpu += more.cpu
}

var (
	roundTrip = &unit{"µs", true,
		func(r *round) float64 { return float64(r.took.Nanoseconds()) / 1e3 / float64(r.messages) }, three("µs"), false}
	rate = &unit{"messages/s", false, func(r *round) float64 { return float64(r.messages) / r.took.Seconds() },
		func(v float64) string { return format.Count(uint64(v)) + " messages/s" }, false}
	bandwidth = &unit{"MiB/s", false, func(r *round) float64 {
		return float64(r.messages) * float64(r.size) / (1 << 20) / r.took.Seconds()
	}, three("MiB/s"), false}
	wakeUps = &unit{"events per 100 messages", true,
		func(r *round) float64 { return 100 * float64(r.events) / float64(r.messages) },
		three("events per 100 messages"), true}
)

// three formats a value with three significant digits.
func three(name string) func(float64) string {
	return func(v float64) string {
		if v >= 100 {
			return fmt.Sprintf("%.0f %s", v, name)
		}
		return strconv.FormatFloat(v, 'g', 3, 64) + " " + name
	}
}

// Names lists the experiments.
func Names() []string {
	names := make([]string, len(Experiments))
	for i := range Experiments {
		names[i] = Experiments[i].Name
	}
	return names
}

// Find returns the named experiment.
func Find(name string) (*Experiment, error) {
	for i := range Experiments {
		if Experiments[i].Name == name {
			return &Experiments[i], nil
		}
	}
	return nil, fmt.Errorf("there is no experiment %q; use one of %s", name, strings.Join(Names(), ", "))
}
