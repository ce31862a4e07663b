package badger

import "sync"

// gate counts the readers of a store, so that Badger is never closed under one. It is no sync.RWMutex because the
// function that Load calls may read the store as well, and a nested read lock would wait for ever behind a waiting
// writer. The zero gate is open.
type gate struct {
	mu      sync.Mutex
	inside  int
	refusal error         // why nobody may enter; nil means open
	empty   chan struct{} // made by drain, closed by the last to leave
}

// enter returns an error, and is then not to be followed by leave, while the gate is shut.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal == nil {
		g.inside++
	}
	return g.refusal
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// shut makes enter fail with reason from now on. Who is inside stays there.
func (g *gate) shut(reason error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refusal = reason
}

func (g *gate) open() {
	g.shut(nil)
}

// drain waits until nobody is inside a gate that is shut. One goroutine at a time may call it.
func (g *gate) drain() {
	g.mu.Lock()
	if g.inside == 0 {
		g.mu.Unlock()
		return
	}
	empty := make(chan struct{})
	g.empty = empty
	g.mu.Unlock()
	<-empty
}
