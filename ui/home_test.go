package ui

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/home"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/uitest"
)

// newReal shows Home and the Devices screen over a session that has run the given lines.
func newReal(t *testing.T, lines ...string) *uitest.Driver {
	t.Helper()
	env := uitest.NewSession(t, session.Options{}, lines...).Env(theme.New("none", true))
	return uitest.New(t, NewApp(env, map[screen.ID]screen.Screen{screen.Home: home.New(env, tour.NewBook(nil)),
		screen.Devices: devices.New(env)}), 120, 40)
}

// The program starts with Home, or with the device named on the command line.
func TestFirstScreen(t *testing.T) {
	newReal(t).WaitFor("guided tours")
	newReal(t, "open_device soft0").WaitFor("ibv_query_device")
}

// enter on a device shows that device, not the first one.
func TestFromHomeToDevice(t *testing.T) {
	d := newReal(t)
	d.WaitFor("soft1")
	d.Keys("[", "down", "enter")
	d.WaitFor("ibv_query_device")
	if v := d.View(); !strings.Contains(v, "▸ soft1") || !strings.Contains(v, "╭ soft1") {
		t.Errorf("soft1 is not at hand:\n%s", v)
	}
	d.Keys("0")
	d.WaitFor("guided tours")
}
