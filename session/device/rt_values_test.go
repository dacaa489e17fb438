package device_test

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

func TestQueryRTValuesEx(t *testing.T) {
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, "open_device soft0")
	done, err := s.Exec(t.Context(), "query_rt_values_ex")
	if err != nil || !strings.HasPrefix(done.Call(), "ibv_query_rt_values_ex(soft0, ") ||
		!strings.HasPrefix(done.Result, "raw_clock tv_sec=0 tv_nsec=") || done.Resolved != "query_rt_values_ex soft0" {
		t.Errorf("%v, %q, %q, %q", err, done.Call(), done.Result, done.Resolved)
	}
}
