package main

import "strconv"

// world runs without the race detector the tests that it would make too slow, of which unit runs a small part: the
// simulated world, the simulated sessions, and all screens in all sizes.
func world(r *run) {
	for _, args := range [][]string{
		{"./verbs/verbstest/world", "-args", "-seeds=" + strconv.Itoa(r.plan.seeds)},
		{"./session/world", "-args", "-seeds=" + strconv.Itoa(r.plan.sessions)},
		{"-run=^TestCutIsShownWhole|^TestFrames$|^TestRandomKeys$", "./ui", "-args", "-walks=60"},
	} {
		r.runTests(goTest(append([]string{"-count=1"}, args...)...).with(noCgo))
	}
}
