package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// release builds a release twice as its maintainer does: both must be the same to the byte. It installs the packages,
// and renames a copy of the module as for its publication.
func release(r *run) {
	first, second := filepath.Join(r.scratch, "release-1"), filepath.Join(r.scratch, "release-2")
	for _, out := range []string{first, second} {
		r.check("release in "+filepath.Base(out),
			goTool("run", "./verbs/verbstest/release", "-version", "0.0.0", "-out", out).with(noCgo))
	}
	r.check("the same twice", command{name: "diff", args: []string{"-r", first, second}})
	installed(r, first)
	renamed(r)
}

// installed checks that the rpm holds what the deb holds, and that the deb can be installed, used and removed on the
// stable Debian and the one before.
func installed(r *run, out string) {
	const scripts = "verbs/verbstest/release/"
	for deb, rpm := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		r.check("deb and rpm of "+deb, command{name: scripts + "same-contents", args: []string{
			filepath.Join(out, "rdmatui_0.0.0_"+deb+".deb"), filepath.Join(out, "rdmatui-0.0.0-1."+rpm+".rpm")}})
	}
	for _, suite := range []string{"bookworm", "trixie"} {
		if os.Geteuid() != 0 {
			r.cannot("deb on "+suite, "only root may use chroot")
			continue
		}
		r.check("deb on "+suite, command{name: scripts + "clean-root", args: []string{suite,
			filepath.Join(out, "rdmatui_0.0.0_"+runtime.GOARCH+".deb")}})
	}
}

// renamed checks that the module builds under another path, and that its tests and the rules of the tree, such as the
// length of lines, then still hold.
func renamed(r *run) {
	program, tree := filepath.Join(r.scratch, "rename"), filepath.Join(r.scratch, "renamed")
	r.check("build of rename", goTool("build", "-o", program, "./verbs/verbstest/rename").with(noCgo))
	r.check("copy", command{name: "git", args: []string{"checkout-index", "--all", "--prefix=" + tree + "/"}})
	there := func(c command) command {
		c.dir = tree
		return c.with(noCgo)
	}
	r.check("rename", there(command{name: program, args: []string{"github.com/OWNER/rdmatui"}}))
	r.check("build renamed", there(goTool("build", "./...")))
	r.check("go vet renamed", there(goTool("vet", "./verbs/...", "./ui/cli")))
	r.runTests(there(goTest("-count=1", "./verbs/ring", "./verbs/format", "./verbs/verbstest/imports",
		"./verbs/verbstest/vm/testrun")))
}
