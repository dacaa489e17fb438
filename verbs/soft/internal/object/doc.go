// Package object has what all objects of a software device have in common, whichever package they live in: the context they are made on
// and its lock, who still uses them, the quota they are counted in, the events they raise, and the random numbers they are named by.
//
// Nothing here knows what an object does: no memory, no packets, no connections.
package object
