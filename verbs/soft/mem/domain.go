package mem

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// Domain registers memory for the queue pairs of the same domain. A protection domain embeds it. Its users are guarded
// by the context's lock.
type Domain struct {
	object.Users
	context *object.Context
	table   *Table
}

// Init adds the domain to a context, whose device has the table.
func (d *Domain) Init(c *object.Context, t *Table) { d.context, d.table = c, t }

// Live returns an error if the domain is closed; the context's lock is held.
func (d *Domain) Live() error {
	if d.Closed {
		return verbs.ErrClosed
	}
	return nil
}

// domain returns the Domain inside a type that embeds it.
func (d *Domain) domain() *Domain { return d }
