package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// removalCheckEvery is the interval at which the host is asked whether an open device still exists.
const removalCheckEvery = 2 * time.Second

const blockedPair = "open_device\nalloc_pd\ncreate_cq cq\ncreate_qp a send_cq=cq recv_cq=cq\ncreate_qp b send_cq=cq recv_cq=cq"

// TestBlockedCall: a provider call that does not return is reported, and abandoned
// once it is stopped; other objects keep working, and closing takes bounded time.
func TestBlockedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sessiontest.NewFake()
		s := session.New(core.Options{Providers: []verbs.Provider{f}, RefuseWhileWaiting: true})
		sessiontest.RunLines(t, s, blockedPair)
		release := f.Block("qp")
		failed := make(chan error)
		go func() {
			_, err := s.Exec(context.Background(), "destroy_qp a")
			failed <- err
		}()
		time.Sleep(core.BlockedAfter - time.Millisecond)
		if sessiontest.Noted(s, "has not returned") {
			t.Error("noted too early")
		}
		time.Sleep(2 * time.Millisecond)
		if !sessiontest.Noted(s, "ibv_destroy_qp(a) has not returned for 5 s") {
			t.Error("no note of the call")
		}
		if w, ok := s.Waiting(); !ok || w.Line != "destroy_qp a" {
			t.Errorf("running is %q", w.Line)
		}
		s.Snapshot()
		s.StopWaiting()
		var blocked *core.BlockedError
		if err := <-failed; !errors.As(err, &blocked) || blocked.Call != "ibv_destroy_qp(a)" {
			t.Errorf("%v", err)
		}
		if _, err := s.Exec(t.Context(), "alloc_pd other"); err != nil {
			t.Errorf("another command: %v", err)
		}
		began := time.Now()
		// the time for one object: the others on the device are left alone
		if err := s.Close(); !errors.As(err, &blocked) || time.Since(began) > core.ClosedAfter {
			t.Errorf("closing took %s: %v", time.Since(began), err)
		}
		if s.Close() == nil {
			t.Error("closing again returns no error")
		}
		release()
		synctest.Wait()
		if !sessiontest.Noted(s, "ibv_destroy_qp(a) returned after") {
			t.Error("no note of the return")
		}
	})
}

// TestBlockedPost: a command that does not end does not prevent closing.
func TestBlockedPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sessiontest.NewFake()
		s := session.New(core.Options{Providers: []verbs.Provider{f}})
		sessiontest.RunLines(t, s, blockedPair+"\nreg_mr m length=8")
		release := f.Block("post_send")
		go s.Exec(context.Background(), "post_send a SEND sge=m:0:1")
		synctest.Wait()
		began := time.Now()
		var blocked *core.BlockedError
		if err := s.Close(); !errors.As(err, &blocked) || !strings.Contains(err.Error(), "post_send a SEND") ||
			time.Since(began) > core.StoppedAfter {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		release()
		synctest.Wait()
		if err := s.Close(); err != nil || f.Alive.Load() != 0 {
			t.Errorf("%d objects left: %v", f.Alive.Load(), err)
		}
	})
}

// TestDeviceRemoved: a device that the host removes is closed with all objects made
// from it, and a command that uses it is stopped.
func TestDeviceRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sessiontest.NewFake()
		s := session.New(core.Options{Providers: []verbs.Provider{f}, Live: true})
		sessiontest.RunLines(t, s, blockedPair)
		ended := make(chan error)
		go func() {
			_, err := s.Exec(context.Background(), "poll_cq cq timeout=1h")
			ended <- err
		}()
		time.Sleep(2 * removalCheckEvery)
		if f.Alive.Load() == 0 {
			t.Fatal("given back too early")
		}
		f.Gone.Store(true)
		if err := <-ended; !errors.Is(err, context.Canceled) || err.Error() != "the host removed fake0" {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if n := f.Alive.Load(); n != 0 {
			t.Errorf("%d objects left", n)
		}
		if v := s.Snapshot(); len(v.Objects) != 0 {
			t.Errorf("%+v", v.Objects)
		}
		for _, line := range []string{"query_qp a", "poll_cq cq", "alloc_pd"} { // the next lines of a script
			if _, err := s.Exec(t.Context(), line); err == nil || err.Error() != "the host removed fake0" {
				t.Errorf("%s: %v", line, err)
			}
		}
		if !sessiontest.Noted(s, "the host removes fake0") || !sessiontest.Noted(s, "fake0 was removed and is closed") {
			t.Error("no note of the removal")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestLaterNotes: a provider's later notes about an open device appear on the time
// line once; notes about other devices do not.
func TestLaterNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sessiontest.NewFake()
		s := session.New(core.Options{Providers: []verbs.Provider{f}})
		defer s.Close()
		sessiontest.RunLines(t, s, "open_device")
		text := "fake0 is slow"
		f.Says.Store(&text)
		time.Sleep(3 * removalCheckEvery)
		n := 0
		for _, e := range s.Timeline().Snapshot() {
			if e.Kind == timeline.KindNote && strings.HasPrefix(e.Note.Text, text) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("noted %d times", n)
		}
	})
}
