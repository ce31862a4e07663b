package core

// fifo is the order of a FIFO queue. A group is a line of all its messages, hidden ones too, in the order in which
// they were sent. What a group can deliver is what stands before its first hidden message, so a group whose head is
// hidden delivers nothing, and extending the timeout of one message holds back all behind it.
//
// Groups whose head is visible stand in a rotation. One receive drains a group as far as it can before it turns to
// the next; the groups it has served go to the end.
// Recorded 2024-04 to 2025-11: all of these follow from the two rules above, see TestFIFO.
type fifo struct {
	count       *[states]int
	groups      map[string]*line
	first, last *line // the rotation
}

func newFIFO(count *[states]int) *fifo { return &fifo{count: count, groups: map[string]*line{}} }

func (f *fifo) enter(m *message, group string) {
	g := f.groups[group]
	if g == nil {
		g = &line{name: group}
		f.groups[group] = g
	}
	g.append(m)
	f.turn(g)
}

func (f *fifo) changed(m *message, _ state) { f.turn(m.line) }

func (f *fifo) leave(m *message) {
	g := m.line
	g.remove(m)
	f.turn(g)
	if g.first == nil {
		delete(f.groups, g.name)
	}
}

// turn lets a group join or leave the rotation as its head says.
func (f *fifo) turn(g *line) {
	ready := g.first != nil && g.first.state == visible
	switch {
	case ready && !g.ready:
		g.prev, g.next = f.last, nil
		if f.last == nil {
			f.first = g
		} else {
			f.last.next = g
		}
		f.last = g
	case !ready && g.ready:
		f.drop(g)
	}
	g.ready = ready
}

// drop takes a group out of the rotation.
func (f *fifo) drop(g *line) {
	if g.prev == nil {
		f.first = g.next
	} else {
		g.prev.next = g.next
	}
	if g.next == nil {
		f.last = g.prev
	} else {
		g.next.prev = g.prev
	}
	g.prev, g.next = nil, nil
}

func (f *fifo) take(limit int, visit func(m *message) verdict) {
	for g := f.first; g != nil && limit > 0; g = f.first {
		f.drop(g)
		g.ready = false // it rejoins when the messages held here change their state, which they all do
		for m := g.first; m != nil && m.state == visible && limit > 0; m = m.next {
			f.count[visible]--
			f.count[held]++
			m.state = held
			switch visit(m) {
			case taken:
				limit--
			case enough:
				return
			case passed:
			}
		}
	}
}

func (f *fifo) peek(visit func(m *message) bool) {
	for g := f.first; g != nil; g = g.next {
		for m := g.first; m != nil && m.state == visible; m = m.next {
			if !visit(m) {
				return
			}
		}
	}
}

func (f *fifo) advance(instant) {}

func (f *fifo) next() instant { return 0 }

func (f *fifo) deliverable() bool { return f.first != nil }

func (f *fifo) group(m *message) string { return m.line.name }
