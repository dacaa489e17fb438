package device

import (
	"testing"

	"rdmatui/verbs"
)

// TestPlacesFor: an unsuitable device is skipped if no device is named, and refused if it is.
func TestPlacesFor(t *testing.T) {
	roce, iwarp := verbs.DeviceInfo{Name: "rxe0", NodeType: "CA", Transport: "InfiniBand"},
		verbs.DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}
	byHand := func(info *verbs.DeviceInfo) error { return info.Lack(verbs.ByHand) }
	for _, tt := range []struct {
		infos      []verbs.DeviceInfo
		name, want string
		lacks      bool
	}{
		{[]verbs.DeviceInfo{iwarp, roce}, "", "rxe0", false},
		{[]verbs.DeviceInfo{roce, iwarp}, "", "rxe0", false},
		{[]verbs.DeviceInfo{roce, iwarp}, "siw0", "siw0", true},
		{[]verbs.DeviceInfo{iwarp}, "", "", true},
	} {
		if got, err := placesFor(tt.infos, tt.name, byHand); got[0] != tt.want || (err != nil) != tt.lacks {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}
