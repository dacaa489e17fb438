package tour

import (
	"rdmatui/session/stages"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// eightSteps goes through the steps of one request.
var eightSteps = &Tour{
	ID: "eight-steps", Name: "What happens in 600 µs",
	About: "The eight measured steps of a WRITE, from the post to the poll.",
	Steps: []*Step{&bench, &connected, &write, &diagram, &walk},
	Learned: [3]string{
		"The processor posts and polls. Two devices do all that is between.",
		"The peer's device places the data, then acknowledges: then comes the CQE.",
		"A completion waits in its queue until the program polls.",
	},
	Next: "d on Post shows the steps of any request, also of one that waits.",
}

var diagram = Step{
	Name:  "open the diagram",
	Needs: []*Step{&bench, &connected},
	Why:   "Each send request takes the same eight steps. The diagram replays the last.",
	Parts: []Part{{Name: "the diagram of a request", State: replays}},
	Moves: list([]Move{
		{When: both(field("diagram", "open"), not(completes)), Aside: true, On: screen.Post,
			Key: &keymap.Steps.Show, Does: "close it: this queue pair has posted nothing"},
		{When: field("diagram", "open"), Aside: true, On: screen.Post, Does: "wait: the request is being read"},
		{When: both(not(completes), writerElsewhere), On: screen.Post, Key: &keymap.Post.Other,
			Does: "go to the queue pair that posted it"},
	}, during(not(completes), write.Moves), []Move{
		{On: screen.Post, Key: &keymap.Steps.Show, Does: "show the steps of the last request"},
	}),
}

// replays reports whether the diagram shows a request.
func replays(w *World) bool {
	return w.At == screen.Post && w.Field("diagram") != "" && w.Field("stage") != ""
}

// completes reports whether the queue pair of the form has a request to show.
func completes(w *World) bool { return w.Field("traced") != "" }

// writerElsewhere reports whether the form is for another queue pair than that of the last WRITE, which still exists.
func writerElsewhere(w *World) bool {
	return w.Field("qp") != w.writer && w.Session.QP(w.writer) != nil
}

// does says what happens in each step.
var does = map[string]string{
	stages.Posted.String():       "posted: the program writes the request into the send queue.",
	stages.Fetched.String():      "fetched: the doorbell rang, and the device reads the request.",
	stages.Built.String():        "built: the device reads the memory and makes packets of it.",
	stages.Sent.String():         "sent: the packets leave, with their PSN and ICRC.",
	stages.Placed.String():       "placed: the peer's device checks the rkey and writes the bytes to memory.",
	stages.Acknowledged.String(): "acknowledged: the peer's ACK has come back.",
	stages.CQE.String():          "CQE written: the device puts a completion into the queue.",
	stages.Polled.String():       "polled: the program takes it. The request is done.",
}

var walk = Step{
	Name:  "walk through the steps",
	Why:   "posted, fetched, built, sent, placed, acknowledged, CQE written, polled.",
	Needs: []*Step{&diagram},
	WhyNow: func(w *World) string {
		if text := does[w.Field("stage")]; text != "" && replays(w) {
			return text
		}
		return "posted, fetched, built, sent, placed, acknowledged, CQE written, polled."
	},
	Parts: []Part{stepSeen(stages.Posted), stepSeen(stages.Sent), stepSeen(stages.Placed),
		stepSeen(stages.Acknowledged), stepSeen(stages.Polled)},
	Moves: []Move{
		{When: lastShown, Aside: true, On: screen.Post, Key: &keymap.Steps.Play, Does: "play it again from the start"},
		{Aside: true, On: screen.Post, Key: &keymap.Steps.Next, Does: "go to the next step"},
	},
}

// stepSeen is the part that a step was shown by the diagram.
func stepSeen(s stages.Stage) Part {
	return Part{Name: s.String(), Once: true, State: func(w *World) bool {
		return replays(w) && w.Field("stage") == s.String()
	}}
}

// lastShown reports whether the diagram shows the last step.
func lastShown(w *World) bool { return w.Field("stage") == stages.Polled.String() }
