package devices

import (
	"fmt"
	"strconv"
	"strings"
)

// PCILink is the PCI Express link between a device and the host, as trained.
type PCILink struct {
	GTs   float64 `json:"gt_s"`  // transfers of one lane in 10⁹ a second
	Width int     `json:"width"` // lanes
}

// pciEncoding has the share of a lane's transfers that carries data: 8b/10b at the first two
// speeds, 128b/130b, and at 64 GT/s the 242 of a flit's 256 bytes; PCI Express Base 6.0, 4.2.
var pciEncoding = map[float64]float64{
	2.5: 8. / 10, 5: 8. / 10, 8: 128. / 130, 16: 128. / 130, 32: 128. / 130, 64: 242. / 256,
}

// Gbits returns what the link carries in each direction, in Gbit/s, packet headers included;
// 0 if the speed is unknown.
func (l *PCILink) Gbits() float64 { return l.GTs * pciEncoding[l.GTs] * float64(l.Width) }

// String returns speed and width, "16 GT/s ×8".
func (l *PCILink) String() string { return fmt.Sprintf("%g GT/s ×%d", l.GTs, l.Width) }

// pciLink reads the link of a PCI function. A virtual function has that of its physical one.
func pciLink(sys OS, function string) *PCILink {
	for _, dir := range []string{function, function + "/physfn"} {
		speed, _, _ := strings.Cut(attribute(sys, dir+"/current_link_speed"), " ")
		gts, err := strconv.ParseFloat(speed, 64)
		width, err2 := strconv.Atoi(attribute(sys, dir+"/current_link_width"))
		l := PCILink{GTs: gts, Width: width}
		if err == nil && err2 == nil && width <= 32 && l.Gbits() > 0 {
			return &l
		}
	}
	return nil
}
