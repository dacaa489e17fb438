package device

import (
	"sync"
	"time"

	"rdmatui/session/core"
)

// listingGrace is how long a suggestion waits for the providers: they are asked while a
// key is answered, and a library or a kernel may block.
const listingGrace = 20 * time.Millisecond

// listing is what the providers listed last. The zero value knows nothing.
type listing struct {
	mu    sync.Mutex
	names []string
	under chan struct{} // closed when the listing under way has ended; nil: there is none
}

// Known asks the providers for their devices and returns the names that are known
// when they answer, or after listingGrace.
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

// beginListing asks the providers, unless they are being asked; the channel it returns is
// closed when they have answered.
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
