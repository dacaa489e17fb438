package ui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// drawRate is how many times a second the terminal is written to at most; more than
	// the rate of [frameTime] has no use.
	drawRate = 30
	drawTime = time.Second / drawRate
	// soonTime is the pace between the end of idleness and the next frame, so that its
	// cause shows at once.
	soonTime = 2 * time.Millisecond
	// idleDraw is the pace while idle. The last frame may still be unwritten if the
	// terminal was slow.
	idleDraw = time.Second
)

// pace sets how often Bubble Tea's renderer wakes. By default it wakes at its full rate
// even when nothing has changed, which costs more than everything else an idle screen
// does. Bubble Tea has no call to change the rate, so pace looks up the ticker by name.
// The zero value does nothing.
type pace struct {
	program *tea.Program
	at      time.Duration // the last value set
}

// set changes the pace of the running program; it must be called in its event loop. An
// unchanged pace does not reset the ticker, which would delay a pending tick.
func (p *pace) set(d time.Duration) {
	if t := p.ticker(); t != nil && d != p.at {
		p.at = d
		t.Reset(d)
	}
}

func (p *pace) ticker() *time.Ticker {
	if p.program == nil {
		return nil
	}
	f := reflect.ValueOf(p.program).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return reflect.NewAt(f.Type().Elem(), f.UnsafePointer()).Interface().(*time.Ticker)
}
