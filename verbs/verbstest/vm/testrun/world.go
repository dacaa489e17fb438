package main

// world runs without the race detector the tests that it would make too slow, of which unit runs a small part: the
// simulated world, the simulated sessions, and all screens in all sizes.
func world(r *run) {
	for _, args := range [][]string{
		{"./verbs/verbstest/world", "-args", "-seeds=2000"},
		{"./session/world", "-args", "-seeds=300"},
		{"-run=^TestCutIsShownWhole|^TestRandomKeys$", "./ui", "-args", "-walks=60"},
	} {
		r.runTests(goTest(append([]string{"-count=1"}, args...)...).with(noCgo))
	}
}
