package ui

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/verbstest/race"
)

var (
	walks     = flag.Int("walks", 6, "how many random walks over the keys to take")
	firstWalk = flag.Uint64("first-walk", 1, "the seed of the first")
	walkSteps = flag.Int("walk-steps", 250, "the steps of each, of one to some twenty keys")
	walkKeys  = flag.Int("walk-keys", 0, "the least keys of each, such as 100000; 0: as many as the steps have")
)

func init() {
	if race.Enabled {
		*walks = 2 // many walks are taken without the race detector (make world)
	}
}

// walkSizes are the windows of a random walk; the last are too small for anything.
var walkSizes = [][2]int{{80, 24}, {120, 40}, {200, 60}, {60, 12}, {20, 5}, {2, 2}, {1, 1}}

// walkWords are typed into filters, fields, the finder and the console: matches, values that are wrong, and text that
// matches nothing.
var walkWords = []string{"zzz-no-match", "nak", "qp==a", "qp==zz", "psn==0x", "op~SEND", "(((", "a", "0x12zz", "-1",
	"18446744073709551616", "é漢字", "retry", "\\", "SIGNALED", ""}

// walkLines are run in the console. They make, change and destroy what the cursors of the screens point into.
var walkLines = append([]string{
	"post_send a SEND sge=src:0:8 send_flags=SIGNALED", "post_recv b sge=dst:0:64", "poll_cq cq n=8",
	"post_send a RDMA_WRITE sge=src:0:8 remote_addr=dst.addr rkey=1", "connect_qps a b", "write_mem src 0 \"hello\"",
	"destroy_qp a", "destroy_qp b", "dereg_mr src", "dereg_mr dst", "destroy_cq cq", "dealloc_pd pd",
	"close_device soft0", "close_device soft1", "open_device soft1", "modify_qp a RESET", "modify_qp b ERR",
	"create_qp c pd=pd send_cq=cq recv_cq=cq", "set no=such", "explain RNR", "theme none", "nonsense",
}, uitest.BenchLines...)

// everyKey lists the keys of all bindings, but those that end or suspend the program, wait for a peer or write files.
func everyKey() (keys []string) {
	without := []string{"ctrl+c", "ctrl+z", "ctrl+s"}
	for _, c := range keymap.Contexts() {
		for _, g := range c.Groups {
			for _, b := range g.Keys {
				keys = append(keys, b.Keys()...)
			}
		}
	}
	keys = slices.DeleteFunc(keys, func(k string) bool { return slices.Contains(without, k) })
	slices.Sort(keys)
	return slices.Compact(keys)
}

// stroll is a random sequence of what a person can do with keyboard, mouse and window.
type stroll struct {
	*guided
	random *rand.Rand
	keys   []string
	size   [2]int
	did    []string
	told   uint64 // the event after which ran looks
	count  int    // of keys
}

func (w *stroll) oneOf(words []string) string { return words[w.random.IntN(len(words))] }

func (w *stroll) do(keys ...string) {
	w.did = append(w.did, keys...)
	w.count += len(keys)
	for _, k := range keys {
		w.handed(k)
	}
}

// handed presses a key. If it runs a command on a queue pair, that is the one that the title names, or its other end.
func (w *stroll) handed(key string) {
	if !slices.Contains(handKeys, key) {
		w.Press(key)
		return
	}
	w.Send(nil) // takes the effects of earlier keys
	a := w.app
	onScreen := w.idle() && a.at <= screen.Wire && (a.ask == nil || key == "y") && a.finder == nil && a.help == nil &&
		!a.console.IsOpen() && !a.reply.open && a.w >= minW && a.h >= minH && !a.current().Typing()
	if !onScreen {
		w.Press(key)
		return
	}
	before, at := w.sess.Snapshot(), a.at
	hand, view := a.env.Hand.In(&before), w.View()
	w.ran()
	w.Keys(key)
	q := before.QP(hand)
	if q == nil {
		return
	}
	peer, _ := before.LikelyPeer(q)
	for _, l := range w.ran() {
		qps, _ := actsOn(&before, l)
		for _, on := range qps {
			asked := key == "y" && strings.Contains(view, " "+on+"?") // and the question named it
			if on != hand && on != peer && !asked {
				w.t.Errorf("%s on %s runs %q, and the title names %s:\n%s", key, screen.Names[at], l, hand, view)
			}
		}
	}
}

// idle reports that no line runs, which a key may have begun with another queue pair in hand.
func (w *stroll) idle() bool {
	if _, waits := w.sess.Waiting(); waits {
		return false
	}
	for _, tab := range w.app.tabs {
		if f, ok := tab.Screen.(screen.Fielder); ok && f.Field("running") != "" {
			return false
		}
	}
	return true
}

// handKeys run a command at once.
var handKeys = []string{"enter", "r", "x", "f", "c", "R", "s", "y"}

// ran returns the lines that were run since it was last called.
func (w *stroll) ran() (lines []string) {
	events, _ := w.sess.Timeline().Since(w.told, nil)
	for i := range events {
		w.told = events[i].Seq
		if c := events[i].Command; c != nil {
			lines = append(lines, c.Line)
		}
	}
	return lines
}

func (w *stroll) typeIn(text string) {
	w.did = append(w.did, fmt.Sprintf("%q", text))
	for _, r := range text {
		w.count++
		w.Press(string(r))
	}
}

var walkMoves = []string{"up", "down", "pgup", "pgdown", "home", "end", "left", "right", "tab", "shift+tab", "enter",
	"z", "G", "g"}

func (w *stroll) step() {
	switch n := w.random.IntN(100); {
	case n < 30:
		w.do(w.oneOf(walkMoves))
	case n < 60:
		w.do(w.oneOf(w.keys))
	case n < 70:
		w.do("esc", fmt.Sprint(w.random.IntN(10)))
	case n < 78: // a filter, then moves in every pane
		w.do("/")
		w.typeIn(w.oneOf(walkWords))
		w.do(w.oneOf([]string{"enter", "esc"}))
		for range w.random.IntN(4) {
			w.do("tab", w.oneOf(walkMoves))
		}
	case n < 82:
		w.typeIn(w.oneOf(walkWords))
		w.do(w.oneOf([]string{"enter", "esc", "tab"}))
	case n < 90:
		w.do("esc", ":")
		w.typeIn(w.oneOf(walkLines))
		w.do("enter", "esc")
	case n < 92:
		w.do("D", w.oneOf([]string{"y", "n", "enter", "esc"}))
	case n < 97:
		w.point()
	default:
		w.size = walkSizes[w.random.IntN(len(walkSizes))]
		w.did = append(w.did, fmt.Sprint("resize ", w.size))
		w.Resize(w.size[0], w.size[1])
	}
}

// point clicks or turns the wheel somewhere, also outside the window.
func (w *stroll) point() {
	x, y := w.random.IntN(w.size[0]+2), w.random.IntN(w.size[1]+2)
	w.did = append(w.did, fmt.Sprint("mouse ", x, " ", y))
	w.Point(x, y, []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[w.random.IntN(2)])
}

// TestPointEverywhere clicks and turns the wheel in each cell of each screen in windows that are small.
func TestPointEverywhere(t *testing.T) {
	g := newGuided(t, 80, 24, "first-write", used...)
	for _, size := range walkSizes[3:] {
		g.Resize(size[0], size[1])
		for id := range 10 {
			for y := range size[1] {
				for x := range size[0] {
					if x%20 == 0 {
						g.Press("esc", fmt.Sprint(id)) // what a click has opened is closed
					}
					g.Point(x, y, []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[x%2])
				}
			}
			g.Resize(size[0], size[1])
		}
	}
}

// leak is what a walk may leave behind.
type leak struct {
	goroutines int
	used       uint64 // bytes of the budget of regions and queues
	heap       uint64 // bytes
}

// leaks reads them once what still runs has had time to end.
func leaks(most leak) (l leak) {
	for range 100 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		l = leak{runtime.NumGoroutine(), memory.OfProcess().Used(), m.HeapAlloc}
		if l.goroutines <= most.goroutines && l.used <= most.used && l.heap <= most.heap {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return l
}

// keptHeap is how many bytes may stay on the heap after a walk: caches of texts that are made once.
const keptHeap = 32 << 20

// TestRandomKeys takes random walks over all keys of all screens, with text typed into whatever takes it, objects
// destroyed and made, and the window resized. No view may exceed the window, nothing may panic, no key may act on a
// queue pair that the title does not name, and afterwards goroutines, objects and memory are as before.
func TestRandomKeys(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir()) // for what a key saves
	start := leaks(leak{1 << 30, 1 << 62, 1 << 62})
	for seed := *firstWalk; seed < *firstWalk+uint64(*walks); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { takeWalk(t, seed) })
		most := leak{start.goroutines, start.used, start.heap + keptHeap}
		got := leaks(most)
		if t.Logf("%+v, %+v at the start", got, start); got.goroutines > most.goroutines || got.used > most.used ||
			got.heap > most.heap {
			t.Errorf("seed %d leaves %+v, want %+v", seed, got, most)
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		}
	}
}

// takeWalk takes one random walk.
func takeWalk(t *testing.T, seed uint64) {
	w := &stroll{random: rand.New(rand.NewPCG(seed, 0)), keys: everyKey()}
	w.size = walkSizes[w.random.IntN(3)]
	w.guided = newGuided(t, w.size[0], w.size[1], "first-write", used...)
	defer func() {
		if reason := recover(); reason != nil || t.Failed() {
			t.Errorf("%v\nafter %s", reason, strings.Join(w.did[max(len(w.did)-60, 0):], " "))
			if reason != nil {
				panic(reason)
			}
		}
	}()
	defer func() { t.Log(w.count, "keys") }()
	for n := 0; n < *walkSteps || w.count < *walkKeys; n++ {
		w.step()
		if n%4 == 3 {
			w.Resize(w.size[0], w.size[1]) // takes what commands have answered, and checks the view
		}
		w.did = w.did[max(len(w.did)-60, 0):]
		w.Quit = false
		if t.Failed() {
			break
		}
	}
}
