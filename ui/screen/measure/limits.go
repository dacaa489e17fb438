package measure

import (
	"fmt"
	"slices"

	"rdmatui/devices"
	"rdmatui/session/measure"
	"rdmatui/ui/widget"
)

// scaleMost is how many times higher than the curve a limit may be to be drawn.
const scaleMost = 4

// limitsOf returns the limits of a device by port. A software device has none.
func limitsOf(d *devices.Detail) map[uint8][]measure.Limit {
	by := map[uint8][]measure.Limit{}
	for i := range d.Ports {
		p := &d.Ports[i]
		var list []measure.Limit
		if d.PCI != "" && p.Rate() > 0 {
			list = append(list, measure.Limit{Name: "link", Bytes: p.Rate() * 1e9 / 8,
				Detail: fmt.Sprintf("%d×, %g Gbit/s a lane", p.Lanes(), p.LaneRate())})
		}
		if l := d.PCILink; l != nil {
			list = append(list, measure.Limit{Name: "slot", Bytes: l.Gbits() * 1e9 / 8, Detail: "PCIe " + l.String()})
		}
		by[p.PortNum] = list
	}
	return by
}

// limits returns the limits of a run's device. ok is false while it is not known.
func (s *Screen) limits(v *measure.View) (list []measure.Limit, ok bool) {
	i := slices.IndexFunc(s.devices, func(d device) bool { return d.name == v.Info.DeviceName })
	if i < 0 || v.Params.Test.Latency {
		return nil, false
	}
	return s.devices[i].limits[v.Info.Params.DevicePort], true
}

// raise draws the limits in the plot of the throughput, as far as they are near the curve.
func (c *chart) raise(list []measure.Limit, highest float64) float64 {
	for _, l := range list {
		if l.Bytes <= scaleMost*highest {
			c.limits = append(c.limits, l)
			highest = max(highest, l.Bytes)
		}
	}
	return highest
}

// scaleLabel names the limits in a row of the scale.
func (c *chart) scaleLabel(p *widget.Plot, y int) (text string) {
	for _, l := range c.limits {
		if at, ok := p.Row(l.Bytes); ok && at == y {
			if text != "" {
				text += ", "
			}
			text += l.Name
		}
	}
	return text
}

// limits compares the throughput with what the hardware can carry.
func (r *report) limits(s *Screen, v *measure.View) {
	list, ok := s.limits(v)
	if !ok || len(v.Points) == 0 {
		return
	}
	if len(list) == 0 {
		r.text(fmt.Sprintf("No limit lines: %s is a software device.", v.Info.DeviceName), r.th.Dim)
		return
	}
	p, _ := v.Mean(v.Last())
	sent, received := p.Directions() // each has the limit to itself
	amount := max(sent.Throughput(), received.Throughput())
	for _, l := range list {
		used := fmt.Sprintf("%.0f %%", amount/l.Bytes*100)
		r.pair(l.Name+" limit, used", throughput(&v.Params, l.Bytes), used, r.th.Accent)
		r.text("  "+l.Detail, r.th.Dim)
	}
	if v.Both {
		r.text("Both ends are on "+v.Info.DeviceName+": messages may not leave the device.", r.th.Dim)
	}
}
