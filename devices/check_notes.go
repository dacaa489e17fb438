package devices

import (
	"slices"

	"rdmatui/verbs"
)

// Notes are what providers have to say about how their devices came out: the provider of
// the named device, or all of them for "".
func (inv *Inventory) Notes(device string) (all []string) {
	for _, p := range inv.providers {
		if n, ok := p.(verbs.Noter); ok && (device == "" || lists(p, device)) {
			all = append(all, n.Notes()...)
		}
	}
	return all
}

func lists(p verbs.Provider, device string) bool {
	infos, _ := p.Devices()
	return slices.ContainsFunc(infos, func(i verbs.DeviceInfo) bool { return i.Name == device })
}

// checkNotes repeats what providers say: it keeps no device from being used.
func checkNotes(e *examination) (found []Finding) {
	for _, p := range e.inv.providers {
		n, ok := p.(verbs.Noter)
		if !ok {
			continue
		}
		for _, text := range n.Notes() {
			found = append(found, Finding{Status: Warn, Looked: "provider " + p.Name() + " says", Meaning: text})
		}
	}
	return found
}
