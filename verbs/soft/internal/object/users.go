package object

import (
	"slices"

	"rdmatui/verbs"
)

// Users records which objects still use an object, by name. The context's lock guards
// it.
type Users struct {
	Closed bool // the object itself is closed
	by     map[any]string
}

// Add adds a user.
func (u *Users) Add(user any, name string) {
	if u.by == nil {
		u.by = map[any]string{}
	}
	u.by[user] = name
}

// Remove removes a user.
func (u *Users) Remove(user any) { delete(u.by, user) }

// maxNamedUsers limits the text of a BusyError.
const maxNamedUsers = 8

// Busy returns a BusyError if the object is in use.
func (u *Users) Busy(name string) error {
	if len(u.by) == 0 {
		return nil
	}
	names := make([]string, 0, len(u.by))
	for _, n := range u.by {
		names = append(names, n)
	}
	slices.Sort(names)
	if len(names) > maxNamedUsers {
		names = append(names[:maxNamedUsers], "…")
	}
	return &verbs.BusyError{Object: name, UsedBy: names}
}
