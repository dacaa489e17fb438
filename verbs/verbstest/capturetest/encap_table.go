package capturetest

// Encapsulations are the encapsulations, each by itself.
var Encapsulations = []Encapsulation{
	{Name: "plain", Link: 1, Tshark: true, Wrap: func(f []byte) []byte { return f }},
	{Name: "VLAN", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0x81, 0, 0x60, 5}, f[12:])
	}},
	{Name: "QinQ", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0x88, 0xa8, 0, 9, 0x81, 0, 0x60, 5}, f[12:])
	}},
	{Name: "E-tag", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0x89, 0x3f, 0, 0, 0, 7, 0, 0}, f[12:])
	}},
	{Name: "VN-tag", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0x89, 0x26, 0, 1, 0, 2}, f[12:])
	}},
	{Name: "R-tag", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0xf1, 0xc1, 0, 0, 0, 2}, f[12:])
	}},
	{Name: "MACsec without encryption", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		return join(f[:12], []byte{0x88, 0xe5, 0x20, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0, 1}, f[12:], make([]byte, 16))
	}},
	{Name: "SNAP", Link: 1, Tshark: true, Wrap: func(f []byte) []byte {
		n := len(f) - EthernetLen + 8
		if n > 1500 {
			n = 0x8870 // the Ethernet type of longer frames
		}
		return join(f[:12], be16(n), []byte{0xaa, 0xaa, 3, 0, 0, 0}, etherType(f), packet(f))
	}},
	{Name: "VXLAN", Link: 1, Tshark: true, Outer: "VXLAN vni 5001 " + ports(ends4, "4789"),
		Wrap: func(f []byte) []byte { return udp4(4789, []byte{8, 0, 0, 0, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN over IPv6", Link: 1, Tshark: true, Outer: "VXLAN vni 5001 " + ports(ends6, "4789"),
		Wrap: func(f []byte) []byte { return udp6(4789, []byte{8, 0, 0, 0, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN with a group policy", Link: 1, Tshark: true, Outer: "VXLAN vni 5001 " + ports(ends4, "4789"),
		Wrap: func(f []byte) []byte { return udp4(4789, []byte{0x88, 0, 0, 3, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN on Linux's port", Link: 1, Tshark: true, As: []string{"-d", "udp.port==8472,vxlan"},
		Outer: "VXLAN vni 5001 " + ports(ends4, "8472"),
		Wrap:  func(f []byte) []byte { return udp4(8472, []byte{8, 0, 0, 0, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN on a port of choice", Link: 1, Tshark: true, As: []string{"-d", "udp.port==14789,vxlan"},
		Outer: "VXLAN vni 5001 " + ports(ends4, "14789"),
		Wrap:  func(f []byte) []byte { return udp4(14789, []byte{8, 0, 0, 0, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN-GPE", Link: 1, Tshark: true, Outer: "VXLAN-GPE vni 5001 " + ports(ends4, "4790"),
		Wrap: func(f []byte) []byte { return udp4(4790, []byte{0xc, 0, 0, 3, 0, 0x13, 0x89, 0}, f) }},
	{Name: "VXLAN-GPE with IP", Link: 1, Bare: true, Tshark: true, Outer: "VXLAN-GPE vni 5001 " + ports(ends4, "4790"),
		Wrap: func(f []byte) []byte { return udp4(4790, []byte{0xc, 0, 0, gpe(f), 0, 0x13, 0x89, 0}, packet(f)) }},
	{Name: "NSH in VXLAN-GPE", Link: 1, Tshark: true,
		Outer: "VXLAN-GPE vni 5001 " + ports(ends4, "4790") + " / NSH spi 66",
		Wrap: func(f []byte) []byte {
			return udp4(4790, []byte{0xc, 0, 0, 4, 0, 0x13, 0x89, 0}, nsh, f)
		}},
	{Name: "GENEVE", Link: 1, Tshark: true, Outer: "GENEVE vni 5001 " + ports(ends4, "6081"),
		Wrap: func(f []byte) []byte { return udp4(6081, []byte{0, 0, 0x65, 0x58, 0, 0x13, 0x89, 0}, f) }},
	{Name: "GENEVE with options", Link: 1, Tshark: true, Outer: "GENEVE vni 5001 " + ports(ends4, "6081"),
		Wrap: func(f []byte) []byte {
			return udp4(6081, []byte{2, 0, 0x65, 0x58, 0, 0x13, 0x89, 0, 1, 2, 0x80, 1, 1, 2, 3, 4}, f)
		}},
	{Name: "GENEVE with IP", Link: 1, Bare: true, Tshark: true, Outer: "GENEVE vni 5001 " + ports(ends4, "6081"),
		Wrap: func(f []byte) []byte {
			return udp4(6081, []byte{0, 0}, etherType(f), []byte{0, 0x13, 0x89, 0}, packet(f))
		}},
	{Name: "GRE with IP", Link: 1, Bare: true, Tshark: true, Outer: "GRE " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0, 0}, etherType(f), packet(f))) }},
	{Name: "GRE over IPv6", Link: 1, Bare: true, Tshark: true, Outer: "GRE " + ends6,
		Wrap: func(f []byte) []byte { return ip6(47, join([]byte{0, 0}, etherType(f), packet(f))) }},
	{Name: "GRE with checksum, key and sequence", Link: 1, Bare: true, Tshark: true, Outer: "GRE key 77 " + ends4,
		Wrap: func(f []byte) []byte {
			return ip4(47, join([]byte{0xb0, 0}, etherType(f), be32(0), be32(77), be32(1), packet(f)))
		}},
	{Name: "GRE with Ethernet", Link: 1, Tshark: true, Outer: "GRE " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0, 0, 0x65, 0x58}, f)) }},
	{Name: "GRE in UDP", Link: 1, Tshark: true, Outer: "GRE " + ports(ends4, "4754"),
		Wrap: func(f []byte) []byte { return udp4(4754, []byte{0, 0, 0x65, 0x58}, f) }},
	{Name: "PPP in GRE", Link: 1, Bare: true, Tshark: true, Outer: "GRE key 4587520 " + ends4, // length 70, call 0
		Wrap: func(f []byte) []byte {
			return ip4(47, join(pptp, []byte{0xff, 3}, ppp(f), packet(f)))
		}},
	{Name: "NVGRE", Link: 1, Tshark: true, Outer: "NVGRE vsid 5001 " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0x20, 0, 0x65, 0x58, 0, 0x13, 0x89, 7}, f)) }},
	{Name: "ERSPAN I", Link: 1, Tshark: true, Outer: "ERSPAN I " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0, 0, 0x88, 0xbe}, f)) }},
	{Name: "ERSPAN II", Link: 1, Tshark: true, Outer: "ERSPAN II session 33 " + ends4,
		Wrap: func(f []byte) []byte {
			return ip4(47, join([]byte{0x10, 0, 0x88, 0xbe}, be32(1), []byte{0x10, 9, 0x18, 33, 0, 0, 0, 1}, f))
		}},
	{Name: "ERSPAN II over IPv6", Link: 1, Tshark: true, Outer: "ERSPAN II session 33 " + ends6,
		Wrap: func(f []byte) []byte {
			return ip6(47, join([]byte{0x10, 0, 0x88, 0xbe}, be32(1), []byte{0x10, 9, 0x18, 33, 0, 0, 0, 1}, f))
		}},
	{Name: "ERSPAN III", Link: 1, Tshark: true, Outer: "ERSPAN III session 33 " + ends4,
		Wrap: func(f []byte) []byte {
			return ip4(47, join(erspan3, []byte{0, 0, 0, 0}, f))
		}},
	{Name: "ERSPAN III of a platform", Link: 1, Tshark: true, Outer: "ERSPAN III session 33 " + ends4,
		Wrap: func(f []byte) []byte {
			return ip4(47, join(erspan3, []byte{0, 0, 0, 1}, make([]byte, 8), f))
		}},
	{Name: "Everflow of NVIDIA", Link: 1, Outer: "Everflow " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0, 0, 0x89, 0x49}, make([]byte, 22), f)) }},
	{Name: "Everflow of others", Link: 1, Outer: "Everflow " + ends4,
		Wrap: func(f []byte) []byte { return ip4(47, join([]byte{0, 0, 0x88, 0xbe}, make([]byte, 12), f)) }},
	{Name: "MPLS with IP", Link: 1, Bare: true, Tshark: true, Outer: "MPLS label 17 " + macs,
		Wrap: func(f []byte) []byte { return eth(0x8847, join(be32(99<<12|64), be32(17<<12|1<<8|64), packet(f))) }},
	{Name: "MPLS with a control word", Link: 1, Tshark: true, As: []string{"-d", "mpls.label==17,pwethcw"},
		Outer: "MPLS label 17 " + macs,
		Wrap:  func(f []byte) []byte { return eth(0x8847, join(be32(17<<12|1<<8|64), be32(0), f)) }},
	{Name: "MPLS with Ethernet", Link: 1, Tshark: true, As: []string{"-d", "mpls.label==17,pwethnocw"},
		Outer: "MPLS label 17 " + macs,
		Wrap:  func(f []byte) []byte { return eth(0x8847, join(be32(17<<12|1<<8|64), f)) }},
	{Name: "MPLS in UDP", Link: 1, Bare: true, Tshark: true, Outer: "MPLS label 17 " + ports(ends4, "6635"),
		Wrap: func(f []byte) []byte { return udp4(6635, be32(17<<12|1<<8|64), packet(f)) }},
	{Name: "MPLS in GRE", Link: 1, Bare: true, Tshark: true, Outer: "GRE " + ends4 + " / MPLS label 17",
		Wrap: func(f []byte) []byte {
			return ip4(47, join([]byte{0, 0, 0x88, 0x47}, be32(17<<12|1<<8|64), packet(f)))
		}},
	{Name: "MPLS in IP", Link: 1, Bare: true, Tshark: true, Outer: "MPLS label 17 " + ends4,
		Wrap: func(f []byte) []byte { return ip4(137, join(be32(17<<12|1<<8|64), packet(f))) }},
	{Name: "IP in IPv4", Link: 1, Bare: true, Tshark: true, Outer: "IP-in-IP " + ends4,
		Wrap: func(f []byte) []byte { return ip4(version(f), packet(f)) }},
	{Name: "IP in IPv6", Link: 1, Bare: true, Tshark: true, Outer: "4in6 " + ends6,
		Wrap: func(f []byte) []byte { return ip6(version(f), packet(f)) }},
	{Name: "SRv6", Link: 1, Bare: true, Tshark: true, Outer: "SRv6 " + ends6,
		Wrap: func(f []byte) []byte { return ip6(43, join(srh(version(f)), packet(f))) }},
	{Name: "SRv6 with Ethernet", Link: 1, Tshark: true, Outer: "SRv6 " + ends6,
		Wrap: func(f []byte) []byte { return ip6(43, join(srh(143), f)) }},
	{Name: "EtherIP", Link: 1, Tshark: true, Outer: "EtherIP " + ends4,
		Wrap: func(f []byte) []byte { return ip4(97, join([]byte{0x30, 0}, f)) }},
	{Name: "authentication header", Link: 1, Bare: true, Tshark: true, Outer: "IP-in-IP " + ends4,
		Wrap: func(f []byte) []byte {
			return ip4(51, join([]byte{version(f), 4, 0, 0}, be32(1), be32(2), make([]byte, 12), packet(f)))
		}},
	{Name: "GTP-U", Link: 1, Bare: true, Tshark: true, Outer: "GTP-U teid 4660 " + ports(ends4, "2152"),
		Wrap: func(f []byte) []byte {
			return udp4(2152, []byte{0x30, 255}, be16(len(packet(f))), be32(4660), packet(f))
		}},
	{Name: "GTP-U with an extension", Link: 1, Bare: true, Tshark: true,
		Outer: "GTP-U teid 4660 " + ports(ends4, "2152"),
		Wrap: func(f []byte) []byte {
			return udp4(2152, []byte{0x34, 255}, be16(8+len(packet(f))), be32(4660), gtpExtension, packet(f))
		}},
	{Name: "PPPoE", Link: 1, Bare: true, Tshark: true, Outer: "PPPoE session 9 " + macs,
		Wrap: func(f []byte) []byte { return eth(0x8864, pppoe(f)) }},
	{Name: "MAC-in-MAC", Link: 1, Tshark: true, Outer: "MAC-in-MAC isid 5001 " + macs + " vlan 3",
		Wrap: func(f []byte) []byte {
			return eth(0x88a8, join([]byte{0, 3, 0x88, 0xe7, 0, 0, 0x13, 0x89}, f))
		}},
	{Name: "TRILL", Link: 1, Tshark: true, Outer: "TRILL " + macs,
		Wrap: func(f []byte) []byte { return eth(0x22f3, join([]byte{0, 0x3f, 0, 1, 0, 2}, f)) }},
	{Name: "FabricPath", Link: 1, Outer: "FabricPath " + macs,
		Wrap: func(f []byte) []byte { return eth(0x8903, join([]byte{0, 0x60}, f)) }},
	{Name: "L2TPv2", Link: 1, Bare: true, Tshark: true, Outer: "L2TPv2 session 5 " + ports(ends4, "1701"),
		Wrap: func(f []byte) []byte {
			return udp4(1701, []byte{0x40, 2}, be16(12+len(packet(f))), []byte{0, 4, 0, 5, 0xff, 3}, ppp(f), packet(f))
		}},
	{Name: "L2TPv3", Link: 1, Outer: "L2TPv3 session 5 " + ends4,
		Wrap: func(f []byte) []byte { return ip4(115, join(be32(5), be32(0), f)) }},
	{Name: "L2TPv3 with a cookie, in UDP", Link: 1, Outer: "L2TPv3 session 5 " + ports(ends4, "1701"),
		Wrap: func(f []byte) []byte { return udp4(1701, []byte{0, 3, 0, 0}, be32(5), []byte("cookie64"), f) }},
	{Name: "TZSP", Link: 1, Tshark: true, Outer: "TZSP " + ports(ends4, "37008"),
		Wrap: func(f []byte) []byte { return udp4(37008, []byte{1, 0, 0, 1, 0, 10, 1, 200, 1}, f) }},
	{Name: "LISP", Link: 1, Bare: true, Tshark: true, Outer: "LISP " + ports(ends4, "4341"),
		Wrap: func(f []byte) []byte { return udp4(4341, make([]byte, 8), packet(f)) }},
	{Name: "GUE", Link: 1, Bare: true, Outer: "GUE " + ports(ends4, "6080"),
		Wrap: func(f []byte) []byte { return udp4(6080, []byte{0, version(f), 0, 0}, packet(f)) }},
	{Name: "Jmirror", Link: 1, Bare: true, Tshark: true, Outer: "Jmirror session 6 " + ports(ends4, "30030"),
		Wrap: func(f []byte) []byte { return udp4(30030, be32(5), be32(6), packet(f)) }},
	{Name: "mirror of HP", Link: 1, Tshark: true, As: []string{"-d", "udp.port==7777,hp_erm"},
		Outer: "HP ERM " + ports(ends4, "7777"),
		Wrap:  func(f []byte) []byte { return udp4(7777, make([]byte, 12), f) }},
	{Name: "mirrored VXLAN", Link: 1, Tshark: true,
		Outer: "ERSPAN II session 33 " + ends4 + " / VXLAN vni 5001 " + ports(ends4, "4789"),
		Wrap: func(f []byte) []byte {
			return ip4(47, join([]byte{0x10, 0, 0x88, 0xbe}, be32(1), []byte{0x10, 9, 0x18, 33, 0, 0, 0, 1},
				udp4(4789, []byte{8, 0, 0, 0, 0, 0x13, 0x89, 0}, f)))
		}},
	{Name: "raw IP", Link: 101, Bare: true, Tshark: true, Wrap: packet},
	{Name: "loopback", Link: 0, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join([]byte{2, 0, 0, 0}, packet(f))
	}},
	{Name: "Linux cooked", Link: 113, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join([]byte{0, 0}, make([]byte, 12), etherType(f), packet(f))
	}},
	{Name: "Linux cooked v2", Link: 276, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join(etherType(f), make([]byte, 18), packet(f))
	}},
	{Name: "PPP", Link: 9, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join([]byte{0xff, 3}, ppp(f), packet(f))
	}},
	{Name: "PPP in HDLC", Link: 50, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join([]byte{0xff, 3}, ppp(f), packet(f))
	}},
	{Name: "Cisco HDLC", Link: 104, Bare: true, Tshark: true, Wrap: func(f []byte) []byte {
		return join([]byte{0x0f, 0}, etherType(f), packet(f))
	}},
	{Name: "MPLS alone", Link: 219, Bare: true, Outer: "MPLS label 17", Wrap: func(f []byte) []byte {
		return join(be32(17<<12|1<<8|64), packet(f))
	}},
	{Name: "ERF with Ethernet", Link: 197, Tshark: true, Wrap: func(f []byte) []byte {
		return erf(2, nil, join([]byte{0, 0}, f))
	}},
	{Name: "ERF with extensions", Link: 197, Tshark: true, Wrap: func(f []byte) []byte {
		return erf(0x82, []byte{0x83, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}, join([]byte{0, 0}, f))
	}},
}
