package timeline

import "rdmatui/verbs/ring"

// MaxText bounds the text of commands and notes that is kept, in bytes: a
// line may be 2 MiB long, and 65536 of those would not fit any machine.
const MaxText = 16 << 20

// Kept is the newest events of a sequence: at most Max, with a bounded length of text.
type Kept struct {
	ring.Ring[Event]
	Max  int
	text int // bytes
}

// Add returns the place of a new event, for which the oldest goes where there are
// Max. [Kept.Weigh] must be called once it is filled in, but for completions.
func (k *Kept) Add() *Event {
	if k.Len() == k.Max {
		k.dropOldest()
	}
	return k.Ring.Add()
}

// Weigh counts the text of the newest event. The oldest go while it is too much, but
// not the newest.
func (k *Kept) Weigh(newest *Event) {
	k.text += newest.textLen()
	for k.text > MaxText && k.Len() > 1 {
		k.dropOldest()
	}
}

func (k *Kept) dropOldest() {
	k.text -= k.At(0).textLen()
	k.Drop(1)
}

// textLen is how many bytes of text an event holds that may be long.
func (e *Event) textLen() int {
	switch {
	case e.Command != nil:
		c := e.Command
		n := len(c.Line) + len(c.Resolved) + len(c.Result) + len(c.Check) + len(c.Err) + len(c.Hint)
		if c.C != nil {
			n += len(c.Resolved) // the values of the call
		}
		return n
	case e.Packet != nil:
		return len(e.Packet.Data)
	case e.Note != nil:
		return len(e.Note.Text)
	}
	return 0
}
