package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	here := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	commit := []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef0123"),
		setting("vcs.time", "2026-11-28T10:00:00Z")}
	for _, tt := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "rdmatui 1.2.3 (" + here + ")"},
		{&debug.BuildInfo{}, "rdmatui 1.2.3 (" + here + ")"},
		{&debug.BuildInfo{Settings: commit}, "rdmatui 1.2.3 (" + here + ", commit 0123456789ab of 2026-11-28)"},
		{&debug.BuildInfo{Settings: append(commit, setting("vcs.modified", "true"))},
			"rdmatui 1.2.3 (" + here + ", commit 0123456789ab of 2026-11-28 with changes)"},
	} {
		if got := buildOf("1.2.3", tt.info).String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
