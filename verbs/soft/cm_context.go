package soft

// retain counts one more identifier on a context of the connection manager's; false means that the context has ended.
func (d *device) retain() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.ids++
	return true
}

// letGo counts one identifier less.
func (d *device) letGo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids--
	d.endIfIdle()
}

// remove forgets an object of the context; dev.mu is held.
func (d *device) remove(user any) {
	d.uses.remove(user)
	d.endIfIdle()
}

// endIfIdle ends a context of the connection manager's with the last identifier and the last object on it, in whichever order they go.
func (d *device) endIfIdle() {
	if d.managed && !d.closed && d.ids == 0 && len(d.by) == 0 {
		d.end()
	}
}
