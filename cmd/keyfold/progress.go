package main

import (
	"fmt"
	"sync"
	"time"
)

// A progress is one line on the terminal that shows how far a long work is. It appears
// after a second and goes away at the end; without a terminal there is nothing.
type progress struct {
	c       *console
	label   string
	mu      sync.Mutex
	text    string
	shown   bool
	stopped bool
	done    chan struct{}
}

// appearAfter is how long a work goes on before its progress shows.
const appearAfter = time.Second

func (c *console) progress(label string) *progress {
	p := &progress{c: c, label: label, done: make(chan struct{})}
	if c.live {
		go p.draw()
	}
	return p
}

// at tells how far the work is. It is safe for concurrent use.
func (p *progress) at(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("%d of %d", done, total)
	if total > 0 {
		p.text += fmt.Sprintf(", %d%%", 100*done/total)
	}
}

func (p *progress) draw() {
	select {
	case <-p.done:
		return
	case <-time.After(appearAfter):
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		if p.stopped {
			p.mu.Unlock()
			return
		}
		fmt.Fprintf(p.c.err, "\r\x1b[K%s %s", p.label, p.text)
		p.shown = true
		p.mu.Unlock()
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
	}
}

// stop takes the line away. It may be called more than once.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.done)
	if p.shown {
		fmt.Fprint(p.c.err, "\r\x1b[K")
	}
}
