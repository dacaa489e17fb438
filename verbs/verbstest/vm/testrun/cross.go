package main

import "path/filepath"

// cross builds everything for each platform without cgo: building the program must require neither
// a C compiler nor the RDMA libraries.
func cross(r *run) {
	for _, p := range platforms {
		// Programs are written to a separate directory; other packages produce no files.
		out := filepath.Join(r.scratch, p.os+"-"+p.arch) + "/"
		r.check("build "+p.os+"/"+p.arch,
			goTool("build", "-o", out, "./...").with("GOOS="+p.os, "GOARCH="+p.arch, noCgo))
	}
}
