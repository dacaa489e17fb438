package widget_test

import (
	"fmt"
	"slices"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func hexData(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i * 7)
	}
	return p
}

func TestHexDumpGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, w := range []int{145, 80, 44, 24, 6} {
			th := theme.New("none", uni)
			d := widget.NewHexDump(th)
			d.SetData(hexData(61))
			got := widget.Render(th, d, w, 5)
			uitest.Exact(t, got, w, 5)
			uitest.Golden(t, fmt.Sprintf("%d-%v", w, uni), uitest.Text(got))
		}
	}
}

func TestHexRangesGolden(t *testing.T) {
	th := theme.New("none", true)
	d := widget.NewHexDump(th)
	d.Base = 0x7f0000001000
	d.SetData(hexData(32))
	d.SetRanges(widget.HexRange{2, 20, th.Range, ""}, widget.HexRange{4, 3, th.Changed, ""},
		widget.HexRange{30, 99, th.Added, ""})
	uitest.Golden(t, "styles", uitest.Visible(widget.Render(th, d, 100, 3)))
}

func TestDiff(t *testing.T) {
	got := widget.HexDiff([]byte("abcdef"), []byte("aXYdeZ!"), theme.Style{})
	if want := []widget.HexRange{{Off: 1, Len: 2}, {Off: 5, Len: 2}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHexDumpScroll(t *testing.T) {
	d := widget.NewHexDump(theme.New("none", true))
	d.SetData(hexData(16*100 + 1))
	d.SetSize(80, 10)
	for _, step := range []struct {
		key  string
		from int
	}{{"up", 0}, {"down", 16}, {"pgdown", 16 * 11}, {"end", 16 * 91}, {"down", 16 * 91},
		{"pgup", 16 * 81}, {"home", 0}} {
		d.Update(uitest.Key(step.key))
		if from, _ := d.Visible(); from != step.from {
			t.Errorf("%s: from %d, want %d", step.key, from, step.from)
		}
	}
	for _, step := range []struct {
		kind widget.MouseKind
		from int
	}{{widget.WheelDown, 48}, {widget.WheelDown, 96}, {widget.WheelUp, 48}, {widget.Click, 48}} {
		used := d.Mouse(widget.Mouse{Kind: step.kind})
		if from, _ := d.Visible(); from != step.from || used == (step.kind == widget.Click) {
			t.Errorf("mouse %d: used %v, from %d, want %d", step.kind, used, from, step.from)
		}
	}
	d.Show(16*50 + 3)
	if from, to := d.Visible(); from > 803 || to <= 803 {
		t.Errorf("803 is not in %d to %d", from, to)
	}
}

func BenchmarkDump(b *testing.B) {
	th := theme.New("dark", true)
	d := widget.NewHexDump(th)
	d.SetData(hexData(1 << 20))
	d.SetRanges(widget.HexRange{8, 100, th.Range, ""}, widget.HexRange{50, 5, th.Changed, ""})
	buf := line.New(th)
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		widget.Draw(buf, d, 145, 60)
	}
}
