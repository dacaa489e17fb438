// Package assets holds the texts that are part of the program: the error lab's scripts and rules, the scenarios and
// the manual. The explanations have a package of their own, which finds them.
package assets

import (
	"embed"
	"io/fs"
	"strings"
)

// Lab holds the failures that are made on purpose: one text/template of a script for each experiment, named
// NAME.rdma, and under parts/ what they have in common. The device is left open.
//
// A script begins with a head of comment lines "name: text" that a blank line ends; a
// line that is indented goes on with the one before:
//
//	title      what is done
//	expect     what will be seen, in words
//	says       what the specification says
//	clause     where it does
//	requester  the statuses of a's completions in order; left out: none
//	responder  those of b
//	refused    the errno of the call that fails; left out: none
//	event      the asynchronous events, as "QP_REQ_ERR b, CQ_ERR cq"; left out: none
//	states     what the queue pairs are in afterwards, as "a=ERR b=RTS"
//	differs    DRIVER [KERNELS] NAME=VALUE; why a driver is known to do otherwise
//
// KERNELS is a range of kernel versions with both ends in it: "6.4..", "..6.3" or
// "6.4..6.9"; left out: all. Where the specification leaves a choice, "or" stands
// between the values, and "any" for all there are. Lines "#: experiment", "#:
// setting up again" and "#: way back" part the script; the comment lines above a
// command say what it is for.
//
// Rules of the specification are in rules/AREA/NAME.rdma. Their head has the entries:
//
//	rule     what must hold, in one sentence
//	source   where the specification, the kernel or a man page says so
//	needs    what a device must offer, parted by spaces; without it the rule is not offered:
//	         a capability flag (MEM_WINDOW), a trait (UD, UC, IMM), or ATTR>=N (max_srq>=1)
//	differs  DRIVER [KERNELS] RESULT; why: what is seen instead on a driver
//
// RESULT is the errno, the status or the state that is seen, "mem" for other bytes in memory,
// and "none" where nothing is: no error, no completion, no event. The line "#: rule" parts the
// setting up from what is judged, where every line must succeed.
var Lab = below(labFiles, "lab")

//go:embed lab/*.rdma lab/parts/*.rdma lab/rules/*/*.rdma
var labFiles embed.FS

// below returns the files of a folder, by their paths in it.
func below(files fs.FS, folder string) fs.FS {
	sub, _ := fs.Sub(files, folder) // the name is good
	return sub
}

// ScriptExt ends the name of a script.
const ScriptExt = ".rdma"

// Rules is the folder in Lab of the rules, which has a folder for each area.
const Rules = "rules"

// ExperimentNames lists all experiments. No file is read for it: it is asked for at every start.
func ExperimentNames() (names []string) {
	return namesOf("*" + ScriptExt)
}

// RuleNames lists all rules as AREA/NAME, sorted. No file is read for it.
func RuleNames() (names []string) {
	for _, n := range namesOf(Rules + "/*/*" + ScriptExt) {
		names = append(names, strings.TrimPrefix(n, Rules+"/"))
	}
	return names
}

func namesOf(pattern string) (names []string) {
	paths, _ := fs.Glob(Lab, pattern) // the pattern is good
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(p, ScriptExt))
	}
	return names
}
