package cm_test

import (
	"testing"

	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/softtest"
)

// virtual runs a test in virtual time, on a provider with a fixed seed.
func virtual(t *testing.T, body func(t *testing.T, p *soft.Provider)) {
	softtest.Virtual(t, func(random func() uint64) *soft.Provider {
		return soft.New(soft.Options{Rand: random})
	}, body)
}

// managerOf returns the provider's connection manager.
func managerOf(p *soft.Provider) *cm.Manager {
	c, err := p.CreateEventChannel()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	return cm.ManagerOf(c)
}
