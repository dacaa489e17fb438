package main

// world runs the simulated world and the simulated sessions without the race detector, under which unit runs fewer
// seeds of them.
func world(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "./verbs/verbstest/world", "-args", "-seeds=2000")
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "./session/world", "-args", "-seeds=300")
}
