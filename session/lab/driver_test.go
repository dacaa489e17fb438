package lab

import "testing"

func TestKernelOf(t *testing.T) {
	for release, want := range map[string]Kernel{
		"6.12.107+deb13-amd64": {6, 12}, "6.1.0-56-amd64": {6, 1}, "5.14": {5, 14}, "6.4-rc1": {6, 4},
		"": {}, "6": {}, "6.": {}, "v6.4.0": {}, "6.4x": {6, 4}, "99999999999.1": {}, "6.99999999999": {},
	} {
		if got := KernelOf(release); got != want {
			t.Errorf("%q is %v, want %v", release, got, want)
		}
	}
}

func TestKernelRange(t *testing.T) {
	for text, in := range map[string]map[Kernel]bool{
		"6.4..":      {{6, 3}: false, {6, 4}: true, {6, 12}: true, {7, 0}: true, {5, 19}: false, {}: false},
		"..6.3":      {{6, 3}: true, {6, 4}: false, {5, 19}: true, {6, 12}: false, {}: false},
		"6.4..6.10":  {{6, 3}: false, {6, 4}: true, {6, 10}: true, {6, 11}: false, {}: false},
		"6.12..6.12": {{6, 12}: true, {6, 13}: false, {6, 1}: false},
		"5.19..6.0":  {{5, 18}: false, {5, 19}: true, {6, 0}: true, {6, 1}: false},
	} {
		r, err := ParseKernelRange(text)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range in {
			if r.Has(k) != want {
				t.Errorf("%s has %v: %v", text, k, !want)
			}
		}
	}
	if !(KernelRange{}).Has(Kernel{}) {
		t.Error("the empty range does not contain an unknown kernel")
	}
	for _, bad := range []string{"", "..", "6.4", "6..", "..6", "6.4..6.3", "6.4...", "6.4..6.5..6.6", "6.4.1..",
		"v6.4..", "06.4..", "6.04..", "0.4..", " 6.4..", "6.99999.."} {
		if r, err := ParseKernelRange(bad); err == nil {
			t.Errorf("%q is read as %v", bad, r)
		}
	}
}
