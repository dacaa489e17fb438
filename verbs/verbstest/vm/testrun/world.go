package main

import "strconv"

// world runs without the race detector the tests that it would make too slow, of which unit runs a small part or
// nothing: the simulated world, the simulated sessions, all screens in all sizes, and what calls [sampled]'s functions.
func world(r *run) {
	var short sampled
	if err := r.eachTestPackage(short.read); err != nil {
		r.tally.fail("list of tests that the race detector shortens", err.Error())
	}
	for _, args := range [][]string{
		{"./verbs/verbstest/world", "-args", "-seeds=" + strconv.Itoa(r.plan.seeds)},
		{"./session/world", "-args", "-seeds=" + strconv.Itoa(r.plan.sessions)},
		{"-run=^TestCutIsShownWhole|^TestFrames$|^TestRandomKeys$", "./ui", "-args", "-walks=60"},
		short.args(),
	} {
		r.runTests(goTest(append([]string{"-count=1"}, args...)...).with(noCgo))
	}
}
