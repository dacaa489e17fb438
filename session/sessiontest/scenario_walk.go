package sessiontest

import (
	"context"
	"errors"

	"rdmatui/session/scenario"
)

// Walked runs all steps of a run and returns the lines.
func Walked(ctx context.Context, r *scenario.Run, ready func(line string)) (lines []string, err error) {
	for at := r.At(); at >= 0; at = r.At() {
		ready(r.Lines()[at].Text)
		if _, err := r.Step(ctx); err != nil {
			return lines, err
		}
		lines = append(lines, r.Lines()[at].Text)
	}
	if r.At() != -1 {
		return lines, errors.New("at the end it is still at a line")
	}
	return lines, nil
}
