package object

import (
	"slices"

	"rdmatui/verbs"
)

// Users is who still needs an object, by name. It is guarded by the context's lock.
type Users struct {
	Closed bool // the object itself is closed
	by     map[any]string
}

// Add notes a user.
func (u *Users) Add(user any, name string) {
	if u.by == nil {
		u.by = map[any]string{}
	}
	u.by[user] = name
}

// Remove forgets a user.
func (u *Users) Remove(user any) { delete(u.by, user) }

// maxNamedUsers bounds the text of a BusyError.
const maxNamedUsers = 8

// Busy returns a BusyError where the object is in use.
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
