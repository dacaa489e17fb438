package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/ui/screen"
)

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 80, 24, "rdma_create_event_channel events")
		defer r.End()
		begin := func(line string) time.Time {
			go r.sess.Exec(t.Context(), line)
			synctest.Wait()
			return time.Now()
		}
		since := begin("rdma_get_cm_event channel=events # \x1b[2J " + strings.Repeat("1", 80))
		after := func(d time.Duration) {
			r.now = since.Add(d)
			r.app.Beat()
		}
		stopped := func() bool {
			synctest.Wait()
			_, waits := r.sess.Waiting()
			return !waits
		}
		if after(waitShown / 2); r.Contains("waiting") {
			t.Error("a short wait is told of")
		}
		if r.Keys("esc"); stopped() {
			t.Error("esc stopped what is not shown")
		}
		if after(waitShown); !r.Contains("waiting: rdma_get_cm_event channel=events") {
			t.Errorf("in the first second:\n%s", r.View())
		}
		after(61*time.Second + time.Millisecond)
		if !r.Contains("waiting 61 s: rdma_get_cm_event channel=events") || !r.Contains("esc stop") ||
			r.Contains("\x1b[2J") {
			t.Errorf("the wait is not told:\n%s", r.View())
		}
		if r.app.lookAtWait() {
			t.Error("what has not changed is drawn anew")
		}
		first := r.screens[screen.Devices]
		first.typing = true
		r.Keys("esc")
		first.typing = false
		if r.Keys(":", "esc", "?", "esc"); stopped() {
			t.Error("an esc that belongs to who has the keyboard stopped the wait")
		}
		if r.Keys("esc"); !stopped() {
			t.Error("esc does not stop it")
		}
		if after(time.Hour); r.Contains("waiting") {
			t.Errorf("the end of the wait is not seen:\n%s", r.View())
		}
		before := len(first.keys)
		if r.Keys("esc"); len(first.keys) != before+1 {
			t.Error("esc does not come back to the screen")
		}
		since = begin("sleep 90s")
		if after(61*time.Second + time.Millisecond); !r.Contains("waiting 61 s, 28 s left: sleep 90s") {
			t.Errorf("the time that is left is not told:\n%s", r.View())
		}
		if after(91 * time.Second); !r.Contains("waiting 91 s: sleep 90s") {
			t.Errorf("time is left of a limit that is over:\n%s", r.View())
		}
	})
}
