package command

import (
	"slices"
	"testing"

	"rdmatui/assets"
)

func TestCompleteExperiments(t *testing.T) {
	for line, want := range map[string][]string{
		"lab bad-":       {"bad-lkey", "bad-rkey"},
		"note bad-":      nil,
		"lab flush bad-": nil,
	} {
		var got []string
		for _, c := range Complete(line, len(line), nil, nil) {
			got = append(got, c.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if all := Complete("lab ", 4, nil, nil); len(all) < len(assets.ExperimentNames()) {
		t.Errorf("%d of %d experiments", len(all), len(assets.ExperimentNames()))
	}
}
