package command

var packetCommands = []Spec{
	{
		Name: "capture", Group: "device",
		Summary: "put the packets of a software device on the time line, and into a pcapng file for Wireshark",
		Args: []Arg{
			object("device", "the software device, open or not", KindAvailable),
			Arg{Name: "switch", Type: Choice, Choices: []string{"on", "off"}, Doc: "on or off"}.positional().required(),
			{Name: "file", Type: NewFile, Doc: "the pcapng file to write, which must not be there yet; quote it if it has spaces"},
			uintArg("limit", 64, "", "", "how many packets to take; it then ends by itself; left out: it goes on until off"),
		},
		Example: "capture soft0 on file=soft0.pcapng limit=1000",
	},
	{
		Name: "save_packets", Group: "device",
		Summary: "write the packets that are kept, of all software devices or one, to a pcapng file for Wireshark",
		Args: []Arg{
			Arg{Name: "file", Type: NewFile, Doc: "the file, which must not be there yet; quote it if it has spaces"}.positional().required(),
			objectArg("device", "the software device; left out: all", KindAvailable),
		},
		Example: "save_packets wire.pcapng device=soft0",
	},
}
