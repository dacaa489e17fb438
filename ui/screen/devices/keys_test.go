package devices

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	inv "rdmatui/devices"
	"rdmatui/session/command"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// One key opens the device, shows that it is being opened, and then goes on.
func TestOpen(t *testing.T) {
	d, r := start(t, lab(), 80, 24)
	if !d.Contains("enter opens rxe0") {
		t.Fatalf("nothing says how to open a device:\n%s", d.View())
	}
	press(d, r, "down", "enter")
	r.ses.WantLines("open_device soft0")
	for _, want := range []string{"▸●soft0", "soft0 is open: go to Bring-up", "enter go to Bring-up"} {
		if !d.Contains(want) {
			t.Errorf("no %q in\n%s", want, d.View())
		}
	}
	press(d, r, "enter")
	if want := []screen.ID{screen.BringUp}; !slices.Equal(r.went, want) {
		t.Errorf("went to %v", r.went)
	}
	r.ses.WantLines()
	press(d, r, "up", "enter")
	r.ses.WantLines("open_device rxe0")
}

// While a device is being opened the key does nothing; after a failure it works
// again.
func TestOpenFails(t *testing.T) {
	d, r := start(t, lab(), 80, 24)
	first := r.Update2("enter")
	if second := r.Update2("enter"); first == nil || second != nil {
		t.Fatal("the device is opened twice, or not at all")
	}
	if !d.Contains("opening rxe0…") {
		t.Errorf("nothing says that it is being opened:\n%s", d.View())
	}
	d.Send(runAll(first)...)
	if len(r.done) != 1 || !d.Contains("enter opens rxe0") || len(r.went) != 0 {
		t.Errorf("after a failure: %v, went %v\n%s", r.done, r.went, d.View())
	}
	press(d, r, "enter")
	r.ses.WantLines("open_device rxe0", "open_device rxe0") // the session does not have it
}

// Update2 presses a key and returns its work instead of running it.
func (r *root) Update2(name string) tea.Cmd {
	_, cmd := r.Update(keyOf(name))
	return cmd
}

func TestOpenLine(t *testing.T) {
	for name, want := range map[string]string{
		"mlx5_0":    "open_device mlx5_0",
		"a b":       `open_device "a b"`,
		"x=1\nquit": `open_device "x=1\nquit"`,
		"\x1b[2J":   `open_device "\x1b[2J"`,
		"#c":        `open_device "#c"`,
		// the ends of the plain ranges, and what lies next to them
		"azAZ09_-.:": "open_device azAZ09_-.:",
		"`":          "open_device \"`\"", "{": `open_device "{"`, "@": `open_device "@"`, "[": `open_device "["`,
		"/": `open_device "/"`,
	} {
		got := openLine(name, 0)
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		// No device name can make another command run; a name that the language does not
		// accept is refused.
		if c, err := command.Parse(got); name == "mlx5_0" && err != nil || err == nil && c.Spec.Name != "open_device" {
			t.Errorf("%s is read as %+v, %v", got, c, err)
		}
	}
}

func TestSections(t *testing.T) {
	d, r := start(t, lab(), 80, 24)
	for _, tt := range []struct{ key, want string }{
		{"a", "max_mr_size"}, {"P", "logical state"}, {"i", "::ffff:10.0.2.15"}, {"#", "port_rcv_data"},
		{"H", "rdma_ucm"},
		{"U", "ibv_rc_pingpong"}, {"d", "rdma link add rxe0 type rxe netdev eth0"},
	} {
		press(d, r, "esc", tt.key)
		if !d.Contains(tt.want) {
			t.Errorf("key %s: no %q in\n%s", tt.key, tt.want, d.View())
		}
	}
	press(d, r, "esc", "a", "esc")
	for _, want := range []sectionID{attributes, ports, gids, counters, host, holders, diagnosis, diagnosis} {
		press(d, r, "right")
		if r.inList || r.sec != want {
			t.Errorf("right led to section %d, want %d", r.sec, want)
		}
	}
	press(d, r, "left", "left", "left", "left", "left", "left", "left")
	if !r.inList {
		t.Error("left does not lead back to the list")
	}
}

// n and N move between matches, and on into other sections.
func TestNextMatch(t *testing.T) {
	d, r := start(t, lab(), 120, 40)
	if strings.Contains(d.View(), "next match") {
		t.Errorf("the hint stands where nothing is searched for:\n%s", d.View())
	}
	press(d, r, "a", "/")
	d.Type("mtu")
	press(d, r, "enter")
	found := map[sectionID]int{}
	for id, sh := range r.sheets {
		if sh != nil && sh.hits > 0 {
			found[sectionID(id)] = sh.hits
		}
	}
	if len(found) < 2 {
		t.Fatalf("the search finds too little: %v", found)
	}
	press(d, r, "n") // into the first section with a match
	all := 0
	for _, n := range found {
		all += n
	}
	walk := func(key string) (visits []string) {
		for range all {
			sh := r.sheets[r.sec]
			if found[r.sec] == 0 || sh.all[sh.row()].head {
				t.Fatalf("%s led to section %d, row %d", key, r.sec, sh.row())
			}
			visits = append(visits, sectionTable[r.sec].name+" "+sh.text())
			press(d, r, key)
		}
		return visits
	}
	forth := walk("n")
	if seen := slices.Compact(slices.Sorted(slices.Values(forth))); len(seen) != all {
		t.Errorf("of %d matches n visits %q", all, seen)
	}
	press(d, r, "N")
	back := walk("N")
	slices.Reverse(back)
	if !slices.Equal(forth, back) {
		t.Errorf("forth %q, back %q", forth, back)
	}
}

func TestSearch(t *testing.T) {
	d, r := start(t, lab(), 120, 40)
	press(d, r, "/")
	if !r.Typing() || r.Context().Name != "Search" {
		t.Fatalf("not typing, context %q", r.Context().Name)
	}
	d.Type("mcast qp")
	for _, want := range []string{"max_mcast_qp_attach", "max_total_mcast_qp_attach", "2 found", "ports 0"} {
		if !d.Contains(want) {
			t.Errorf("no %q in\n%s", want, d.View())
		}
	}
	if d.Contains("max_mr_size") {
		t.Errorf("what does not fit is shown:\n%s", d.View())
	}
	press(d, r, "enter")
	if r.Typing() || d.Contains("max_mr_size") {
		t.Error("enter does not keep what was found")
	}
	press(d, r, "esc")
	if !d.Contains("max_mr_size") || r.inList {
		t.Error("esc does not end the search")
	}
	press(d, r, "esc")
	if !r.inList {
		t.Error("esc does not lead back to the list")
	}
	press(d, r, "/")
	d.Send(tea.PasteMsg{Content: "UVERBS\x1b[2J"})
	d.Keys("backspace", "backspace", "backspace", "tab")
	if r.sec != host {
		t.Errorf("tab led to section %d, want the one with hits\n%s", r.sec, d.View())
	}
	press(d, r, "esc")
	if r.Typing() || r.query.Value() != "" {
		t.Error("esc leaves a search behind")
	}
}

func TestMouse(t *testing.T) {
	d, r := start(t, lab(), 80, 24)
	d.Click(5, 3) // the third line of the list
	settle(d, r)
	if r.name != "soft0" || !r.inList {
		t.Errorf("a click chose %q", r.name)
	}
	y := 7
	x := strings.Index(strings.Split(d.View(), "\n")[y], "GIDs")
	x = len([]rune(strings.Split(d.View(), "\n")[y][:x]))
	d.Click(x, y)
	settle(d, r)
	if r.sec != gids || r.inList {
		t.Errorf("a click on the tab chose section %d\n%s", r.sec, d.View())
	}
}

// TestMouseOnNarrowFrames clicks on each cell of the first rows at widths where no tab fits.
func TestMouseOnNarrowFrames(t *testing.T) {
	d, _ := start(t, lab(), 80, 24)
	for _, w := range []int{1, 2, 5, 12, 20, 30, 40, 60, 80} {
		d.Resize(w, 12)
		for _, zoom := range []bool{false, true} {
			for y := range 12 {
				for x := range w {
					d.Point(x, y, tea.MouseWheelDown)
				}
			}
			if d.Keys("z"); zoom {
				d.Keys("z")
			}
		}
	}
}

func TestZoom(t *testing.T) {
	d, r := start(t, lab(), 200, 60)
	if len(r.grid.panes) != 7 {
		t.Fatalf("%d panes", len(r.grid.panes))
	}
	press(d, r, "#", "z")
	if len(r.grid.panes) != 1 || !d.Contains("port_rcv_data") || d.Contains("max_qp") {
		t.Errorf("not the counters alone:\n%s", d.View())
	}
	press(d, r, "esc", "]")
	if len(r.grid.panes) != 7 {
		t.Error("esc does not show all panes again")
	}
	for range r.grid.panes {
		press(d, r, "]")
	}
	if !r.inList {
		t.Error("the panes do not come round to the list")
	}
}

// The diagnosis takes the whole of a small window, says that there is more, and
// returns the window.
func TestDiagnosis(t *testing.T) {
	d, r := start(t, laptop(), 80, 22)
	press(d, r, "d")
	if !d.Contains(" more ─╯") || d.Contains("max_qp") {
		t.Fatalf("not the diagnosis alone:\n%s", d.View())
	}
	press(d, r, "end")
	if !d.Contains("modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0") {
		t.Errorf("the command is not whole:\n%s", d.View())
	}
	press(d, r, "esc")
	if !r.inList || !d.Contains("fw_ver") || !d.Contains("enter opens soft0") {
		t.Errorf("esc does not lead back to the list:\n%s", d.View())
	}
}

// TestOpenOnPort: a device is opened on the port under the cursor if it is ACTIVE, otherwise on
// the default port.
func TestOpenOnPort(t *testing.T) {
	const down, active = verbs.PortState(1), verbs.PortActive
	for _, tt := range []struct {
		first, second verbs.PortState
		row           int
		note, line    string
	}{
		{active, active, 0, "opens mlx4_0 on port 1, the first ACTIVE", "open_device mlx4_0"},
		{active, active, 1, "opens mlx4_0 on port 2", "open_device mlx4_0 port_num=2"},
		{down, active, 0, "opens mlx4_0 on port 2, the first ACTIVE", "open_device mlx4_0"},
		{down, active, 1, "opens mlx4_0 on port 2, the first ACTIVE", "open_device mlx4_0"},
		{active, down, 1, "opens mlx4_0 on port 1, the first ACTIVE", "open_device mlx4_0"},
	} {
		d, r := start(t, twoPorts(tt.first, tt.second), 80, 24)
		for range tt.row {
			press(d, r, "down")
		}
		press(d, r, "r") // reads the list again; the cursor stays
		if !d.Contains(tt.note) {
			t.Errorf("no %q in\n%s", tt.note, d.View())
		}
		press(d, r, "enter")
		r.ses.WantLines(tt.line)
	}
}

// r says what it has changed, or that nothing has changed; a device that is added or
// removed, an attribute and a finding count.
func TestRefreshIsAnswered(t *testing.T) {
	f := lab()
	d, r := start(t, f, 120, 40)
	refreshed := func(want string, keys ...string) {
		t.Helper()
		r.said = nil
		press(d, r, append(keys, "r")...)
		if !slices.Equal(r.said, []string{want}) {
			t.Errorf("r says %q, want %q", r.said, want)
		}
	}
	refreshed("refreshed: nothing changed")
	det := f.detail[r.name]
	det.DeviceAttr.MaxQP++
	f.detail[r.name] = det
	refreshed("refreshed: 1 value changed: max_qp")
	gone := f.list[len(f.list)-1].Name
	f.list = f.list[:len(f.list)-1]
	refreshed("refreshed: 1 value changed: " + gone)
	refreshed("refreshed: nothing changed", "#")
	refreshed("refreshed: nothing changed", "d")
	f.findings = append(f.findings, inv.Finding{Check: "memlock", Status: inv.Fail})
	refreshed("refreshed: 1 value changed: memlock")
}
