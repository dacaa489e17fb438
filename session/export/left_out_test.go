package export

import (
	"strings"
	"testing"

	"rdmatui/session/command"
)

// TestLeftOut: a line that the program cannot carry out becomes a comment with the reason.
func TestLeftOut(t *testing.T) {
	for _, tt := range []struct {
		line   string
		inner  bool // the line in it was carried out
		reason string
	}{
		{"repeat 2 note x", false, "the line in it was not carried out"},
		{"until note x", false, "the line in it was not carried out"},
		{"until note x", true, "it is in no loop"},
		{"expect error note x", false, "the line in it was not carried out"},
		{"expect wc while=id", false, "it compares nothing"},
		{"open_device", false, "no device was named"},
		{"chain post_recv a ; post_recv a wr_id=3", false, "one of its lines cannot be read"},
	} {
		text := C(recordingOf(t, []string{"rdma_create_id id ps=TCP", tt.line}, func(i int, s *Step) {
			if i == 1 && !tt.inner {
				s.Inner = nil
			}
			if s.Cmd.Spec == command.Chain {
				s.Full = s.Full.With("line", "post_recv a ; nonsense 3")
			}
		}))
		if want := "\t/* " + tt.line + " */\n\t/* Not in this program: " + tt.reason +
			". */\n"; !strings.Contains(text, want) {
			_, after, _ := strings.Cut(text, tt.line)
			t.Errorf("%s: want %q, got %.300s", tt.line, want, after)
		}
	}
}

// TestOptionsOfMain: a program whose values do not depend on the host takes no options.
func TestOptionsOfMain(t *testing.T) {
	for line, takes := range map[string]bool{"note hello": false, "open_device soft0": true} {
		text := C(recordingOf(t, []string{line}, func(int, *Step) {}))
		for _, part := range []string{"argv", "int option;", "getopt", "set them with -D"} {
			if strings.Contains(text, part) != takes {
				t.Errorf("%s: has %q is not %v:\n%s", line, part, takes, text)
			}
		}
		if strings.Contains(text, "int main(void)\n") == takes {
			t.Errorf("%s: takes options is not %v", line, takes)
		}
	}
}

// TestHead: the program says that it is only the beginning of a session whose end was not kept.
func TestHead(t *testing.T) {
	for _, cut := range []bool{false, true} {
		r := recordingOf(t, []string{"note hello"}, func(int, *Step) {})
		r.Cut = cut
		if text := C(r); strings.Contains(text, "this is its beginning") != cut {
			t.Errorf("cut %v:\n%s", cut, text)
		}
	}
}

// TestEndOfMain: the objects that are left are destroyed, if there are any.
func TestEndOfMain(t *testing.T) {
	for line, left := range map[string]bool{"note hello": false, "open_device soft0": true} {
		text := C(recordingOf(t, []string{line}, func(int, *Step) {}))
		if got := strings.Contains(text, "Destroy each object before those that it was created from."); got != left {
			t.Errorf("%s: %v\n%s", line, got, text)
		}
	}
}

// TestModesOfMain: only a channel that is polled does not block.
func TestModesOfMain(t *testing.T) {
	for mode, polled := range map[string]bool{"event": false, "poll": true, "sync": false} {
		text := C(recordingOf(t, []string{"rdma_create_id id ps=TCP mode=" + mode}, func(int, *Step) {}))
		if got := strings.Contains(text, "O_NONBLOCK"); got != polled {
			t.Errorf("mode %s: does not block: %v\n%s", mode, got, text)
		}
	}
}

// TestDevicesOfMain: each device that is opened beside the first one has a name of its own that can be defined.
func TestDevicesOfMain(t *testing.T) {
	lines := []string{"open_device soft0", "open_device soft1", "close_device soft1", "open_device soft1",
		"open_device rxe0"}
	text := C(recordingOf(t, lines, func(int, *Step) {}))
	for part, want := range map[string]int{`#define DEVICE_2 "soft1"`: 1, "open_device(DEVICE_2)": 2,
		`#define DEVICE_3 "rxe0"`: 1, "open_device(DEVICE_3)": 1, "open_device(device_name)": 1, "DEVICE_4": 0} {
		if n := strings.Count(text, part); n != want {
			t.Errorf("%s: %d times, want %d\n%s", part, n, want, text)
		}
	}
}

// TestClosedInALoop: the pointer of an object that is closed in a loop tells that it is gone; a peer has none.
func TestClosedInALoop(t *testing.T) {
	text := C(recordingOf(t,
		strings.Split("open_device soft0\nloop n=2\nalloc_pd pd\npeer p qp_num=1\nclose p\nclose pd\nend", "\n"),
		func(int, *Step) {}))
	if !strings.Contains(text, "\t\tpd = NULL;") || strings.Contains(text, "\t\tp = NULL;") {
		t.Error(text)
	}
}
