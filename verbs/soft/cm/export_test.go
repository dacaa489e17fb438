package cm

import "rdmatui/verbs"

// ManagerOf returns the manager of an event channel.
func ManagerOf(c verbs.CMEventChannel) *Manager { return c.(*Channel).manager }
