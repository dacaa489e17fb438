package conversation

import (
	"runtime"
	"testing"

	"rdmatui/session/capture"
	"rdmatui/verbs/verbstest/capturetest"
)

// TestStopLive: Stop ends the reading of a network interface, on which nothing arrives.
func TestStopLive(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	r, err := capture.Live("lo")
	if err != nil {
		t.Fatal(err)
	}
	tr, done := NewTrace(1<<20), make(chan struct{})
	go func() {
		defer close(done)
		tr.Read([]Source{{Name: "lo", Reader: r}})
	}()
	for tr.State().Name == "" { // reading has not begun
		runtime.Gosched()
	}
	tr.Stop()
	<-done
	if s := tr.State(); !s.Done || s.Err != nil {
		t.Errorf("%+v", s)
	}
}
