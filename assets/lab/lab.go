// Package lab holds failures that are made on purpose, each a script of the command language.
package lab

import (
	"embed"
	"io/fs"
	"strings"
)

// Files holds one text/template of a script for each experiment, named NAME.rdma, and
// under parts/ what they have in common. The device is left open.
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
//go:embed *.rdma parts/*.rdma
var Files embed.FS

// Ext ends the name of a script.
const Ext = ".rdma"

// Names lists all experiments. No file is read for it: it is asked for at every start.
func Names() (names []string) {
	paths, _ := fs.Glob(Files, "*"+Ext) // the pattern is good
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(p, Ext))
	}
	return names
}
