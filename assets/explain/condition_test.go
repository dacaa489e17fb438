package explain

import (
	"strings"
	"testing"
)

// TestConditions: a line of a program of which no message is known is told by its words, in any order and as parts of
// names; each answer says that it is likely only.
func TestConditions(t *testing.T) {
	for line, want := range map[string]string{
		"frobd: no heartbeat of the rdma peer, giving up":     "heartbeats are missing",
		"frob: wrong rkey 0x1234 given":                       "the rkey or remote address is wrong",
		"frob_rdma: unsupported opcode for this transport":    "the device lacks a feature",
		"FROB: RDMA handshake failed, giving up":              "the connection cannot be established",
		"frob rdma: PinUserPages failed":                      "memory cannot be registered or mapped",
		"frob rdma: NUMA affinity of thread 3 failed":         "a thread or processor failed",
		"frob: fork of the rdma helper failed":                "fork is not safe",
		"frob rdma: mtu mismatch, 1024 here and 4096 there":   "the MTU does not fit",
		"frob_rdma.cc:7] retries exhausted for node 7":        "retries are used up",
		"frobRdma: error: partition 0x8001 is unknown":        "the P_Key does not fit",
		"frob: rdma: cannot reserve hugepages":                "no huge pages or shared memory",
		"frob: rdma: the version of the peer is incompatible": "versions do not fit",
		"frob: rdma: atomic operations failed":                "atomics are refused",
		"frob rdma: offset is unaligned, failed":              "the alignment is wrong",
		"frob rdma: failed to get an interrupt vector":        "no interrupt vector",
		"frob rdma: refused by the multicast group":           "multicast failed",
		"frob: rdma refused by the GPU":                       "GPU memory cannot be used",
		"frob rdma: failed, as CAP_NET_RAW is missing":        "no permission",
		"frob: iommu refused the rdma device":                 "the IOMMU or DMA refuses",
		"failed to get 16 MSI-X interrupt vectors":            "no interrupt vector", // without RDMA in it
		"failed to make hugepages of 2 MiB":                   "no huge pages or shared memory",
	} {
		a := Read(line)
		if got := firstOf(a); got != "condition "+want {
			t.Errorf("%q: %s, want %s", line, got, want)
			continue
		}
		if here := a.Entries[0].Here; !a.Log || !strings.HasPrefix(here, "the message itself is unknown here; ") {
			t.Errorf("%q: log %v, %q", line, a.Log, here)
		}
	}
}

// TestLikely: what a line is about where it names an attribute, where only another line of the log is about RDMA, where
// a message is like it, and where more is known.
func TestLikely(t *testing.T) {
	const rdma, thread = "rdma: started\n", "frob: cannot start the thread of the poller\n"
	for text, want := range map[string]string{
		"frob rdma: responder_resources refused":  "conn_param responder_resources",
		"frob rdma: qp_num 12 refused by the mtu": "condition the MTU does not fit",
		rdma + thread:                   "condition a thread or processor failed",
		thread:                          "nothing",
		"built without rdma\n" + thread: "nothing",
		"INFO frob: rdma: cannot start the thread":                        "nothing",
		rdma + thread + "ibv_reg_mr: Cannot allocate memory":              "verb_errno ibv_reg_mr ENOMEM",
		"frob rdma: cannot start the thread\nx: No such device":           "errno ENODEV",
		"frob: couldn't create the receiver CQ":                           "verb_call ibv_create_cq",
		"frob: completion queue could not be created":                     "verb_call ibv_create_cq",
		"frob: Create of QP flow 7 failed":                                "condition flow rules or traffic classes are refused",
		"frob: failed to allocate 3 protection domains":                   "verb_call ibv_alloc_pd",
		"rdma: fi_frob() failed: Cannot allocate memory":                  "errno ENOMEM",
		"frob: RDMA_CM_EVENT_ADDR_RESOLVED\nfrob: RDMA_CM_EVENT_REJECTED": "cm_event REJECTED",
	} {
		if got := firstOf(Read(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if a := Read("rdma: fi_frob() failed: Cannot allocate memory"); a.Entries[0].Failed != "fi_frob" {
		t.Errorf("%q failed", a.Entries[0].Failed)
	}
}

// TestNearestMessage: a message is found by most of its rare words, and not by one, nor by words that many have.
func TestNearestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"discarding an unmatched event, so rdma_destroy_id hangs": "librdmacm: Warning: discarding unmatched event - " +
			"rdma_destroy_id may hang.",
		"discarding": "", "failed to create the device": "", "nothing of this is in there": "",
	} {
		got := ""
		if m := theMessages().nearest(bagOf(text, tokens(text)), minNear); m != nil {
			got = m.Name
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWhenIsFound: each line of words finds its condition or one whose words say more; none is out of reach.
func TestWhenIsFound(t *testing.T) {
	x, reached := theIndex(), map[string]bool{}
	for _, c := range x.conditions {
		for _, element := range c.elements[0] {
			words := []string{strings.TrimSuffix(element, "*")}
			for _, e := range c.elements[1:] {
				words = append(words, strings.TrimSuffix(e[0], "*"))
			}
			if e := x.conditionOf(bagOf("", words)); e == nil {
				t.Errorf("%s: %q finds nothing", c.entry.Name, words)
			} else {
				reached[e.Name] = true
			}
		}
	}
	for _, c := range x.conditions {
		if !reached[c.entry.Name] {
			t.Errorf("%s is never found by its own words", c.entry.Name)
		}
	}
}
