package export

import (
	"strings"
	"testing"
)

// TestOwnChannelGoesWithItsLastIdentifier: the requests to a listener share its channel, and librdmacm reads the
// channel of an identifier that it destroys.
func TestOwnChannelGoesWithItsLastIdentifier(t *testing.T) {
	const listen = "rdma_create_id l ps=TCP mode=event\nrdma_listen l\nrdma_get_cm_event CONNECT_REQUEST id=l name=r"
	const ofL, ofR, channel = "(destroy_id(l))", "(destroy_id(r))", "rdma_destroy_event_channel(l_channel);"
	for name, tt := range map[string]struct {
		lines string
		want  []string // in this order
	}{
		"the end":            {listen, []string{ofR, ofL, channel}},
		"the listener first": {listen + "\nclose l\nclose r", []string{ofL, ofR, channel}},
		"the request first":  {listen + "\nclose r\nclose l", []string{ofR, ofL, channel}},
		"the listener alone": {listen + "\nclose l", []string{ofL, ofR, channel}},
		"the listener migrates": {listen + "\nrdma_create_event_channel c\nrdma_migrate_id l c\nclose l\nclose c",
			[]string{"rdma_migrate_id(l, c)", ofL, "rdma_destroy_event_channel(c);", ofR, channel}},
		"both migrate": {listen + "\nrdma_create_event_channel c\nrdma_migrate_id l c\nrdma_migrate_id r c",
			[]string{"rdma_migrate_id(l, c)", "rdma_migrate_id(r, c)", channel, ofR, ofL,
				"rdma_destroy_event_channel(c);"}},
		"no request": {"rdma_create_id l ps=TCP mode=event\nrdma_create_event_channel c\nrdma_migrate_id l c",
			[]string{"rdma_migrate_id(l, c)", channel, ofL, "rdma_destroy_event_channel(c);"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := C(recordingOf(t, strings.Split(tt.lines, "\n"), func(int, *Step) {}))
			rest := text
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found || strings.Count(text, want) != 1 {
					t.Fatalf("%s occurs %d times, or too early:\n%s", want, strings.Count(text, want), text)
				}
				rest = after
			}
		})
	}
}

// TestRequestOfAnEvent: a request's identifier is read from the request's own event, whether that was asked for by name
// or not.
func TestRequestOfAnEvent(t *testing.T) {
	for line, want := range map[string]string{
		"rdma_get_cm_event CONNECT_REQUEST id=l name=r": "r = event->id;",
		"rdma_get_cm_event CONNECT_REQUEST id=l":        "l_1 = event->id;",
		"rdma_get_cm_event id=l name=r":                 "r = event->id;",
		"rdma_get_cm_event id=l":                        "l_1 = event->id;",
		"rdma_get_cm_event ESTABLISHED id=l":            "",
		"rdma_get_cm_event ESTABLISHED id=l name=r":     "",
	} {
		text := C(recordingOf(t, []string{"rdma_create_id l ps=TCP mode=event", "rdma_listen l", line},
			func(i int, s *Step) {
				if i == 2 && want != "" {
					s.Done.EventOf = "l-1"
					if strings.HasSuffix(line, "name=r") {
						s.Done.EventOf = "r"
					}
				}
			}))
		if n := strings.Count(text, "event->id;"); want == "" && n > 0 || want != "" &&
			(n != 1 || !strings.Contains(text, want)) {
			t.Errorf("%s: %d times, want %q:\n%s", line, n, want, text)
		}
	}
}
