package main

// world runs the simulated world without the race detector, under which unit runs fewer seeds of it.
func world(r *run) {
	r.goTest("test", "-json", "-count=1", "-timeout=20m", "./verbs/verbstest/world", "-args", "-seeds=2000")
}
