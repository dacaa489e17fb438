package home

import (
	"context"
	"testing"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/tour"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// While a device has an ACTIVE port, what blocks the host's own is no error.
func TestTokens(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true}, "open_device soft1")
	env := sess.Env(uitest.Tokens())
	env.Ctx, env.Inventory = t.Context(), uitest.Still{Inventory: env.Inventory}
	env.Diagnose = func(context.Context) []devices.Finding { return findings }
	s := New(env, tour.NewBook(nil))
	d := uitest.NewScreen(t, env, s)
	d.Settle()
	uitest.Golden(t, "blocked", uitest.Marked(t, widget.Render(env.Theme, s, 120, 40), "soft0", "· open",
		"cannot be loaded"))
}
