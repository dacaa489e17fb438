package ui

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/ui/screen"
)

// TestTypedLinesKeepTheirOrder begins the work of three lines in the opposite order, as the runtime may.
func TestTypedLinesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSession{}
		a := &App{env: &screen.Env{Ctx: t.Context(), Session: f}}
		want := []string{"alloc_pd pd", "reg_mr m length=8", "create_cq cq"}
		var work []func()
		for _, text := range want {
			cmd := a.execTyped(text)
			work = append(work, func() { cmd() })
		}
		for _, do := range slices.Backward(work) {
			go do()
			synctest.Wait()
		}
		if got := f.lines; !slices.Equal(got, want) {
			t.Errorf("carried out: %q", got)
		}
	})
}

// TestTypedLineWaitsNotLong: behind a line that takes long the session itself says what is under way.
func TestTypedLineWaitsNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &App{env: &screen.Env{Ctx: t.Context(), Session: &fakeSession{}}}
		a.execTyped("sleep 1h") // and its work is never begun
		begun, next := time.Now(), a.execTyped("note x")
		next()
		if took := time.Since(begun); took != inTurn {
			t.Errorf("it began after %v", took)
		}
	})
}
