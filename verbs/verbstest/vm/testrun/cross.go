package main

import "path/filepath"

// cross builds everything for each platform without cgo: the program has to come from a machine
// that has neither a C compiler nor the RDMA libraries.
func cross(r *run) {
	for _, p := range platforms {
		// Programs go to a directory of their own; other packages leave nothing.
		out := filepath.Join(r.scratch, p.os+"-"+p.arch) + "/"
		r.check("build "+p.os+"/"+p.arch,
			goTool("build", "-o", out, "./...").with("GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0"))
	}
}
