package wire

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/verbs/wire"
)

// title returns the note in the frame of the packets.
func (x *bench) title() string {
	first, _, _ := strings.Cut(x.view(200, 50), "\n")
	first, _, _ = strings.Cut(first, " ─╮")
	_, note, _ := strings.Cut(first, "─── ")
	return strings.TrimSpace(strings.TrimLeft(note, "─ "))
}

// filter types a filter.
func (x *bench) filter(text string) {
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: text})
	x.keys("enter")
}

// under returns the time of the selected packet in units of 10 µs, which is its number in the journey.
func (x *bench) under() int {
	r := x.s.list.at(x.s.table.Cursor())
	if r == nil {
		return -1
	}
	return int(r.At.Sub(x.begin.Add(12*time.Second)) / (10 * time.Microsecond))
}

// TestFilterKeepsCursor: a filter leaves the cursor on its packet, or on the record of the same packet at the other
// end. If neither passes, and if the cursor follows the end, it goes to the last row.
func TestFilterKeepsCursor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		down   int      // from the first row
		keys   []string // what filters
		text   string   // or what is typed
		under  int
		back   int // without the filter
		follow bool
	}{
		{"on a packet that passes", 4, nil, "retry", 7, 7, false},
		{"on the first that passes", 1, nil, "op~send_middle", 2, 2, false},
		{"on a packet that does not pass", 0, nil, "retry", 9, 9, true},
		{"on the lost packet", 1, nil, "lost", 2, 2, true}, // the only one, so the last
		{"on the end", 99, nil, "op~send", 9, 9, true},
		{"on a packet that is left alone", 2, nil, "psn==0", 3, 3, false},
		{"nothing passes", 2, nil, "no such text", -1, -1, true},
		{"on this device", 2, []string{"d"}, "", 3, 3, false},
		{"from the other device", 2, []string{"d", "d", "home", "down", "d"}, "", 3, 3, false}, // as sent
		{"on the sender's record", 2, []string{"d", "d"}, "", 4, 3, false},
		{"on a packet without a second record", 1, []string{"d", "d"}, "", 15, 15, true},
	} {
		run(t, theme.New("none", true), func(x *bench) {
			x.journey()
			x.keys("home")
			for range tt.down {
				x.keys("down")
			}
			if x.keys(tt.keys...); tt.text != "" {
				x.filter(tt.text)
			}
			if got := x.under(); got != tt.under {
				t.Errorf("%s: on packet %d, want %d", tt.name, got, tt.under)
			}
			if got := !strings.Contains(x.title(), "end follows"); got != tt.follow {
				t.Errorf("%s: follows the end: %v\n%s", tt.name, got, x.title())
			}
			if x.keys("esc"); x.s.list.Len() != 9 || tt.back >= 0 && tt.back != x.under() && !tt.follow {
				t.Errorf("%s: without the filter %d rows, on packet %d", tt.name, x.s.list.Len(), x.under())
			}
		})
	}
}

// TestFilteredListGoes: packets that come are filtered as those before, and the cursor follows them only from the end.
func TestFilteredListGoes(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.filter("op~write")
		for i, tt := range []struct {
			key     string
			follows bool
		}{{"", true}, {"up", false}, {"", false}, {"end", true}, {"", true}, {"home", false}, {"G", true}} {
			if tt.key != "" {
				x.keys(tt.key)
			}
			before, on := x.s.list.Len(), x.under()
			x.onWire(true, true, request(wire.RCSendOnly, wire.PSN(50+2*i), 8))
			x.onWire(true, true, request(wire.RCWriteOnly, wire.PSN(51+2*i), 8))
			if !x.refresh() {
				t.Error("two packets came and nothing changed")
			}
			if got := x.s.list.Len(); got != before+1 {
				t.Errorf("%d rows after %d and two more WRITE packets", got, before)
			}
			if got := x.s.table.Cursor(); tt.follows && got != before || !tt.follows && x.under() != on {
				t.Errorf("%q, then packets: on row %d, packet %d, was on %d", tt.key, got, x.under(), on)
			}
			for i := range x.s.list.Len() {
				if r := x.s.list.at(i); r.Wire.BTH.Opcode != wire.RCWriteOnly {
					t.Errorf("row %d is %s", i, r.Wire.BTH.Opcode)
				}
			}
		}
	})
}

// TestNotes: the frame of the packets says what is shown, and what is not.
func TestNotes(t *testing.T) {
	for name, tt := range map[string]struct {
		keys []string
		text string
		want string
		none string // what the empty list says
	}{
		"all":              {nil, "", "9 packets", ""},
		"not at the end":   {[]string{"up"}, "", "end follows, 9 packets", ""},
		"at the end again": {[]string{"up", "down"}, "", "9 packets", ""},
		"paused":           {[]string{"p"}, "", "paused, 9 packets", ""},
		"paused above":     {[]string{"up", "p"}, "", "paused, 9 packets", ""},
		"goes on":          {[]string{"p", "p"}, "", "9 packets", ""},
		"one device":       {[]string{"d"}, "", "soft0 only, 9 packets", ""},
		"the other":        {[]string{"d", "d"}, "", "soft1 only, 8 of 9 packets", ""},
		"all devices":      {[]string{"d", "d", "d"}, "", "9 packets", ""},
		"conversation":     {[]string{"v"}, "", "one conversation, 9 packets", ""},
		"text":             {nil, "WRITE_only", "/WRITE_only, 1 of 9 packets", ""},
		"blanks":           {nil, " ", "/ , 9 packets", ""},
		"expression":       {nil, "op~write", "/op~write, 1 of 9 packets", ""},
		"one packet":       {nil, "lost", "/lost, 1 of 9 packets", ""},
		"no packet": {nil, "qp==0x999999", "/qp==0x999999, 0 of 9 packets",
			"No packet matches the filter. esC clears it."},
		"no such text": {nil, "nosuch", "/nosuch, 0 of 9 packets",
			"No packet matches the filter. esC clears it."},
		"a mistake": {nil, "psn=9", "column 4: psn needs one of == != <= >= < > and a value, " +
			"0 of 9 packets", "Filter, column 4: psn needs one of == != <= >= < > and a value"},
		"the tap is off":  {[]string{"t"}, "", "tap off, 9 packets", ""},
		"the tap is on":   {[]string{"t", "t"}, "", "9 packets", ""},
		"cleared":         {[]string{"C"}, "", "", "Cleared: 9 packets. u brings them back."},
		"cleared and off": {[]string{"C", "t"}, "", "tap off", "Cleared: 9 packets. u brings them back."},
		"undone":          {[]string{"C", "u"}, "", "9 packets", ""},
		"undone once":     {[]string{"C", "C", "u"}, "", "", "Cleared: 9 packets. u brings them back."},
		"undone twice":    {[]string{"C", "C", "u", "u"}, "", "9 packets", ""},
	} {
		run(t, theme.New("none", true), func(x *bench) {
			x.journey()
			if x.keys(tt.keys...); tt.text != "" {
				x.filter(tt.text)
			}
			x.refresh()
			if got := x.title(); got != tt.want {
				t.Errorf("%s: %q, want %q", name, got, tt.want)
			}
			if (tt.none != "") != (x.s.list.Len() == 0) || !strings.Contains(x.view(200, 50), tt.none) {
				t.Errorf("%s: no %q\n%s", name, tt.none, x.view(200, 50))
			}
		})
	}
}
