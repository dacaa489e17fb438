package palette

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/input"
)

func verbs(text string, cursor int) []input.Candidate {
	var out []input.Candidate
	for _, v := range []string{"alloc_pd", "create_cq", "create_qp", "modify_qp", "post_recv", "post_send"} {
		if strings.HasPrefix(v, text[:cursor]) {
			out = append(out, input.Candidate{Text: v, Help: "ibv_" + v})
		}
	}
	return out
}

func press(p *Palette, keys ...string) (ev Event) {
	for _, k := range keys {
		ev = p.Update(uitest.Key(k))
	}
	return ev
}

func TestGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{60, 8}, {20, 3}, {3, 1}} {
			th := theme.New("none", uni)
			p := New(th, verbs)
			p.Open("cr")
			press(p, "tab")
			p.SetError("which pd?")
			got := widget.Render(th, p, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

func TestKeys(t *testing.T) {
	p := New(theme.New("none", true), verbs)
	if press(p, "a"); p.Value() != "" || p.Height() != 0 {
		t.Error("a closed palette takes keys or room")
	}
	p.Open("")
	if ev := press(p, "p", "o", "tab", "tab", "x", "enter"); ev != Accept || p.Value() != "post_sendx" {
		t.Errorf("event %d value %q", ev, p.Value())
	}
	p.SetError("no")
	if p.Height() != 2 {
		t.Errorf("height %d", p.Height())
	}
	if press(p, "backspace"); p.Height() != 2 { // one candidate, no error
		t.Errorf("height after an edit %d", p.Height())
	}
	if ev := press(p, "esc"); ev != Closed || p.IsOpen() {
		t.Error("esc did not close")
	}
	p.Open("draft")
	if press(p, "up"); p.Value() != "post_sendx" {
		t.Errorf("up: %q", p.Value())
	}
	if press(p, "up", "down"); p.Value() != "draft" {
		t.Errorf("down: %q", p.Value())
	}
}
