package script

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"

	"rdmatui/session/export"
)

// PackedAtOnce is how many steps are packed together: enough for good compression,
// few enough to take only some milliseconds.
const PackedAtOnce = 512

// packed holds finished steps in about a tenth of the memory: a session with a screen
// records for hours.
type packed struct {
	bytes []byte // steps, encoded with gob and deflate
	Whole []*export.Step
}

// pack compresses older steps once there are many. Blocks are not compressed: further
// rounds update them.
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

// packSteps keeps steps uncompressed if they cannot be encoded.
func packSteps(steps []*export.Step) packed {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is valid
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
