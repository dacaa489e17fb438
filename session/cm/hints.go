package cm

import (
	"fmt"
	"strings"
	"syscall"

	"rdmatui/assets/explain"
	"rdmatui/verbs"
)

// statusName returns the name of an event's status: the reject reason or the errno;
// "" for 0.
func statusName(t verbs.CMEventType, status int) string {
	switch {
	case status == 0:
		return ""
	case status < 0:
		return verbs.ErrnoName(syscall.Errno(-status))
	case t == verbs.CMRejected:
		return verbs.CMRejectReason(status).String()
	}
	return fmt.Sprint(status)
}

// statusText describes an event's status in words, "" for 0.
func statusText(t verbs.CMEventType, status int) string {
	name := statusName(t, status)
	switch {
	case status == 0:
		return ""
	case status < 0:
		return strings.TrimSpace(name + ": " + syscall.Errno(-status).Error())
	case t == verbs.CMRejected:
		return fmt.Sprintf("reason %d %s", status, name)
	}
	return "status " + name
}

// hint says what an event means, and what to check if it reports a failure.
func hint(t verbs.CMEventType, status int) string {
	hint := ""
	switch {
	case status < 0:
		hint = explain.Short("cm_status", t.String()+" "+statusName(t, status))
	case t == verbs.CMRejected:
		hint = explain.Short("reject_reason", statusName(t, status))
	}
	if hint == "" {
		hint = explain.Short("cm_event", t.String())
	}
	return hint
}
