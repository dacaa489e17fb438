package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func testObjects(kind ObjectKind) []string {
	return map[ObjectKind][]string{
		KindAvailable: {"soft0", "rxe0"}, KindDevice: {"soft0"}, KindPD: {"pd"}, KindMR: {"src", "dst"},
		KindCQ: {"cq"}, KindQP: {"a", "b"}, KindPeer: {"p"},
	}[kind]
}

func testFields(object string) []string {
	switch object {
	case "src", "dst":
		return []string{"addr", "length", "lkey", "rkey"}
	case "a", "b":
		return []string{"qp_num", "gid", "psn"}
	case "soft0":
		return []string{"port_num"}
	case "p":
		return []string{"qp_num", "gid", "psn"}
	}
	return nil
}

func texts(found []Candidate) string {
	var s []string
	for _, c := range found {
		s = append(s, c.Text)
	}
	return strings.Join(s, " ")
}

func TestComplete(t *testing.T) {
	tests := []struct{ line, want string }{ // | is the cursor
		{"mod|", "modify_cq modify_srq modify_qp"},
		{"MODIFY_Q|", "modify_qp"},
		{"  des|", "destroy_comp_channel destroy_cq destroy_srq destroy_qp destroy_ah"},
		{"zzz|", ""},
		{"zzz |", ""},
		{"exp|", "expect export"},
		{"expect |", "wc mem state async error cm id"},
		{"expect s|", "state"},
		{"expect state |", "a b RESET INIT RTR RTS SQD SQE ERR"},
		{"expect state a R|", "RESET RTR RTS"},
		{"expect error pol|", "poll_cq"},
		{"expect error EINVAL poll_cq |", "cq n= timeout= while="},
		{"repeat 3 repeat 2 post_send a RDMA_R|", "RDMA_READ"},
		{"repeat 3 reg_mr x acc|", "access="},
		{"open_device |", "soft0 rxe0 port_num= sgid_index="},
		{"query_port |", "soft0 port_num="},
		{"modify_qp a RT|", "RTR RTS"},
		{"modify_qp a INIT port_num=|", "soft0.port_num"},
		{"modify_qp RT|", "RTR RTS"},
		{"modify_qp RTR rq|", "rq_psn="},
		{"modify_qp a RTS |", "sq_psn= timeout= retry_cnt= rnr_retry= max_rd_atomic= cur_qp_state= qp_access_flags= qkey= min_rnr_timer= path_mig_state= alt_timeout= alt_port_num= alt_pkey_index= alt_dgid="},
		{"modify_qp a RTS timeout=14 retry_cnt=7 r|", "rnr_retry="},
		{"modify_qp a ERR |", ""},
		{"modify_qp a path_mtu=|", "256 512 1024 2048 4096"},
		{"modify_qp a dest_qp_num=|", "a.qp_num b.qp_num p.qp_num"},
		{"modify_qp a dest_qp_num=b|", "b.qp_num"},
		{"modify_qp a dest_qp_num=b.|", "qp_num gid psn"},
		{"modify_qp a rq_psn=|", "a.psn b.psn p.psn"},
		{"modify_qp a is_global=|", "0 1"},
		{"modify_qp a dgid=b.g|", "gid"},
		{"modify_qp a timeout=|", ""},
		{"modify_qp a timeout=b|", "b."},
		{"modify_qp a timeout=3 timeout=|", ""},
		{"reg_mr x access=|", "LOCAL_WRITE REMOTE_WRITE REMOTE_READ REMOTE_ATOMIC MW_BIND ZERO_BASED ON_DEMAND HUGETLB FLUSH_GLOBAL FLUSH_PERSISTENT RELAXED_ORDERING"},
		{"reg_mr x access=LOCAL_WRITE|REMOTE|", "REMOTE_WRITE REMOTE_READ REMOTE_ATOMIC"},
		{"reg_mr x access=remote_read|REMOTE|", "REMOTE_WRITE REMOTE_ATOMIC"},
		{"fault soft0 loss=|", "1% 10%"},
		{"reg_mr x |", "length= pd= access= backing= dm="},
		{"reg_mr x backing=|", "anonymous file: shm:/ hugetlb hugetlb:2M dmabuf:udmabuf"},
		{"reg_mr x backing=hugetlb |", "length= pd= access="},
		{"reg_mr x backing=shm:/a |", "pd= length= access= offset="},
		{"reg_mr x backing=dmabuf:3 |", "pd= length= access= offset="},
		{"reg_mr x backing=dmabuf:udmabuf |", "length= pd= access="},
		{"reg_mr x dm=d |", "pd= length= access= offset="},
		{"post_send a |", "RDMA_WRITE RDMA_WRITE_WITH_IMM SEND SEND_WITH_IMM RDMA_READ ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD LOCAL_INV BIND_MW SEND_WITH_INV FLUSH ATOMIC_WRITE wr_id= sge= send_flags= imm_data= invalidate_rkey= remote_addr= rkey= compare_add= swap= ah= remote_qpn= remote_qkey= mw= mr= addr= length= mw_access_flags= type= level= count= outstanding= signal_every="},
		{"post_send a SEND |",
			"wr_id= sge= send_flags= ah= remote_qpn= remote_qkey= count= outstanding= signal_every="},
		{"post_send a RDMA_WRITE |", "remote_addr= rkey= wr_id= sge= send_flags= ah= remote_qpn= remote_qkey= count= outstanding= signal_every="},
		{"chain post_send a SEND sge=src ; post_send a SEND sge=d|", "dst"},
		{"chain post_send a SEND sge=s|", "src"},
		{"post_send a SEND sge=|", "src dst"},
		{"post_send a SEND sge=src:0:5,d|", "dst"},
		{"post_send a SEND sge=src:0:d|", "dst."},
		{"post_send a SEND sge=src:0:dst.l|", "length lkey"},
		{"post_send a SEND sge=@dst.a|", "addr"},
		{"post_send a RDMA_WRITE rkey=|", "src.rkey dst.rkey"},
		{"live |", "on off"},
		{"create_qp q qp_type=|", "RC UC UD"},
		{"create_qp q max_send_wr=|", "16"},
		{"write_mem |", "src dst pattern: file: 0x be32: offset="},
		{"connect_qps a |", "a b p port_num= pkey_index= qp_access_flags= path_mtu= sgid_index= hop_limit= traffic_class= sl= qkey= max_dest_rd_atomic= max_rd_atomic= min_rnr_timer= timeout= retry_cnt= rnr_retry="},
		{"close |", "soft0 pd src dst cq a b p"},
		{"help exp|", "expect export"},
		{"rdma_getaddrinfo |", "name= flags= family= qp_type= port_space= src= device= timeout="},
		{"help expect |", "wc mem state async error cm id"},
		{`note "a |`, ""},
		{"note a # rem|", ""},
		{`write_mem "src|"`, ""},
		{"expect wc wr_id=7 st|", "status="},
		{"expect wc wr_id=7 status=RNR|", "RNR_RETRY_EXC_ERR"},
	}
	for _, tt := range tests {
		cursor := strings.LastIndexByte(tt.line, '|')
		line := tt.line[:cursor] + tt.line[cursor+1:]
		if got := texts(Complete(line, cursor, testObjects, testFields)); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// TestCompleteReplaces inserts the only candidate into the line.
func TestCompleteReplaces(t *testing.T) {
	tests := []struct{ before, after string }{
		{"modify_q|", "modify_qp"},
		{"modify_q|xyz a", "modify_qp a"},
		{"repeat 3 poll|  cq", "repeat 3 poll_cq  cq"},
		{"modify_qp a RTS sq|=1", "modify_qp a RTS sq_psn=1"},
		{"modify_qp a RTR dest_qp_num=b|zz rq_psn=1", "modify_qp a RTR dest_qp_num=b.qp_num rq_psn=1"},
		{"reg_mr x access=LOCAL|_W,MW_BIND length=1", "reg_mr x access=LOCAL_WRITE,MW_BIND length=1"},
		{"expect error EINVAL expect st|", "expect error EINVAL expect state"},
		{"post_send a SEND sge=src:0:5,d|:0:5", "post_send a SEND sge=src:0:5,dst:0:5"},
		{"post_send a RDMA_WRITE rkey=dst.rk|", "post_send a RDMA_WRITE rkey=dst.rkey"},
	}
	for _, tt := range tests {
		line, after, _ := strings.Cut(tt.before, "|")
		cursor := len(line)
		line += after
		found := Complete(line, cursor, testObjects, testFields)
		if len(found) != 1 {
			t.Errorf("%s: %s", tt.before, texts(found))
			continue
		}
		c := found[0]
		if got := line[:c.From] + c.Text + line[c.To:]; got != tt.after {
			t.Errorf("%s became %s, want %s", tt.before, got, tt.after)
		}
	}
}

func TestCompleteBounds(t *testing.T) {
	many := func(kind ObjectKind) []string {
		var names []string
		for i := range 10000 {
			names = append(names, fmt.Sprint(kind, i))
		}
		return names
	}
	if got := len(Complete("close ", 6, many, nil)); got != maxCandidates {
		t.Errorf("%d candidates", got)
	}
	for _, cursor := range []int{-5, 0, 99} {
		Complete("poll_cq", cursor, nil, nil) // must not panic
	}
	if got := Complete("close ", 6, nil, nil); got != nil {
		t.Errorf("without objects: %v", got)
	}
	const reference = "modify_qp a RTR dest_qp_num=b."
	if got := Complete(reference, len(reference), many, nil); got != nil {
		t.Errorf("without fields: %v", got)
	}
}

// TestEveryCandidateSays: every candidate has a text for the console's second column.
func TestEveryCandidateSays(t *testing.T) {
	lines := []string{"", "modify_qp a RTR ", "post_send a ", "expect ", "close ", "reg_mr x access=", "write_mem ",
		"create_qp q qp_type="}
	for _, line := range lines {
		for _, c := range Complete(line, len(line), testObjects, testFields) {
			if c.Doc == "" || strings.ContainsAny(c.Doc, "\n\t") {
				t.Errorf("%q offers %s with the text %q", line, c.Text, c.Doc)
			}
		}
	}
}

func TestEveryCommandIsOffered(t *testing.T) {
	for _, s := range Commands {
		words := strings.Fields(s.Name)
		last := words[len(words)-1]
		line := strings.TrimSuffix(s.Name, last)
		found := Complete(line, len(line), nil, nil)
		if !slices.ContainsFunc(found, func(c Candidate) bool { return c.Text == last && c.Doc == s.Summary }) {
			t.Errorf("%s is not offered", s.Name)
		}
	}
}
