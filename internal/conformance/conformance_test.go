package conformance

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	update   = flag.Bool("update", false, "record the answers in testdata anew, and rewrite docs/compatibility.md")
	address  = flag.String("endpoint", "", "`URL` of another implementation of DynamoDB to compare with; its tables named conf-... are replaced")
	requests = flag.Int("requests", 5000, "random requests to compare with -endpoint")
	seed     = flag.Uint64("seed", 1, "of the random requests")
)

// TestCases plays the recorded cases in process.
func TestCases(t *testing.T) {
	for _, s := range loadSessions(t) {
		t.Run(s.file, func(t *testing.T) {
			answers := s.play(t, openInProcess(t), func(int) {})
			if *update {
				s.rewrite(t, answers)
				return
			}
			s.check(t, answers)
		})
	}
}

// TestCasesReopened plays them over HTTP, with the database closed in the middle.
func TestCasesReopened(t *testing.T) {
	if *update {
		t.Skip("the cases are being recorded")
	}
	for _, s := range loadSessions(t) {
		t.Run(s.file, func(t *testing.T) {
			to := openReopened(t)
			s.check(t, s.play(t, to, func(i int) {
				if i == len(s.steps)/2 {
					to.reopen(t)
				}
			}))
		})
	}
}

func (s *session) check(t *testing.T, answers []answer) {
	for i := range s.steps {
		st := &s.steps[i]
		if diff := cmp.Diff(st.want, answers[i].text()); diff != "" {
			t.Errorf("%s\n(-want +got; -update records anew):\n%s", st.describe(), diff)
		}
	}
}

// TestEndpointCases plays the recorded cases at the endpoint.
func TestEndpointCases(t *testing.T) {
	if *address == "" {
		t.Skip("no -endpoint")
	}
	for _, s := range loadSessions(t) {
		t.Run(s.file, func(t *testing.T) {
			to := &endpoint{*address}
			for _, name := range s.made() {
				dropTable(t, to, name)
			}
			ours := s.play(t, openInProcess(t), func(int) {})
			theirs := s.play(t, to, func(int) {})
			for i := range s.steps {
				st := &s.steps[i]
				e := exchange{op: st.op, request: parseRequest(t, st.request), ours: ours[i], theirs: theirs[i]}
				if known := e.known(); known != nil || !e.differs() || st.known != "" {
					continue
				}
				t.Errorf("%s\n(-endpoint +keyfold):\n%s", st.describe(), cmp.Diff(theirs[i].text(), ours[i].text()))
			}
			for _, name := range append(s.made(), s.tables...) {
				dropTable(t, to, name)
			}
		})
	}
}
