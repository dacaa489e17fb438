package main

// harm runs without the race detector a test that unit shortens: 1 GiB over a faulty network.
func harm(r *run) {
	r.runTests(goTest("-count=1", "-run=^TestHeavyHarm$", "./verbs/soft").with(noCgo))
}
