package ui

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// TestTypedLinesKeepTheirOrder begins the work of three lines in the opposite order, as the runtime may.
func TestTypedLinesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sess := uitest.NewSession(t, session.Options{})
		l := &typedLines{app: &App{env: sess.Env(theme.New("none", true))}}
		want := []string{"alloc_pd pd", "reg_mr m length=8", "create_cq cq"}
		var work []func()
		for _, text := range want {
			cmd := l.execTyped(text)
			work = append(work, func() { cmd() })
		}
		for _, do := range slices.Backward(work) {
			go do()
			synctest.Wait()
		}
		sess.WantLines(want...)
	})
}

// TestTypedLineWaitsNotLong: behind a line that takes long the session itself says what is under way.
func TestTypedLineWaitsNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &typedLines{app: &App{env: uitest.NewSession(t, session.Options{}).Env(theme.New("none", true))}}
		l.execTyped("sleep 1h") // and its work is never begun
		begun, next := time.Now(), l.execTyped("note x")
		next()
		if took := time.Since(begun); took != inTurn {
			t.Errorf("it began after %v", took)
		}
	})
}
