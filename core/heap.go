package core

// heap is a binary min-heap that tells its items where they stand, so that any of them can be taken out or moved in
// O(log n) steps.
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
	place func(item T, index int) // -1 when the item has left
}

func (h *heap[T]) len() int { return len(h.items) }

// min returns the least item. The heap must not be empty.
func (h *heap[T]) min() T { return h.items[0] }

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	h.place(item, len(h.items)-1)
	h.up(len(h.items) - 1)
}

func (h *heap[T]) remove(i int) {
	last := len(h.items) - 1
	item := h.items[i]
	h.swap(i, last)
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	if i < last {
		h.fix(i)
	}
	h.place(item, -1)
	if last == 0 && cap(h.items) > 1024 {
		h.items = nil // a drained queue gives its memory back
	}
}

// fix restores the order after the item at i has changed.
func (h *heap[T]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T]) swap(i, j int) {
	if i == j {
		return
	}
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.place(h.items[i], i)
	h.place(h.items[j], j)
}

func (h *heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap[T]) down(i int) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.less(h.items[right], h.items[child]) {
			child = right
		}
		if !h.less(h.items[child], h.items[i]) {
			break
		}
		h.swap(i, child)
		i = child
	}
	return i > start
}
