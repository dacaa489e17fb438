package cm

import (
	"sync"

	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// arrival is an item that an engine passes to the connection manager.
type arrival struct {
	device Device
	path   *link.Path // from the peer to the device
	mad    [wire.MADLen]byte
	heard  *ID // instead of a datagram: the peer of this identifier's queue pair has started to send
}

// inbox queues the items from engines. An engine must not wait for the manager's lock, which is held while queue pairs
// and contexts are created, so a separate goroutine reads the inbox; it exists only while there are items.
type inbox struct {
	mu      sync.Mutex
	items   []arrival
	reading bool
	read    func([]arrival)
}

// put adds an item; false means that the inbox is full.
func (b *inbox) put(item arrival) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) >= object.MaxMADs {
		return false
	}
	b.items = append(b.items, item)
	if !b.reading {
		b.reading = true
		go b.drain()
	}
	return true
}

func (b *inbox) drain() {
	for items := b.take(); items != nil; items = b.take() {
		b.read(items)
	}
}

// take returns all items; nil tells the reader to exit.
func (b *inbox) take() []arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items = nil
	b.reading = items != nil
	return items
}
