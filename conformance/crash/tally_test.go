package crash_test

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// tally counts what was done and what was compared, for the table at the end.
type tally struct {
	mu       sync.Mutex
	counts   map[string]int
	restarts []time.Duration
}

// What is counted, in the order of the table. The ends of processes come first.
const (
	requestsJSON  = "requests answered, SQS JSON"
	requestsQuery = "requests answered, SQS Query"
	requestsMNS   = "requests answered, MNS"
	noAnswers     = "requests without an answer: they may have happened or not"

	foundAgain    = "acknowledged messages found again, once"
	heldDeletions = "acknowledged deletions that held"
	wholeBatches  = "batches stored as a whole or not at all"
	sameBodies    = "bodies, attributes and ids as they were sent"
	receiveCounts = "receive counts"
	deadlines     = "visibility deadlines"
	delays        = "delays"
	oldReceipts   = "receipts of the dead process"
	inOrder       = "FIFO deliveries in the order of their groups"
	repeatedSends = "repeated sends recognized by their deduplication ids"
	repeatedTakes = "receives repeated under their attempt ids"
	movesFinished = "move tasks that went on after the restart"
	copies        = "publications in all 12 queues of their topic, or none"
	pushes        = "publications pushed, though one in five is refused at first"
	queueSettings = "settings, tags and purges of queues"
	countsOfQueue = "numbers of messages, exact or within what is unknown"
)

var rows = []string{
	requestsJSON, requestsQuery, requestsMNS, noAnswers, "",
	foundAgain, heldDeletions, wholeBatches, sameBodies, receiveCounts, deadlines, delays, oldReceipts, inOrder,
	repeatedSends, repeatedTakes, movesFinished, copies, pushes, queueSettings, countsOfQueue,
}

var checked = &tally{counts: map[string]int{}}

func (c *tally) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what] += n
}

// received counts what a check is about to compare of a message that it was delivered.
func (c *tally) received(m *message) {
	c.add(sameBodies, 1)
	c.add(receiveCounts, 1)
	switch {
	case m.hidden.from.IsZero():
	case m.delayed:
		c.add(delays, 1)
	default:
		c.add(deadlines, 1)
	}
}

// ended counts the end of a process.
func (c *tally) ended(at moment, powerCut bool) {
	if powerCut {
		c.add("power cuts "+string(at), 1)
	} else {
		c.add("kills "+string(at), 1)
	}
}

// ends is all that ended counts.
func ends() (all []string) {
	for _, how := range []string{"kills ", "power cuts "} {
		for _, at := range moments {
			all = append(all, how+string(at))
		}
	}
	return all
}

// restarted notes how long a start took until the program was ready.
func (c *tally) restarted(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restarts = append(c.restarts, took)
}

// answered counts a request by its protocol.
func (c *tally) answered(header map[string]string, err error) {
	switch {
	case err != nil:
		c.add(noAnswers, 1)
	case header["X-Amz-Target"] != "":
		c.add(requestsJSON, 1)
	case header["x-mns-version"] != "":
		c.add(requestsMNS, 1)
	default:
		c.add(requestsQuery, 1)
	}
}

// print writes the table of a campaign, if there was one.
func (c *tally) print(to io.Writer, passed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.restarts) == 0 {
		return
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(to)
	for _, what := range append(append(ends(), ""), rows...) {
		if what == "" {
			fmt.Fprintln(w, "\t")
			continue
		}
		if c.counts[what] == 0 {
			continue
		}
		fmt.Fprintf(w, "%d\t  %s\n", c.counts[what], what)
	}
	slices.Sort(c.restarts)
	fmt.Fprintf(w, "\t\n%d\t  starts: median %v, slowest %v\n", len(c.restarts),
		c.restarts[len(c.restarts)/2].Round(time.Millisecond), c.restarts[len(c.restarts)-1].Round(time.Millisecond))
	_ = w.Flush()
	if passed {
		fmt.Fprintln(to, "\nNothing that was acknowledged was lost, and nothing came back.")
	} else {
		fmt.Fprintln(to, "\nFAILED: see above for what did not hold.")
	}
}
