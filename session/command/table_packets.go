package command

import "rdmatui/verbs"

var packetCommands = []*Spec{Fault, Capture, SavePackets, SaveIncident, Recorder}

// Fault makes faults.
var Fault = &Spec{
	Name: "fault", Group: "device",
	Summary: "make a software device lose, duplicate, reorder, corrupt or delay the packets that it sends; faults not named are off",
	Args:    faultArgs(),
	Example: "fault soft0 loss=5% duplicate=1% reorder=10% corrupt=0.1% delay=2ms",
	check:   checkFault,
}

// faultArgs describes the fields of verbs.Faults as arguments.
func faultArgs() []Arg {
	args := []Arg{
		object("device", "the software device, open or not; alone: show its faults", KindAvailable),
		Arg{Name: "off", Type: Choice, Choices: []string{"off"}, Doc: "turn all faults off"}.positional(),
	}
	for _, f := range verbs.FaultShares {
		args = append(args, Arg{Name: f.Name, Type: Share, Doc: f.Doc})
	}
	for _, f := range verbs.FaultSpans {
		args = append(args, durationArg(f.Name, "", f.Doc))
	}
	return append(args, uintArg("seed", 64, "", "", "the same seed selects the same packets again; left out: 0"))
}

// Commands about packets.
var (
	Capture = &Spec{
		Name: "capture", Group: "device",
		Summary: "record the packets of a device on the time line, and in a pcapng file for Wireshark; of a device of the host those that pass its network interface",
		Args: []Arg{
			object("device", "a software device, open or not, or an open device of the host", KindAvailable),
			Arg{Name: "switch", Type: Choice, Choices: []string{"on", "off"}, Doc: "on or off"}.positional().required(),
			{Name: "file", Type: NewFile,
				Doc: "the pcapng file to write, which must not exist; quote it if it has spaces"},
			uintArg("limit", 64, "", "", "number of packets after which the capture ends; left out: until off"),
		},
		Example: "capture soft0 on file=soft0.pcapng limit=1000",
	}
	SavePackets = &Spec{
		Name: "save_packets", Group: "device",
		Summary: "write the recorded packets of all devices, or of one, to a pcapng file for Wireshark",
		Args: []Arg{
			Arg{Name: "file", Type: NewFile,
				Doc: "the file, which must not exist; quote it if it has spaces"}.positional().required(),
			objectArg("device", "the device; left out: all", KindAvailable),
		},
		Example: "save_packets wire.pcapng device=soft0",
	}
	SaveIncident = &Spec{
		Name: "save_incident", Group: "device",
		Summary: "write the minutes before a failed completion to NAME.pcapng, with events as comments of packets, and NAME.md; without a failure the newest minutes",
		Args: []Arg{
			Arg{Name: "file", Type: NewFile,
				Doc: "NAME, without an extension; neither file must exist; quote it if it has spaces"}.positional().
				required(),
			uintArg("incident", 64, "", "", "number of the incident; left out: the newest"),
			durationArg("before", "5m", "how much time before the failure"),
		},
		Example: "save_incident bad-rkey before=1m",
	}
	Recorder = &Spec{
		Name: "recorder", Group: "device",
		Summary: "show what the flight recorder keeps, or change it; on the screen it records packets from the start",
		Args: []Arg{
			Arg{Name: "switch", Type: Choice, Choices: []string{"on", "off"},
				Doc: "record whole packets of software devices and open rxe devices, or not; left out: unchanged"}.positional(),
			Arg{Name: "memory", Type: Uint, Bits: 32, Unit: "MiB",
				Doc: "memory for packets, 1 to 4096 MiB; left out: unchanged, 16 at the start"},
		},
		Example: "recorder on memory=64",
		check:   checkRecorder,
	}
)
