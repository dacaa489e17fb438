package command

import "testing"

// TestRenamed: names of objects change wherever an argument has them; text, choices, fields and comments do not.
func TestRenamed(t *testing.T) {
	rename := func(name string) string {
		if name == "a" || name == "INIT" {
			return "x-" + name
		}
		return name
	}
	for line, want := range map[string]string{
		"":                             "",
		"# alloc a":                    "# alloc a",
		"alloc_pd a device=soft0  # a": "alloc_pd x-a device=soft0  # a",
		"alloc_pd b device=a":          "alloc_pd b device=x-a",
		"reg_mr a pd=a length=a.length access=local_write":         "reg_mr x-a pd=x-a length=x-a.length access=local_write",
		"reg_mr access=LOCAL_WRITE length=64 pd=a name=a":          "reg_mr access=LOCAL_WRITE length=64 pd=x-a name=x-a",
		"modify_qp a INIT port_num=a.port_num":                     "modify_qp x-a INIT port_num=x-a.port_num",
		"modify_qp b INIT port_num=1":                              "modify_qp b INIT port_num=1",
		"post_send a SEND sge=a,b:0:4,a:a.length:1 wr_id=1":        "post_send x-a SEND sge=x-a,b:0:4,x-a:x-a.length:1 wr_id=1",
		"post_send b SEND sge=@a.addr+16:4:a.lkey":                 "post_send b SEND sge=@x-a.addr+16:4:x-a.lkey",
		"repeat 2 post_send a SEND sge=a":                          "repeat 2 post_send x-a SEND sge=x-a",
		"write_mem a \"a a.addr\"":                                 "write_mem x-a \"a a.addr\"",
		"write_mem a le64:a.addr,le32:b.rkey":                      "write_mem x-a le64:x-a.addr,le32:b.rkey",
		"write_mem a pattern:a.length:3":                           "write_mem x-a pattern:x-a.length:3",
		"until expect mem a 0 \"a\"":                               "until expect mem x-a 0 \"a\"",
		"connect_qps a a-1":                                        "connect_qps x-a a-1",
		"rdma_get_cm_event CONNECT_REQUEST id=a name=a timeout=1s": "rdma_get_cm_event CONNECT_REQUEST id=x-a name=x-a timeout=1s",
	} {
		if got := mustParse(t, line).Renamed(rename); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
