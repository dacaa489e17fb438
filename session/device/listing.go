package device

import (
	"sync"
	"time"

	"rdmatui/session/core"
)

// listingGrace is how long a suggestion waits for the providers: they are queried on
// a key press, and a library or a kernel may block.
const listingGrace = 20 * time.Millisecond

// listing is the providers' last answer. The zero value is empty.
type listing struct {
	mu    sync.Mutex
	names []string
	under chan struct{} // closed when the current query has ended; nil: there is none
}

// Known queries the providers for their devices and returns the known names once they
// answer, or after listingGrace.
func Known(s *core.Session) []string {
	l := core.Part[listing](s, nil)
	select {
	case <-beginListing(s):
	case <-time.After(listingGrace):
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names
}

// beginListing queries the providers unless a query is running; the returned channel
// is closed when it ends.
func beginListing(s *core.Session) <-chan struct{} {
	l := core.Part[listing](s, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under != nil {
		return l.under
	}
	under := make(chan struct{})
	ask := func() {
		defer close(under)
		infos, _ := available(s) // what cannot be listed cannot be suggested
		names := make([]string, len(infos))
		for i, info := range infos {
			names[i] = info.Name
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.names, l.under = names, nil
	}
	if !s.Companions.Start(s.Opts.Crashed, ask) {
		close(under)
		return under
	}
	l.under = under
	return under
}
