package connections

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/help"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// keyLine is the bottom line of 80 columns.
func (x *bench) keyLine() string {
	block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { b.Space(1); help.Line(b, x.s.Context()) }}
	return uitest.Text(widget.Render(theme.New("none", true), block, 80, 1))
}

// The bottom line names the keys that are of use: answers where somebody asks,
// disconnect where there is a connection.
func TestKeyLine(t *testing.T) {
	second := listener()
	second.Name = "listen2"
	for name, c := range map[string]struct {
		set  func(*bench)
		want string
	}{
		"nothing":   {func(*bench) {}, " c connect to · l listen · m how events are waited for · p port space · ? keys"},
		"draft":     {faces["draft"], " enter run · e edit · b up to the next event · c connect to · l listen · ? keys"},
		"listening": {func(x *bench) { x.have(listener()) }, " c connect to · l listen · D destroy the id · v events of this id only · ? keys"},
		"two":       {func(x *bench) { x.have(listener(), second) }, " c connect to · l listen · o other id · D destroy the id · ? keys"},
		"asked":     {faces["request"], " a accept · r reject · enter run · e edit · b up to the next event · ? keys"},
		"asked elsewhere": {func(x *bench) {
			x.have(client(session.IDAddrResolved), listener())
			x.have(client(session.IDAddrResolved), listener(), request())
		}, " a accept · r reject · enter run · e edit · b up to the next event · ? keys"},
		"connecting": {faces["connecting"], " c connect to · l listen · D destroy the id · v events of this id only · ? keys"},
		"connected":  {func(x *bench) { x.have(client(session.IDConnected)) }, " d disconnect · c connect to · l listen · D destroy the id · ? keys"},
		"datagrams": {func(x *bench) {
			x.fake.Change(func(v *session.Snapshot) { v.QPs = []session.QPView{{Name: "qp", PD: "p", Type: verbs.UD}} })
			x.have(client(session.IDConnected))
		}, " d disconnect · enter run · e edit · b up to the next event · ? keys"},
		"over": {func(x *bench) { x.have(client(session.IDDisconnected)) }, " enter run · e edit · b up to the next event · c connect to · l listen · ? keys"},
	} {
		x := newBench(t, theme.New("none", true))
		c.set(x)
		if got := x.keyLine(); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
	x := newBenchOn(t, theme.New("none", true), nil)
	if got, want := x.keyLine(), " : command · q quit · ? keys"; got != want {
		t.Errorf("without a manager:\n%s, want\n%s", got, want)
	}
}
