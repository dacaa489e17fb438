package script

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"

	"rdmatui/session/export"
)

// PackedAtOnce is how many steps are packed together: enough of them for what
// they have in common to count, few enough to take only some milliseconds.
const PackedAtOnce = 512

// packed are steps that change no more, in about a tenth of the room: a session
// on the screen records for hours.
type packed struct {
	bytes []byte // of steps, gob and deflate
	Whole []*export.Step
}

// pack makes the older steps small once there are many. A block is kept whole:
// its further rounds are noted in it.
func (r *recorder) pack() {
	if len(r.Steps) < 2*PackedAtOnce {
		return
	}
	for older := r.Steps[:PackedAtOnce]; len(older) > 0; {
		n := 0
		for n < len(older) && !r.blocks[older[n]] {
			n++
		}
		if n > 0 {
			r.Packed = append(r.Packed, packSteps(older[:n]))
		} else {
			n = 1
			r.Packed = append(r.Packed, packed{Whole: older[:1:1]})
		}
		older = older[n:]
	}
	r.Steps = append([]*export.Step(nil), r.Steps[PackedAtOnce:]...)
}

// packSteps leaves steps whole that cannot be written down.
func packSteps(steps []*export.Step) packed {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is one that there is
	if err := gob.NewEncoder(w).Encode(steps); err != nil {
		return packed{Whole: steps}
	}
	if err := w.Close(); err != nil {
		return packed{Whole: steps}
	}
	return packed{bytes: bytes.Clone(b.Bytes())}
}

// unpack returns the steps.
func (p packed) unpack() ([]*export.Step, error) {
	if p.bytes == nil {
		return p.Whole, nil
	}
	var steps []*export.Step
	if err := gob.NewDecoder(flate.NewReader(bytes.NewReader(p.bytes))).Decode(&steps); err != nil {
		return nil, fmt.Errorf("the recorded session is unreadable: %w", err)
	}
	return steps, nil
}

// All returns every step, in order.
func (r *recorder) All() ([]*export.Step, error) {
	var all []*export.Step
	for _, p := range r.Packed {
		steps, err := p.unpack()
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return append(all, r.Steps...), nil
}
