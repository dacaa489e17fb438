package devices

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	inv "rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

func keyOf(name string) tea.Msg { return uitest.Key(name) }

// runAll runs work, batches included, and returns the messages.
func runAll(cmd tea.Cmd) (msgs []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			msgs = append(msgs, runAll(c)...)
		}
	default:
		msgs = append(msgs, msg)
	}
	return msgs
}

// readAll runs work, and the work that follows from its messages.
func readAll(s *Screen, work tea.Cmd) {
	for _, msg := range runAll(work) {
		readAll(s, s.Update(msg))
	}
}

// Show returns before anything has been read, and the screen says so.
func TestFirstFrame(t *testing.T) {
	f := lab()
	s := newScreen(uitest.NewSession(t, session.Options{}), f, testTheme())
	if s.Show() == nil {
		t.Fatal("nothing will be read")
	}
	if len(f.calls) != 0 {
		t.Errorf("Show itself did %v", f.calls)
	}
	if got := draw(s, 80, 17); !contains(got, "reading the devices…") {
		t.Errorf("the first frame says nothing:\n%s", got)
	}
}

// Moving quickly through the list opens one device at a time, and the last selection wins.
func TestQuickSelection(t *testing.T) {
	f := lab()
	for i := range 50 {
		d := softDetail(fmt.Sprintf("vf%d", i))
		f.list = append(f.list, summaryOf(d, 100, ""))
		f.detail[d.Name] = d
	}
	d, r := start(t, f, 80, 24)
	f.mu.Lock()
	f.gate = make(chan struct{})
	f.mu.Unlock()
	for range 40 {
		d.Keys("down")
	}
	if !d.Contains("reading…") {
		t.Errorf("nothing says that it is being read:\n%s", d.View())
	}
	close(f.gate)
	settle(d, r)
	read := 0
	for what, n := range f.calls {
		if len(what) > 6 && what[:6] == "detail" {
			read += n
		}
	}
	if read > 4 || r.at() == nil || r.at().detail == nil || r.at().detail.Name != r.name {
		t.Errorf("%d devices were opened for the one at hand, %s", read, r.name)
	}
}

// A frame does not read the host, and an unchanged frame does not read the rows
// either.
func TestDrawReadsNothing(t *testing.T) {
	f := lab()
	d, r := start(t, f, 200, 60)
	before := total(f)
	changed := func() bool { return differs(r.Screen, &screen.State{Session: r.ses.Snapshot()}) }
	for range 10 {
		draw(r.Screen, 200, 50)
		if changed() {
			t.Fatal("the same state is a change")
		}
	}
	if n := total(f); n != before {
		t.Errorf("drawing read %d times", n-before)
	}
	if r.ses.Do("peer p qp_num=1 psn=1 gid=::1"); changed() {
		t.Error("a change elsewhere in the session changes this screen")
	}
	for _, line := range []string{"open_device soft1", "close_device soft1"} {
		if r.ses.Do(line); !changed() {
			t.Errorf("%s is no change", line)
		}
	}
	_ = d
}

// differs draws a frame and reports whether the screen changed.
func differs(s *Screen, st *screen.State) bool {
	changed, _ := s.Refresh(st)
	return changed
}

func total(f *fakeHost) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		n += c
	}
	return n
}

// Counters are read once a second, but only while they are visible.
func TestPolling(t *testing.T) {
	f := lab()
	d, r := start(t, f, 80, 24)
	poll := func() {
		r.polled = time.Time{}
		d.Send(look{})
		settle(d, r)
	}
	poll()
	if n := f.count("counters rxe0"); n > 1 { // once at the start, when the window is not known
		t.Errorf("%d readings of what cannot be seen", n)
	}
	press(d, r, "#")
	before := f.count("counters rxe0")
	for range 5 {
		r.clock = r.clock.Add(pollTime)
		poll()
		d.Send(look{}) // too early
	}
	if n := f.count("counters rxe0"); n != before+5 {
		t.Errorf("%d readings in 5 seconds", n-before)
	}
	// The second counter of the fake gains 1000 units of 4 bytes a reading, one a second.
	for _, want := range []string{"4 kB/s", "3 k/s", "▁▁▁▁▁", "█████"} {
		if !d.Contains(want) {
			t.Errorf("no %q in\n%s", want, d.View())
		}
	}
	uitest.Golden(t, "80x24", d.View())
}

// TestProviderCounters opens the counters of a device that the kernel does not have: they are read once a second, and
// explained by their provider.
func TestProviderCounters(t *testing.T) {
	f := laptop()
	d, r := start(t, f, 120, 40)
	press(d, r, "#")
	before := f.count("counters soft0")
	r.clock = r.clock.Add(pollTime)
	d.Send(look{})
	settle(d, r)
	if n := f.count("counters soft0"); n != before+1 {
		t.Errorf("%d readings in a second", n-before)
	}
	for _, want := range []string{"fault_lost", "packets lost by the", "device hw_counters"} {
		if !d.Contains(want) {
			t.Errorf("no %q in\n%s", want, d.View())
		}
	}
}

func TestReadings(t *testing.T) {
	var r readings
	at := time.Unix(0, 0)
	for _, step := range []struct {
		after time.Duration
		value uint64
	}{{0, 100}, {time.Second, 300}, {2 * time.Second, 300}, {time.Second, 10}, {500 * time.Millisecond, 20}} {
		at = at.Add(step.after)
		r.add(at, []inv.Counter{{Name: "x", Value: step.value}})
	}
	m := r.meters[counterID{name: "x"}]
	if got := fmt.Sprint(m.series); got != "[200 0 20]" || m.value != 20 {
		t.Errorf("rates %s of value %d; a counter that went back has none", got, m.value)
	}
	for range 2 * maxSeries {
		m.push(1)
	}
	r.add(at.Add(time.Second), nil)
	if len(m.series) != maxSeries || len(r.meters) != 0 {
		t.Errorf("%d rates kept, of %d counters", len(m.series), len(r.meters))
	}
}

// The list follows the host, and what was read of a removed device is dropped.
func TestWatch(t *testing.T) {
	f := laptop()
	f.changes = make(chan struct{}, 1)
	d, r := start(t, f, 80, 24)
	rxe := roceDetail()
	f.mu.Lock()
	f.list = []inv.Summary{f.list[1], summaryOf(rxe, 2.5, "eth0")}
	f.detail["rxe0"] = rxe
	f.mu.Unlock()
	press(d, r, "down")
	f.changes <- struct{}{}
	d.WaitFor("rxe0")
	if r.name != "soft1" || r.known["soft0"] != nil {
		t.Errorf("the cursor is on %q; of soft0 is known %v", r.name, r.known["soft0"])
	}
	f.mu.Lock()
	f.list = nil
	f.mu.Unlock()
	f.changes <- struct{}{}
	d.WaitFor("rdma link add rxe0 type rxe netdev eth0")
	if r.Context().Name != "Devices" || r.name != "" {
		t.Errorf("with no device at hand: %q", r.name)
	}
	press(d, r, "enter", "enter", "/", "right", "a", "esc")
	if r.ses.WantLines(); r.Typing() {
		t.Error("without a device something can be typed")
	}
}

// What is read while another screen is in front, without frames, is shown when this
// screen returns.
func TestNewsInBackground(t *testing.T) {
	f := lab()
	s := newScreen(uitest.NewSession(t, session.Options{}), f, testTheme())
	readAll(s, s.Show())
	if got := draw(s, 80, 17); !contains(got, "5254:00ff:fe12:3456") {
		t.Errorf("what was read is lost:\n%s", got)
	}
}

func TestFailures(t *testing.T) {
	f := lab()
	f.fail["rxe0"] = errors.New("ibv_open_device rxe0:\n EACCES \x1b[31mpermission denied")
	d, r := start(t, f, 80, 24)
	if !d.Contains(`ibv_open_device rxe0: EACCES \x1b[31mpermission denied`) {
		t.Errorf("the error is not told in one line:\n%s", d.View())
	}
	for _, key := range []string{"P", "i", "#", "H", "U"} {
		press(d, r, key)
		if !d.Contains("EACCES") {
			t.Errorf("key %s does not tell the error:\n%s", key, d.View())
		}
	}
	press(d, r, "esc", "down", "a", "esc")
	if !d.Contains("max_mr_size") {
		t.Errorf("another device cannot be seen:\n%s", d.View())
	}
	delete(f.fail, "rxe0")
	press(d, r, "up", "a", "r")
	if !d.Contains("max_mr_size") || d.Contains("EACCES") {
		t.Errorf("reading again does not help:\n%s", d.View())
	}
}

// Whatever sysfs contains, no frame breaks and no control byte reaches the terminal.
func TestHostile(t *testing.T) {
	evil := "\x1b]0;own\x07\n\t\u202egnp.exe\xff世界🙂́" + string(make([]byte, 300))
	det := roceDetail()
	det.Name, det.NodeDesc, det.Driver, det.PCI = evil, evil, evil, evil
	det.DeviceAttr.FWVer = evil
	det.KernelModules, det.CharDevices = []string{evil}, []string{evil}
	det.Netdevs[0].Name, det.Netdevs[0].OperState, det.Netdevs[0].Address = evil, evil, evil
	det.Ports[0].GIDs[0].Netdev = evil
	det.Ports[0].State, det.Ports[0].LinkLayer = verbs.PortState(999), verbs.LinkLayer(77)
	det.Problems = []inv.Problem{{What: evil, Err: evil}}
	f := laptop()
	f.list = []inv.Summary{summaryOf(det, -1e300, evil), {DeviceInfo: verbs.DeviceInfo{Name: "bad"}, Err: evil}}
	f.detail[evil] = det
	f.counters[evil] = []inv.Counter{{Name: evil, Group: evil, Value: ^uint64(0)}, {Name: evil, Value: 1}}
	f.held[evil] = inv.Resources{
		Users: []inv.User{{Comm: evil, Counts: map[string]int{evil: 1}}},
		QPs:   []inv.QPUse{{Comm: evil, Type: evil, State: 99}},
	}
	f.findings = []inv.Finding{{Check: evil, Status: inv.Fail, Looked: evil, Meaning: evil, Next: evil},
		{Status: inv.Status(evil)}}
	for _, sz := range sizes {
		d, r := start(t, f, sz.w, sz.h)
		for _, key := range []string{"a", "P", "i", "#", "H", "U", "d", "z", "z", "/", "x", "esc", "esc",
			"enter", "down"} {
			press(d, r, key)
			uitest.Exact(t, d.Raw(), sz.w, around(sz.h))
		}
	}
}

// Any size can be drawn.
func TestSizes(t *testing.T) {
	d, r := start(t, lab(), 80, 24)
	press(d, r, "a")
	for w := 1; w < 210; w += 7 {
		for h := 2; h < 64; h += 5 {
			d.Resize(w, h)
			uitest.Exact(t, d.Raw(), w, h)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	f := lab()
	s := newScreen(uitest.NewSession(b, session.Options{}), f, testTheme())
	readAll(s, s.Show())
	buf := line.New(s.th)
	for b.Loop() {
		buf.Reset()
		drawTo(buf, s, 200, 50)
	}
}

// A program started with a device shows that device first.
func TestOpenAtStart(t *testing.T) {
	f := lab()
	ses := uitest.NewSession(t, session.Options{}, "open_device soft1")
	s := newScreen(ses, f, testTheme())
	s.Refresh(&screen.State{Session: ses.Snapshot()})
	readAll(s, s.Show())
	if s.name != "soft1" || !contains(draw(s, 80, 17), "soft1 is open: go to Bring-up") {
		t.Errorf("the device at hand is %q\n%s", s.name, draw(s, 80, 17))
	}
}
