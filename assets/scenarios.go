package assets

import "embed"

// Scenarios holds the programs that people start from: one text/template of a script for each scenario, named
// NAME.rdma. Each begins with a head of comment lines that a blank line ends: what
// the scenario teaches, and what to type at the other side, beside our server and
// beside our client. The comment lines above a command say what it is for.
var Scenarios = below(scenarioFiles, "scenarios")

//go:embed scenarios/*.rdma
var scenarioFiles embed.FS
