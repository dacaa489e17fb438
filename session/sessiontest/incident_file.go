package sessiontest

import (
	"os"
	"slices"
	"testing"

	"rdmatui/session/capture"
)

// Commented is a packet of a file with its comments.
type Commented struct {
	capture.Frame
	Remarks []string
}

// ReadBack reads both files of an incident.
func ReadBack(t *testing.T, name string) (list []Commented, about, document string) {
	t.Helper()
	text, err := os.ReadFile(name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name + ".pcapng")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var c Commented
		if r.Next(&c.Frame) != nil {
			return list, r.Comment(), string(text)
		}
		c.Data, c.Remarks = slices.Clone(c.Data), slices.Clone(c.Comments)
		list = append(list, c)
	}
}
