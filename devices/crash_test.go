package devices

import (
	"context"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// crashingOS panics in one of its methods.
type crashingOS struct {
	*fakeOS
	where string
}

func (c *crashingOS) fall(where string) {
	if where == c.where {
		panic("fell over")
	}
}

func (c *crashingOS) ReadDir(path string) ([]string, error) {
	c.fall("ReadDir")
	return c.fakeOS.ReadDir(path)
}

func (c *crashingOS) CharDevices(device string) []string {
	c.fall("CharDevices")
	return c.fakeOS.CharDevices(device)
}

func (c *crashingOS) Changes(ctx context.Context, notify func(), crashed verbs.CrashHook) error {
	c.fall("Changes")
	return c.fakeOS.Changes(ctx, notify, crashed)
}

// TestCrashIsTold: a panic in a goroutine is reported, and no caller waits for that
// goroutine.
func TestCrashIsTold(t *testing.T) {
	for where, use := range map[string]func(*testing.T, context.Context, *Inventory){
		"ReadDir":     watchToTheEnd,
		"Changes":     watchToTheEnd,
		"CharDevices": func(_ *testing.T, _ context.Context, inv *Inventory) { _, _ = inv.Detail("rxe0") },
	} {
		t.Run(where, func(t *testing.T) {
			sys := &crashingOS{plant(t, "rxe"), where}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			inv := New([]verbs.Provider{&fakeProvider{devices: []*fakeDevice{rxe0(t)}}}, sys)
			var told string
			inv.Crashed = func(reason any, stack []byte) {
				told = reason.(string) + " at\n" + string(stack)
				cancel()
			}
			use(t, ctx, inv)
			if !strings.HasPrefix(told, "fell over") || !strings.Contains(told, "(*crashingOS)."+where+"(") {
				t.Errorf("reported %q", told)
			}
		})
	}
}

// watchToTheEnd returns when the watch has ended, which the panic causes.
func watchToTheEnd(_ *testing.T, ctx context.Context, inv *Inventory) {
	for range inv.Watch(ctx) {
	}
}
