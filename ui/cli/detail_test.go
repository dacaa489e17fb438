package cli

import (
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
)

// TestDetailHasEveryField: devices -v prints every field of the structs, those without a value too.
func TestDetailHasEveryField(t *testing.T) {
	d := devices.Detail{DeviceAttrEx: &verbs.DeviceAttrEx{}, Ports: make([]devices.Port, 1)}
	d.Name = "dev0"
	text := string(appendDetail(nil, &d))
	value := map[string]string{}
	for l := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		value[name] = strings.TrimSpace(rest)
	}
	var fields []string
	for i := range verbs.DeviceFields {
		fields = append(fields, verbs.DeviceFields[i].Name)
	}
	if len(fields) != 40 {
		t.Errorf("struct ibv_device_attr has %d fields, want 40", len(fields))
	}
	for i := range verbs.DeviceExFields {
		fields = append(fields, verbs.DeviceExFields[i].Name)
	}
	for i := range verbs.PortFields {
		fields = append(fields, verbs.PortFields[i].Name)
	}
	for _, name := range fields {
		if value[name] == "" {
			t.Errorf("%s is not printed:\n%s", name, text)
		}
	}
	if value["fw_ver"] != "–" {
		t.Errorf("fw_ver is %q", value["fw_ver"])
	}
}
