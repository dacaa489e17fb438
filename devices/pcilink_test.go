package devices

import (
	"math"
	"testing"
)

// TestPCILink reads links as the kernel prints them.
func TestPCILink(t *testing.T) {
	const function = "/sys/devices/pci0000:00/0000:00:02.0"
	for _, tt := range []struct {
		speed, width string
		text         string
		gbits        float64
	}{
		{"16.0 GT/s PCIe", "8", "16 GT/s ×8", 126.0308},
		{"2.5 GT/s PCIe", "1", "2.5 GT/s ×1", 2},
		{"8.0 GT/s", "16", "8 GT/s ×16", 126.0308}, // before Linux 5.8
		{"64.0 GT/s PCIe", "16", "64 GT/s ×16", 968},
		{"32.0 GT/s PCIe", "32", "32 GT/s ×32", 1008.2462},
		{"32.0 GT/s PCIe", "33", "", 0},
		{"Unknown", "0", "", 0},
		{"16.0 GT/s PCIe", "255", "", 0},
		{"16.0 GT/s PCIe", "-8", "", 0},
		{"7.0 GT/s PCIe", "8", "", 0},
		{"", "", "", 0},
	} {
		for _, dir := range []string{function, function + "/physfn"} {
			sys := plant(t, "bare")
			sys.write(t, dir+"/current_link_speed", tt.speed+"\n")
			sys.write(t, dir+"/current_link_width", tt.width+"\n")
			l := pciLink(sys, function)
			if l == nil {
				if tt.text != "" {
					t.Errorf("%q, %q in %s is no link", tt.speed, tt.width, dir)
				}
				continue
			}
			if l.String() != tt.text || math.Abs(l.Gbits()-tt.gbits) > 0.001 {
				t.Errorf("%q, %q: %s, %f Gbit/s, want %s, %f", tt.speed, tt.width, l, l.Gbits(), tt.text, tt.gbits)
			}
		}
	}
}
