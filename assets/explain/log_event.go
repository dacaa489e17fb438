package explain

import (
	"cmp"
	"slices"
	"strings"
)

// aboutManager are words of lines about the connection manager, in which an event
// may come without RDMA_CM_EVENT_.
var aboutManager = []string{"cm", "cma", "rdma_cm", "rdmacm", "cm_event"}

// managerHandlers end the names of functions that take its events.
var managerHandlers = []string{"_cma_handler", "_cm_handler", "_cm_callback", "_cm_event_handler"}

// aboutAsync are words of lines about an asynchronous event, which may have its number alone.
var aboutAsync = []string{"async", "asynchronous", "async_event", "async_thread"}

// cmEvent reads an event of the connection manager and its status: of REJECTED the
// reason, else an errno below 0.
func (l *logLine) cmEvent() []finding {
	event := l.event()
	if event == nil {
		return l.rejected()
	}
	if good(event) && l.calm() {
		return nil
	}
	n, ok := l.keyed([]string{"status", "reason"}, nil, 4, anyNumber)
	if !ok {
		n, ok = l.keyed([]string{"error", "err", "rejected", "unreachable"}, nil, 3, anyNumber)
	}
	if !ok || n == 0 {
		found := cause(false, event)
		switch {
		case good(event):
			found[0].rank = rankNamed
		case slices.Contains(endEvents, event.Name):
			found[0].rank = rankGeneral
		}
		return found
	}
	if reason := l.family("reject_reason").numbers[n]; event.Name == "REJECTED" && len(reason) > 0 {
		return append(cause(true, reason[0]), beside(event)...)
	}
	errno := l.x.errnos[max(n, -n)]
	if len(errno) == 0 || n == -1 {
		return cause(true, event)
	}
	if e := l.find("cm_status", event.Name+" "+errno[0].Name); e != nil {
		return append(cause(true, e), beside(event)...)
	}
	return append(cause(true, event), beside(errno[0])...)
}

// goodEvents are those of a connection that is made as it should be.
var goodEvents = []string{"ADDR_RESOLVED", "ROUTE_RESOLVED", "CONNECT_REQUEST", "CONNECT_RESPONSE", "ESTABLISHED",
	"MULTICAST_JOIN"}

// endEvents are those of a connection that ends, mostly because something failed before.
var endEvents = []string{"DISCONNECTED", "TIMEWAIT_EXIT"}

// good reports that an entry is an event of a connection that is made as it should be.
func good(e *Entry) bool { return e.Family == "cm_event" && slices.Contains(goodEvents, e.Name) }

func anyNumber(int64) bool { return true }

// event is the event that came: the last one that is not said to be expected.
func (l *logLine) event() (e *Entry) {
	var expected *Entry
	c, about := l.family("cm_event"), l.aboutManager()
	for i, w := range l.words {
		entries, n := c.keys.match(l.words[i:])
		if n == 0 || !strings.HasPrefix(w, "rdma_cm_event_") &&
			!(about && (n > 1 || strings.Contains(w, "_") || l.numberedAs(entries[0], i+1))) {
			continue
		}
		if l.expectedAt(i) {
			expected = entries[0]
			continue
		}
		e = entries[0]
	}
	if e == nil && about && (l.saysFailed() || l.has("unexpected")) {
		e = l.eventNumber("cm_event")
	}
	return cmp.Or(e, expected)
}

func (l *logLine) aboutManager() bool {
	return slices.ContainsFunc(l.words, func(w string) bool {
		return slices.Contains(aboutManager, w) || slices.ContainsFunc(managerHandlers, func(end string) bool {
			return strings.HasSuffix(w, end)
		})
	})
}

// eventOnDevice reports that the line has the form of ib_ipoib: "Event 10 on device mlx5_1 port 1".
func (l *logLine) eventOnDevice() bool {
	at := slices.Index(l.words, "event")
	return at >= 0 && at+6 < len(l.words) && l.words[at+2] == "on" && l.words[at+3] == "device" &&
		l.words[at+5] == "port"
}

// numberedAs reports that the word is the number of the entry: "unreachable (7)".
func (l *logLine) numberedAs(e *Entry, at int) bool {
	if at >= len(l.words) {
		return false
	}
	n, ok := number(l.words[at])
	return ok && n == e.Number
}

// expectedAt reports that the word is what a program waited for: "expected X",
// "instead of X", "waiting for X".
func (l *logLine) expectedAt(i int) bool {
	before := func(n int) string { return l.words[max(i-n, 0)] }
	return strings.HasPrefix(before(1), "expect") || before(2) == "instead" && before(1) == "of" ||
		strings.HasPrefix(before(2), "wait") && before(1) == "for"
}

// eventNumber is the event of a family whose number stands after event: "Async QP event type 1".
func (l *logLine) eventNumber(family string) *Entry {
	numbers := l.family(family).numbers
	if n, ok := l.keyed([]string{"event", "cm_event"}, []string{"qp", "on", "from"}, 4, func(n int64) bool {
		return len(numbers[n]) > 0
	}); ok {
		return numbers[n][0]
	}
	return nil
}

// rejected reads a refused connection as the kernel's drivers print it, "Connect
// rejected: status 8 (invalid service ID)", and libfabric, whose prov_err is the
// reason below 0.
func (l *logLine) rejected() []finding {
	numbers := l.family("reject_reason").numbers
	errno := l.errnoAlone()
	if l.has("fi_eq_readerr") && errno != nil && errno.Name == "ETIMEDOUT" {
		return cause(true, l.find("cm_status", "UNREACHABLE ETIMEDOUT"))
	}
	if l.has("fi_eq_readerr") && errno != nil && errno.Name == "ECONNREFUSED" {
		if n, ok := l.keyed([]string{"prov_err"}, nil, 4, func(n int64) bool { return len(numbers[-n]) > 0 }); ok {
			return cause(true, numbers[-n][0])
		}
	}
	if !slices.ContainsFunc(l.words, func(w string) bool { return strings.HasPrefix(w, "reject") || w == "rej" }) {
		return nil
	}
	n, ok := l.keyed([]string{"status", "reason"}, nil, 3, func(n int64) bool { return len(numbers[n]) > 0 })
	if ok {
		return cause(true, numbers[n][0])
	}
	if e := l.name("reject_reason", 2); e != nil {
		return cause(false, e)
	}
	return nil
}

// calmEvents are asynchronous events that come when a queue pair is closed, or whenever all goes well.
var calmEvents = []string{"SQ_DRAINED", "QP_LAST_WQE_REACHED", "COMM_EST"}

// asyncEvent reads an asynchronous event by its name, or by its text where the line
// says what it is.
func (l *logLine) asyncEvent() []finding {
	least := 3
	if l.has("async", "event", "asynchronous") {
		least = 2
	}
	keys := l.family("async_event").keys
	for i, w := range l.words {
		entries, n := keys.match(l.words[i:])
		if n < least && !(n == 1 && strings.HasPrefix(w, "ibv_event_")) {
			continue
		}
		found := cause(false, entries[0])
		if slices.Contains(calmEvents, found[0].Name) {
			found[0].rank = rankGeneral
		}
		return found
	}
	if l.has(aboutAsync...) || l.eventOnDevice() {
		if e := l.eventNumber("async_event"); e != nil {
			return cause(true, e)
		}
	}
	return nil
}
