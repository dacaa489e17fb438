package post

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/screen/replay"
	"rdmatui/ui/widget/frame"
)

// diagramActions are the keys while the diagram of the last request's steps has the screen.
var diagramActions = []page.Action[*Screen]{
	page.On(&keymap.Steps.Play, func(s *Screen) tea.Cmd { s.steps.Toggle(s.now()); return nil }).When(hasSteps),
	page.On(&keymap.Steps.Next, func(s *Screen) tea.Cmd { s.steps.Step(1); return nil }).When(hasSteps),
	page.On(&keymap.StepOn, func(s *Screen) tea.Cmd { s.steps.Step(1); return nil }).When(hasSteps),
	page.On(&keymap.Steps.Prev, func(s *Screen) tea.Cmd { s.steps.Step(-1); return nil }).When(hasSteps),
	page.On(&keymap.Steps.Show, toggleDiagram),
	page.On(&keymap.Form.Submit, (*Screen).post).When(hasQueue),
	page.On(&keymap.Post.Repeat, (*Screen).repeat).When(hasLast),
	page.On(&keymap.Post.Other, (*Screen).otherQP).When(hasOther),
	page.On(&keymap.Explain, explainSteps),
	page.On(&keymap.List.Back, leaveDiagram),
}

func hasSteps(s *Screen) bool { _, ok := s.steps.Request(); return ok }

// toggleDiagram shows the steps of the last request on the whole screen, from the first step on, or all panes again.
func toggleDiagram(s *Screen) tea.Cmd {
	if s.req.qp == "" {
		return page.Warn("no queue pair yet: b creates what is missing, 2 goes to Bring-up")
	}
	s.showMemory(false)
	if s.diagram = !s.diagram; s.diagram {
		s.First, s.Count, s.Focus = paneSteps, 1, paneSteps
		s.steps = new(replay.Replay)
		readAgain(s)
	}
	return nil
}

// leaveDiagram ends the zoom, and then the diagram.
func leaveDiagram(s *Screen) tea.Cmd {
	if s.Back() {
		return nil
	}
	return toggleDiagram(s)
}

// readAgain reads memory and the last request in the next frame.
func readAgain(s *Screen) { s.read1, s.readAt = readKey{}, s.readAt.Add(-quiet) }

// tracedQP returns the queue pair whose last request is followed, "" for none.
func tracedQP(s *Screen) string {
	if !s.diagram {
		return ""
	}
	return s.req.qp
}

func stepsBox(s *Screen) *frame.Box {
	box := frame.New(s.th, s.steps.Title(),
		replay.Block(s.th, s.steps, "No send request of "+s.req.qp+" yet. enter posts one."))
	box.Note = s.steps.Note(s.W - len(box.Title) - 10)
	return box
}

// explainSteps explains the operation, or why it failed.
func explainSteps(s *Screen) tea.Cmd {
	req, ok := s.steps.Request()
	switch {
	case !ok:
		return screen.Explain(explain.Lookup("queue pair")...)
	case req.Done && req.Status != 0:
		return screen.Explain(explain.Lookup("status", req.Status.String())...)
	}
	return screen.Explain(explain.Lookup("wr_opcode", req.Opcode.String())...)
}
