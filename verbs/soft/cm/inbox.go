package cm

import (
	"sync"

	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// arrival is what an engine tells the connection manager.
type arrival struct {
	device Device
	path   *link.Path // from the peer to the device
	mad    [wire.MADLen]byte
	heard  *ID // instead of a datagram: the peer of this identifier's queue pair has begun to talk
}

// inbox takes what engines tell. They must not wait for the manager's lock, which is held while queue pairs and contexts are made, so a
// goroutine reads it that lives as long as there is something to read.
type inbox struct {
	mu      sync.Mutex
	items   []arrival
	reading bool
	read    func([]arrival)
}

// put adds an item; false means that there is no room.
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

// take returns all items; nil ends the reader.
func (b *inbox) take() []arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items = nil
	b.reading = items != nil
	return items
}
