package keymap

// Steps is the keys of the diagram of a request's steps.
var Steps = struct{ Play, Next, Prev, Show binding }{
	Play: as(Verb.Pause, "pause or play"),
	Next: bind("→/l", "step on", "right", "l"),
	Prev: bind("←/h", "step back", "left", "h"),
	Show: bind("d", "steps diagram", "d"),
}

// StepOn is Steps.Next where space has no other meaning.
var StepOn = as(Verb.Mark, "next step")

// PostSteps is the context of the diagram on the Post screen.
var PostSteps = screen("Post: steps", group("Steps", Steps),
	Group{Name: "Post", Keys: []binding{StepOn, as(Verb.Run, "post"), Post.Repeat, Post.Other, List.Back}}, paneExplain)
