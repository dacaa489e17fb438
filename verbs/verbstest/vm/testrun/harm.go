package main

// harm runs without the race detector a test that unit shortens: 1 GiB over a faulty network.
func harm(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "-run=^TestHeavyHarm$", "./verbs/soft")
}
