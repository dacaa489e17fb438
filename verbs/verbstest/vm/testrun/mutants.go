package main

import "fmt"

// mutants tries a small sample of changes of the program; which ones derives from the date of the commit.
func mutants(r *run) {
	seed, err := command{name: "git", args: []string{"log", "-1", "--format=%ct"}}.output(r)
	if err != nil {
		seed = "1" // not a clone
	}
	out, err := goTool("run", "./verbs/verbstest/mutate", "-n", "60", "-least", "85", "-seed", seed).output(r)
	if err != nil {
		r.tally.fail("mutants", out)
	} else {
		r.tally.pass("mutants")
	}
	fmt.Printf("ran     mutants: %s\n", lastLine(out))
}
