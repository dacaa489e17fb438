// Package netns gives tests a network namespace of their own, in which they may open packet sockets.
package netns
