package main

// world runs without the race detector the tests that it would make too slow, of which unit runs a small part: the
// simulated world, the simulated sessions, and all screens in all sizes.
func world(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "./verbs/verbstest/world", "-args", "-seeds=2000")
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "./session/world", "-args", "-seeds=300")
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "-run=^TestCutIsShownWhole|^TestRandomKeys$", "./ui", "-args",
		"-walks=60")
}
