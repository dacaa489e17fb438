package capture

import (
	"io"
	"testing"

	"rdmatui/verbs/verbstest/capturetest"
)

// FuzzEncapsulations looks for RoCE packets in hostile frames: it ends, with what it found within the frame, and stores
// no more than the bounds.
func FuzzEncapsulations(f *testing.F) {
	for _, e := range capturetest.Encapsulations {
		f.Add(uint16(e.Link), e.Wrap(roceFrame(f)), uint16(0))
	}
	inner := roceFrame(f)
	for range maxLayers + 1 {
		for _, e := range capturetest.Encapsulations {
			if e.Name == "VXLAN" || e.Name == "MPLS with Ethernet" {
				inner = e.Wrap(inner)
			}
		}
	}
	f.Add(uint16(1), inner, uint16(0))
	w := walk{}
	f.Fuzz(func(t *testing.T, of uint16, b []byte, more uint16) {
		decode := links[linkType(of)]
		if decode == nil {
			return
		}
		var frame Frame
		if w.decode(&frame, decode, b, len(b)+int(more)) != nil {
			return
		}
		if frame.Raw.bth < 0 || frame.Raw.bth > len(b) || len(frame.Data) > len(b)-frame.Raw.bth || frame.Len < 0 ||
			len(frame.Outer.Layers()) > maxLayers || len(w.outers) > maxOuters || w.left < 0 || w.skip >= skips {
			t.Fatalf("%+v, %+v", frame, w.skip)
		}
		frame.DecodeCut(nil)
		_ = frame.Outer.String() + frame.Wire.String()
		for _, c := range Fields() {
			if c.Has(&frame) && c.Text != nil {
				_ = c.Text(&frame)
			}
		}
		if err := NewWriter(io.Discard).WriteFrame(&frame); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNesting: what is encapsulated as deep as the bound is found, and what is deeper is counted.
func TestNesting(t *testing.T) {
	vxlan := capturetest.Encapsulations[0]
	for _, e := range capturetest.Encapsulations {
		if e.Name == "VXLAN" {
			vxlan = e
		}
	}
	for depth, found := range map[int]bool{maxLayers: true, maxLayers + 1: false} {
		b := roceFrame(t)
		for range depth {
			b = vxlan.Wrap(b)
		}
		var w walk
		err := w.decode(new(Frame), ethernet, b, len(b))
		if (err == nil) != found || !found && w.skip != SkipDeep {
			t.Errorf("%d deep: %v, %d", depth, err, w.skip)
		}
	}
}
