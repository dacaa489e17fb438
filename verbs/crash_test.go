package verbs

import (
	"strings"
	"testing"
)

func fall() { panic("fell over") }

func TestCrashHook(t *testing.T) {
	var reason any
	var trace string
	hook := CrashHook(func(r any, stack []byte) { reason, trace = r, string(stack) })
	func() {
		defer hook.Catch()
		fall()
	}()
	if reason != "fell over" || !strings.Contains(trace, "verbs.fall(") {
		t.Errorf("told of %v at\n%s", reason, trace)
	}
	reason = nil
	func() { defer hook.Catch() }()
	if reason != nil {
		t.Errorf("told of %v where nothing was", reason)
	}
	defer func() {
		if r := recover(); r != "fell over" {
			t.Errorf("without a hook the panic became %v", r)
		}
	}()
	var none CrashHook
	defer none.Catch()
	fall()
}
