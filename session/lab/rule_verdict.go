package lab

import (
	"fmt"
	"strings"
)

// RuleVerdict says whether a device keeps a rule.
type RuleVerdict int

// Verdicts on a rule, from the best to the worst.
const (
	Kept          RuleVerdict = iota
	KnownToDiffer             // as the device's driver is known to do, for a reason that is known
	NotOffered                // the device does not have what the rule is about
	RuleNotRun                // the setting up failed, or the script is wrong
	Broken
)

var ruleVerdicts = [...]string{
	Kept: "kept", KnownToDiffer: "known difference", NotOffered: "not offered", RuleNotRun: "not run", Broken: "broken",
}

// ruleCounts are all verdicts in the order in which they are counted; deviations are those that need a
// word.
var (
	ruleCounts = []RuleVerdict{Kept, KnownToDiffer, Broken, NotOffered, RuleNotRun}
	deviations = []RuleVerdict{Broken, RuleNotRun, KnownToDiffer, NotOffered}
)

// String returns the verdict in words: "known difference".
func (v RuleVerdict) String() string { return ruleVerdicts[v] }

// MarshalText writes the verdict's words.
func (v RuleVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// RuleResult is what came of a rule on a device.
type RuleResult struct {
	Rule    string      `json:"rule"`
	Says    string      `json:"says"`
	Source  string      `json:"source"`
	Device  string      `json:"device"`
	Driver  string      `json:"driver,omitempty"` // "" if none whose differences are known
	Kernel  string      `json:"kernel,omitempty"` // of Driver, as "6.12"
	Verdict RuleVerdict `json:"verdict"`
	LineN   int         `json:"line_number,omitempty"` // of the script that --script prints, from 1
	Line    string      `json:"line,omitempty"`        // at which the script ended; "" if at its end
	Seen    string      `json:"seen,omitempty"`        // what was seen there, in one word
	Why     string      `json:"why,omitempty"`         // the line's error, what the device lacks, or why it differs
}

// Area is what the rule is about.
func (r *RuleResult) Area() string {
	area, _, _ := strings.Cut(r.Rule, "/")
	return area
}

// On names the device, its driver and the kernel.
func (r *RuleResult) On() string {
	if r.Driver == "" {
		return r.Device
	}
	return fmt.Sprintf("%s (%s, kernel %s)", r.Device, r.Driver, r.Kernel)
}

// At is the line that ended the script, with its number; "" if it came to its end.
func (r *RuleResult) At() string {
	if r.Line == "" {
		return ""
	}
	return fmt.Sprintf("%d: %s", r.LineN, r.Line)
}

// String is the result in one line.
func (r *RuleResult) String() string {
	text := r.Rule + " on " + r.Device + ": " + r.Verdict.String()
	if at := r.At(); at != "" {
		text += "; line " + at
	}
	if r.Why != "" {
		text += "; " + r.Why
	}
	return text
}
