package mem

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// Domain registers memory, and says who may use it: the queue pairs of the same domain. A protection domain embeds it. Its users are
// guarded by the context's lock.
type Domain struct {
	object.Users
	context *object.Context
	table   *Table
}

// Init makes the domain one of a context's, whose device has the table.
func (d *Domain) Init(c *object.Context, t *Table) { d.context, d.table = c, t }

// Live fails once the domain is closed; the context's lock is held.
func (d *Domain) Live() error {
	if d.Closed {
		return verbs.ErrClosed
	}
	return nil
}

// domain is how a domain is found in what embeds it.
func (d *Domain) domain() *Domain { return d }
