package steptest

import (
	"context"
	"testing"

	"rdmatui/devices"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// NewEnv makes what a screen is given: a fake session and one device, soft0.
func NewEnv(t testing.TB, th *theme.Theme) (*screen.Env, *Session) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s := NewSession()
	soft0 := devices.Summary{DeviceInfo: verbs.DeviceInfo{Name: "soft0", Provider: verbs.SoftProvider}}
	soft0.Ports = []devices.PortSummary{{PortNum: 1, State: verbs.PortActive}}
	return &screen.Env{Ctx: ctx, Theme: th, Session: s, Inventory: &Inventory{Devices: []devices.Summary{soft0}}}, s
}

// Bench carries out the lines that set a loopback bench up.
func (s *Session) Bench() {
	for _, l := range uitest.BenchLines {
		_, _ = s.Exec(context.Background(), l) // the fake knows no failure but those it was told
	}
	s.Lines()
}
