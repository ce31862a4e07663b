package core

// line is a list of messages in order, linked through the messages themselves, so that any of them can leave at once.
type line struct {
	name        string
	first, last *message

	// What the orders keep beside the list.
	at         int     // standard: index in the heap of lines of equal priority, -1 when it has no visible message
	tenant     *tenant // standard: whose messages these are
	ready      bool    // FIFO: it stands in the rotation
	prev, next *line
}

func (l *line) append(m *message) {
	m.line, m.prev, m.next = l, l.last, nil
	if l.last == nil {
		l.first = m
	} else {
		l.last.next = m
	}
	l.last = m
}

func (l *line) remove(m *message) {
	if m.prev == nil {
		l.first = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next == nil {
		l.last = m.prev
	} else {
		m.next.prev = m.prev
	}
	m.prev, m.next = nil, nil
}
