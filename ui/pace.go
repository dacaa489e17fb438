package ui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// drawRate is how often a second the terminal is written to at most; more than the
	// frames of [frameTime] buy nothing.
	drawRate = 30
	drawTime = time.Second / drawRate
	// soonTime is the pace from the end of idleness to the next frame: what ended it
	// shows at once.
	soonTime = 2 * time.Millisecond
	// idleDraw is the pace while idle. A terminal that took its time may still be owed
	// the last frame.
	idleDraw = time.Second
)

// pace sets how often Bubble Tea's renderer wakes. By itself it wakes at its full rate
// even when nothing has changed, which costs more than all else that an idle screen does,
// and Bubble Tea has no call to change that: so its ticker is looked up by name. The zero
// value sets nothing.
type pace struct {
	program *tea.Program
	at      time.Duration // what was set last
}

// set takes effect once the program runs, in its event loop. To set the same again must
// not put off what is due.
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
