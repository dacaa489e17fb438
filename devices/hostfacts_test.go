package devices

import (
	"os"
	"slices"
	"testing"
)

// TestBusPlace: the function's own node, and none if the machine does not report it.
func TestBusPlace(t *testing.T) {
	sys := plant(t, "cards")
	dir := deviceDir("mlx5_0")
	function := "/sys/devices/pci0000:00/0000:00:02.0/0000:05:00.0"
	if err := os.Remove(sys.at(dir + "/device")); err != nil {
		t.Fatal(err)
	}
	sys.link(t, dir+"/device", function+"/mlx5_core.rdma.0")
	if p, err := busPlace(sys, dir, "mlx5_0"); err != nil || p.pci != "0000:05:00.0" || p.numa == nil || *p.numa != 1 {
		t.Errorf("below the function: %+v, %v", p, err)
	}
	if err := os.Remove(sys.at(function + "/numa_node")); err != nil {
		t.Fatal(err)
	}
	if p, err := busPlace(sys, dir, "mlx5_0"); err != nil || p.numa != nil {
		t.Errorf("without a node: %+v, %v", p, err)
	}
	sys.link(t, "/sys/class/infiniband/usb0/device", "/sys/devices/usb1")
	if p, err := busPlace(sys, deviceDir("usb0"), "usb0"); err != nil || p.pci != "" || p.driver != "" {
		t.Errorf("on another bus: %+v, %v", p, err)
	}
}

// TestLoadedFor: modules are named with underscores, whatever the driver's name has.
func TestLoadedFor(t *testing.T) {
	sys := plant(t, "bare")
	sys.write(t, "/sys/module/a_card/initstate", "live")
	sys.write(t, "/sys/module/ib_core/initstate", "live")
	for _, tt := range []struct {
		on   place
		want []string
	}{
		{place{driver: "a-card"}, []string{"a_card", "ib_core"}},
		{place{driver: "rdma_rxe"}, []string{"ib_core"}},
		{place{driver: "rdma_rxe", module: "rdma_rxe"}, []string{"rdma_rxe", "ib_core"}}, // built in
	} {
		if got := loadedFor(sys, deviceDir("x"), tt.on); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.on, got, tt.want)
		}
	}
}

func TestIsPCIAddress(t *testing.T) {
	for text, want := range map[string]bool{
		"0000:05:00.0": true, "0000:09:00.0": true, "f000a:fa:0f.0": true, "g0000:05:00.0": false,
		"G0000:05:00.0": false, "00010000:05:00.0": true, "10000:e1:1f.7": true,
		"0000:05:00": false, "x000:05:00.0": false,
		"0000:05:00.0.": false, "mlx5_core.0": false, "pci0000:00": false, "000000000:05:00.0": false, "": false,
	} {
		if got := isPCIAddress(text); got != want {
			t.Errorf("isPCIAddress(%q) = %v, want %v", text, got, want)
		}
	}
}
