package devices

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"rdmatui/assets/explain"
	inv "rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// attributeRows lists struct ibv_device_attr and what ibv_device_attr_ex adds.
func attributeRows(d *inv.Detail) []row {
	rows := []row{headRow("ibv_query_device")}
	for i := range fields.Device {
		f := &fields.Device[i]
		rows = append(rows,
			fieldRow("device_attr", f.Name, f.Format(&d.DeviceAttr), f.Unit, decodedAttr(f.Name, &d.DeviceAttr)))
		if f.Name == "device_cap_flags" {
			rows = append(rows, deviceCapRows(verbs.DeviceCap(d.DeviceAttr.DeviceCapFlags))...)
		}
	}
	if d.DeviceAttrEx != nil {
		rows = append(rows, extendedRows(d.DeviceAttrEx)...)
	}
	return append(rows, problemRows(d.Problems)...)
}

func extendedRows(ex *verbs.DeviceAttrEx) []row {
	rows := []row{headRow("ibv_query_device_ex")}
	for i := range fields.DeviceEx {
		f := &fields.DeviceEx[i]
		rows = append(rows, fieldRow("device_attr_ex", f.Name, f.Format(ex), f.Unit, ""))
	}
	return rows
}

func problemRows(problems []inv.Problem) []row {
	if len(problems) == 0 {
		return nil
	}
	rows := []row{headRow("could not be read")}
	for _, p := range problems {
		r := valueRow(p.What, "–", p.Err)
		r.cells[2].tone, r.about = bad, p.What+": "+p.Err
		rows = append(rows, r)
	}
	return rows
}

// fieldRow is a field of a C struct, explained in the given family; the unit precedes
// the meaning.
func fieldRow(family, name, value, unit, decoded string) row {
	doc := explain.Short(family, name)
	if decoded != "" {
		doc += "; here " + decoded
	}
	r := valueRow(name, orDash(value), doc)
	if unit != "" {
		r.cells[meaning].text = unit + " · " + doc
		r.about = fmt.Sprintf("%s = %s (%s): %s", name, value, unit, doc)
	}
	if value == "" {
		r.about = joined(name+" is not set", doc)
	}
	r.ask = ask{family, name, value}
	return r
}

func deviceCapRows(v verbs.DeviceCap) []row {
	return flagRows("device_cap", verbs.DeviceCaps.Set(v))
}

// flagRows are the flags set in a word, below the field that holds it.
func flagRows(family string, names []string) []row {
	rows := make([]row, 0, len(names))
	for _, n := range names {
		doc := explain.Short(family, n)
		r := valueRow("  "+n, "set", doc)
		r.cells[1].tone = good
		r.about, r.ask = joined(n, doc), ask{family, n, ""}
		rows = append(rows, r)
	}
	return rows
}

// decodedAttr decodes an encoded value, "" if it needs no decoding.
func decodedAttr(field string, a *verbs.DeviceAttr) string {
	switch field {
	case "max_mr_size":
		if a.MaxMRSize == math.MaxUint64 {
			return "no limit"
		}
		return format.Size(a.MaxMRSize)
	case "page_size_cap":
		return pageSizes(a.PageSizeCap)
	case "local_ca_ack_delay":
		return timerText(a.LocalCAAckDelay)
	}
	return ""
}

// timerText decodes 4.096 µs·2ⁿ.
func timerText(n uint8) string {
	if n == 0 || n > 31 {
		return ""
	}
	return format.Span(verbs.AckTimeout(n))
}

// pageSizes lists the bits of a word as sizes, with runs as ranges.
func pageSizes(v uint64) string {
	var parts []string
	for v != 0 {
		low := bits.TrailingZeros64(v)
		run := bits.TrailingZeros64(^(v >> low))
		text := format.Size(1 << low)
		if run > 1 {
			text += " to " + format.Size(1<<(low+run-1))
		}
		parts = append(parts, text)
		if low+run >= 64 {
			break
		}
		v = v >> (low + run) << (low + run)
	}
	return strings.Join(parts, ", ")
}
