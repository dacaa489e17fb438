package conversation

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
)

// Packet is a packet of a trace. One variable can be filled in again and again.
type Packet struct {
	capture.Frame           // T is the time since the first packet; Data holds what was kept
	Captured      int       // bytes from BTH on that the capture holds
	Marks         Marks     // what the others say of it
	Talk          Talk      // of a capture
	Request       *Request  // as it was then; nil: the packet belongs to none
	N             uint64    // number in the trace, from 0
	Live          bool      // of a session's device, not of a capture
	More          uint64    // repetitions of a live packet that are counted with it and not kept
	LastMore      time.Time // when the newest of them came
	Twin          *Packet   // the record of a live packet at the other end of the wire; nil: none

	room  []byte   // what Wire refers to
	asked *Request // room for Request; nil: none yet
}

// To returns the queue pair to which the packet goes.
func (p *Packet) To() End { return goal(&p.Frame.Packet) }

// Arrived reports whether a packet that was sent was also recorded where it arrived.
func (p *Packet) Arrived() bool { return p.Twin != nil && !p.Marks.Has(Twice) }

func goal(p *timeline.Packet) End {
	return End{Addr: p.Dst.Addr(), QP: p.Wire.BTH.DestQP}
}

// TraceState is how far a trace has been read.
type TraceState struct {
	capture.Totals
	Name     string // of the capture that is being read, or was read last
	Talks    int    // conversations
	From, To uint64 // packets From to To-1 are kept; they are numbered from 0
	Done     bool   // everything has been read
	Err      error  // why reading has ended before
}

// Trace keeps the packets of a capture in little memory, with what the others say of each, so that a million can be
// scrolled through. Of each packet it keeps the headers and the beginning of the payload; of a management datagram all.
// If the packets exceed the limit, the oldest are dropped. Its methods may be called from any goroutine.
type Trace struct {
	limit int // of bytes, about

	mu      sync.RWMutex
	state   TraceState
	past    capture.Totals // of the captures that were read before
	chunks  []*chunk       // oldest first
	bytes   int
	talks   []*Conversation // of all captures
	first   time.Time       // of the first packet
	source  *Source         // that is being read
	stopped bool
	current *Table
	before  int // how many of talks are of earlier captures
}

// NewTrace makes an empty trace of about limit bytes.
func NewTrace(limit int) *Trace { return &Trace{limit: limit} }

// Source is a capture to read; Read closes it.
type Source struct {
	Name   string
	Reader *capture.Reader
	File   io.Closer // what the reader reads; nil: nothing to close
}

// Read reads captures to their ends, or until Stop, and closes them. State tells how it
// went.
func (t *Trace) Read(sources []Source) {
	var err error
	for i := range sources {
		s := &sources[i]
		if err == nil {
			err = t.readOne(s)
		}
		err = errors.Join(err, s.Close())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Done, t.state.Err = true, err
}

// Stop ends Read.
func (t *Trace) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.source != nil {
		t.source.stop()
	}
}

func (t *Trace) readOne(s *Source) (err error) {
	if !t.begin(s) {
		return nil
	}
	var f capture.Frame
	for err == nil {
		if err = s.Reader.Next(&f); err == nil {
			t.add(s.Reader, &f)
		}
	}
	if stopped := t.end(s.Reader); stopped || errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// stop makes the reader's Next return.
func (s *Source) stop() {
	s.Reader.Stop()
	if s.File != nil {
		s.File.Close()
	}
}

// Close closes the capture.
func (s *Source) Close() error {
	err := s.Reader.Close()
	if s.File != nil {
		if e := s.File.Close(); !errors.Is(e, os.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// begin begins a capture, whose conversations are its own; false: reading was stopped.
func (t *Trace) begin(s *Source) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.source = s
	t.state.Name, t.past = s.Name, t.state.Totals
	t.current, t.before = New(), len(t.talks)
	return !t.stopped
}

// end ends a capture, and reports whether reading was stopped.
func (t *Trace) end(r *capture.Reader) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(r)
	t.current, t.source = nil, nil
	return t.stopped
}

func (t *Trace) count(r *capture.Reader) {
	t.state.Totals = t.past.Plus(&r.Totals)
}

func (t *Trace) add(r *capture.Reader, f *capture.Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state.To == 0 {
		t.first = f.At
	}
	marks, talk := t.current.Add(f)
	number := 0
	if talk != nil {
		if number = t.before + talk.Number; number > len(t.talks) {
			t.talks = append(t.talks, talk)
		}
	}
	c := t.room()
	t.bytes += c.add(f, marks, number, t.current.Touched)
	t.state.To++
	t.count(r)
}

// firstRoom is the room for the kept bytes of the first chunk; the next ones get what the
// one before needed.
const firstRoom = 1 << 16

// room returns the chunk for the next packet, and drops the oldest beyond the limit.
func (t *Trace) room() *chunk {
	if n := len(t.chunks); n > 0 && !t.chunks[n-1].full() {
		return t.chunks[n-1]
	}
	if n := len(t.chunks); n > 0 {
		t.bytes += t.chunks[n-1].seal()
	}
	for t.bytes > t.limit && len(t.chunks) > 1 {
		old := t.chunks[0]
		t.bytes -= old.bytes
		t.state.From += uint64(len(old.records))
		t.chunks = t.chunks[1:]
	}
	size := firstRoom
	if n := len(t.chunks); n > 0 {
		size = len(t.chunks[n-1].heads) * 17 / 16
	}
	c := newChunk(size)
	t.bytes += c.bytes
	t.chunks = append(t.chunks, c)
	return c
}

// TraceState returns how far the trace has been read.
func (t *Trace) State() TraceState {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.state
	s.Talks = len(t.talks)
	return s
}

// find returns the chunk of packet n and the place in it; nil if it is not kept. All
// chunks but the last are full.
func (t *Trace) find(n uint64) (*chunk, int) {
	if n < t.state.From || n >= t.state.To {
		return nil, 0
	}
	at := int(n - t.state.From)
	return t.chunks[at/chunkPackets], at % chunkPackets
}

// Packet fills in p with packet n, and reports whether that is kept.
func (t *Trace) Packet(n uint64, p *Packet) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	c, i := t.find(n)
	if c == nil {
		return false
	}
	c.packet(i, p)
	p.N, p.T = n, p.At.Sub(t.first)
	p.Talk = t.talk(c.records[i].talk)
	return true
}

// TalkOf returns the conversation of a packet; without one, where it comes from and where it goes.
func (t *Trace) TalkOf(p *Packet) Talk {
	if p.Talk.Number == 0 {
		return Talk{Ends: [2]End{{Addr: p.Src.Addr()}, p.To()}}
	}
	return p.Talk
}

// Has reports whether a packet belongs to a conversation.
func (t *Trace) Has(talk *Talk, p *Packet) bool { return p.Talk.Number == talk.Number }

// talk returns a conversation by its number among all; that of the one that it has turned
// out to be a part of.
func (t *Trace) talk(number uint32) Talk {
	if number == 0 {
		return Talk{}
	}
	part := t.talks[number-1]
	whole := part.Whole()
	return Talk{Number: int(number) - part.Number + whole.Number, Ends: whole.Ends}
}

// Marks returns what the others say of packet n; 0 if that is not kept.
func (t *Trace) Marks(n uint64) Marks {
	t.mu.RLock()
	defer t.mu.RUnlock()
	c, i := t.find(n)
	if c == nil {
		return 0
	}
	return c.records[i].marks
}

// Next returns the packet of a conversation nearest to packet n, itself not included:
// after it, or before it if forward is false. What was captured a second time is left out.
// A conversation without a number stands for the packets of none.
func (t *Trace) Next(n uint64, forward bool, talk *Talk) (uint64, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for {
		if n--; forward {
			n += 2
		}
		c, i := t.find(n)
		if c == nil {
			return 0, false
		}
		if r := &c.records[i]; t.talk(r.talk).Number == talk.Number && !r.marks.Has(Second) {
			return n, true
		}
	}
}
