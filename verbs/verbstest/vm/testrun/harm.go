package main

// harm runs a test without the race detector that unit shortens: 1 GiB over a faulty network.
func harm(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "-run=^TestHeavyHarm$", "./verbs/soft")
}
