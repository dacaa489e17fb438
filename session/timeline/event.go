// Package timeline holds the events of a session in one order: commands done,
// work completions, asynchronous and connection-manager events, state changes,
// packets and notes. It is a bounded log with exact counts that readers copy
// from at their own pace.
package timeline

import (
	"time"

	"rdmatui/verbs"
)

// Kind is what an event reports.
type Kind uint8

// Kinds of events.
const (
	KindCommand Kind = iota // a command was carried out, or failed
	KindWC                  // a work completion was taken from a CQ
	KindCM                  // a connection-manager event arrived
	KindAsync               // an asynchronous event arrived
	KindState               // a queue pair changed its state
	KindPacket              // the software device sent or received a packet
	KindNote                // the program has something to say
	kinds
)

// Event is one entry of the time line. It is a value: nothing in it changes
// after it was appended. Exactly one of the payloads is set, as Kind says.
type Event struct {
	Seq  uint64        // 1, 2, 3 … without gaps
	T    time.Duration // since the session began, monotonic
	Kind Kind

	WC      Completion // KindWC; in place, since there may be a million a second
	Command *CommandDone
	CM      *CMEvent
	Async   *AsyncEvent
	State   *StateChange
	Packet  *Packet
	Note    *Note
}

// FailedWC reports whether an event is a failed completion.
func (e *Event) FailedWC() bool { return e.Kind == KindWC && e.WC.WC.Failed() }

// Completion is a work completion with what the session knows about its request.
type Completion struct {
	WC      verbs.WC
	CQ      string         // the user's name of the queue it was taken from
	QP      string         // the user's name of the queue pair; "" if unknown
	Opcode  verbs.WROpcode // of the send request; valid if Matched and not Recv
	Recv    bool           // it belonged to the receive queue
	Matched bool           // the request is known
	Posted  time.Duration  // when the request was posted, of the session's clock; 0 if not Matched
	Latency time.Duration  // from post to the poll that found it; 0 if not Matched
	Command uint64         // Number of the command that posted the request; 0 if not Matched
	// Index is the place of the request among those that Command posted to the queue,
	// from 0. Of RECVs in a shared receive queue with the same wr_id the oldest is taken.
	Index   uint64
	Room    uint64   // bytes that a RECV had for a message that was longer; 0 where that is not what it failed of
	Arrived *Arrived // what it put into memory; nil where that is nothing, or was not looked at
	Cause   *Cause   // why it failed; nil where it did not, or nothing was kept
}

// Cause is why a completion failed, as the session found when it was taken. Completions that were flushed because of
// an earlier one share theirs.
type Cause struct {
	Incident uint64 // number of the incident that is kept
	Text     string // one line with values; "" where it is not known
	Sure     bool   // else Text is inferred
	Open     bool   // it is not the whole cause
	Step     string // the first thing to do; "" where that is not known
}

// Why is the known cause of a failed completion with its degree of certainty, "" where it is not known.
func (c *Completion) Why() string {
	switch {
	case c.Cause == nil || c.Cause.Text == "":
		return ""
	case c.Cause.Sure:
		return c.Cause.Text
	}
	return "probably: " + c.Cause.Text
}

// Arrived is what a RECV, a READ or an atomic put into memory, as it was found right
// after the completion.
type Arrived struct {
	Data  []byte // the beginning, some hundred bytes at most; of a datagram the GRH comes first
	Total uint32 // bytes in all
}

// CommandDone is a command that was carried out or refused.
type CommandDone struct {
	Number   uint64   // 1, 2, 3 … in the order in which commands begin; 0 for a line that was not carried out
	Line     string   // as it was typed
	Resolved string   // with references and defaults replaced by their values
	C        Code     // the C call that it stands for; nil for our own commands
	Expands  bool     // its calls are those of commands recorded before it
	Result   string   // what came back, in one line
	Created  []string // names of objects that now exist
	// the completion queue whose event was taken, or the identifier of the request that was; "" if none
	EventOf string
	Check   string        // what our own tables say against it, "" if nothing
	Err     string        // what went wrong, "" if nothing
	Errno   string        // "EINVAL", "" if none
	Hint    string        // what to check next, "" if nothing is known
	Data    string        // what came back as a JSON object, "" where Result says it all
	Took    time.Duration // the provider's part of it
}

// Code is C code, whose text is made when it is shown.
type Code interface {
	Short() string // on one line
}

// Call returns the text of the C call, "" for our own commands.
func (c *CommandDone) Call() string {
	if c.C == nil {
		return ""
	}
	return c.C.Short()
}

// Advice is the hint where it says more than the check.
func (c *CommandDone) Advice() string {
	if c.Hint == c.Check {
		return ""
	}
	return c.Hint
}

// AsyncEvent is an asynchronous event with the names of what it concerns.
type AsyncEvent struct {
	Type    verbs.EventType
	Device  string
	PortNum uint8
	QP      string
	CQ      string
	SRQ     string
}

// StateChange is a queue pair that moved by a command or of itself.
type StateChange struct {
	QP       string
	From, To verbs.QPState
	Cause    string // "modify_qp", or the event or completion that told of it
}

// Level grades a note.
type Level uint8

// Levels of notes.
const (
	LevelInfo Level = iota
	LevelWarn
	LevelError
)

// Note is a line of the program's own.
type Note struct {
	Level Level
	Text  string
	Ready bool // a peer can come now: the command under way waits for one
}
