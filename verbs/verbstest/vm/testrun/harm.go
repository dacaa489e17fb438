package main

// harm runs without the race detector what unit does less of: 1 GiB over a network that harms it.
func harm(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "-run=^TestHeavyHarm$", "./verbs/soft")
}
