package wire

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/verbs/wire"
)

// What is linked to a field is there, and belongs to a header.
func TestLinksOfFields(t *testing.T) {
	links := maps.Clone(about)
	for _, h := range wire.HeaderTable() {
		delete(links, h.Name)
		for _, f := range h.Fields {
			delete(links, f.Name)
		}
	}
	if len(links) > 0 {
		t.Errorf("of no header: %v", links)
	}
	for _, list := range append(slices.Collect(maps.Values(about)), slices.Collect(maps.Values(answers))...) {
		for _, e := range list {
			if _, ok := explain.Find(e.family, e.name); !ok {
				t.Errorf("%s %s is not explained", e.family, e.name)
			}
		}
	}
}

// E explains the field under the cursor of the packet: its value, its place, and more.
func TestExplainField(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey() // the last packet is an RNR NAK
		x.keys("tab")
		x.view(120, 30)
		var got []string
		for range x.s.detail.lines {
			if m, ok := x.keys("E").(screen.ExplainMsg); ok {
				got = append(got, m.Entries[0].Name+" "+m.Entries[0].Short)
				if strings.Contains(m.Entries[0].Means, " 1 bits") {
					t.Error(m.Entries[0].Means)
				}
				if m.Entries[0].Name == "AETH.syndrome" && (len(m.Entries) != 4 ||
					!strings.Contains(m.Entries[0].Means, ": 0, 8 bits wide. The AETH begins at byte 12")) {
					t.Errorf("%+v", m.Entries)
				}
			}
			x.keys("down")
		}
		for _, want := range []string{"BTH base transport header", "BTH.pkey 0xffff: default partition, full member",
			"AETH.syndrome 0x2c: RNR NAK 0.64 ms: no RECV is posted"} {
			if !slices.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
	})
}

// Each header has a title, and each note belongs to a field.
func TestNotesFitHeaders(t *testing.T) {
	for _, h := range wire.HeaderTable() {
		n := notes[h.Name]
		if n.title == "" {
			t.Errorf("%s has no title", h.Name)
		}
		for name := range n.fields {
			if !slices.ContainsFunc(h.Fields, func(f wire.Field) bool { return f.Name == name }) {
				t.Errorf("%s has no field %s", h.Name, name)
			}
		}
	}
	if len(notes) != len(wire.HeaderTable()) {
		t.Errorf("%d headers have notes, there are %d", len(notes), len(wire.HeaderTable()))
	}
}
