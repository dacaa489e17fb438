package main

import "path/filepath"

// release builds a release twice as its maintainer does: both must be the same to the byte.
func release(r *run) {
	first, second := filepath.Join(r.scratch, "release-1"), filepath.Join(r.scratch, "release-2")
	for _, out := range []string{first, second} {
		r.check("release in "+filepath.Base(out),
			goTool("run", "./verbs/verbstest/release", "-version", "0.0.0", "-out", out).with(noCgo))
	}
	r.check("the same twice", command{name: "diff", args: []string{"-r", first, second}})
}
