package soft

import (
	"slices"

	"rdmatui/verbs"
)

// uses is who still needs an object, by name. It is guarded by the context's lock.
type uses struct {
	closed bool
	by     map[any]string
}

func (u *uses) add(user any, name string) {
	if u.by == nil {
		u.by = map[any]string{}
	}
	u.by[user] = name
}

func (u *uses) remove(user any) { delete(u.by, user) }

// maxNamedUsers bounds the text of a BusyError.
const maxNamedUsers = 8

// busy returns a BusyError where the object is in use.
func (u *uses) busy(object string) error {
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
	return &verbs.BusyError{Object: object, UsedBy: names}
}
