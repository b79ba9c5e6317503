package burst

// timers is a heap of the peers that are to be woken, the first one in front. Each knows its place.
type timers []*peer

// set moves a peer to another moment; never takes it out.
func (t *timers) set(p *peer, moment int64) {
	switch {
	case moment == p.wakeAt:
		return
	case p.timer < 0:
		p.wakeAt, p.timer = moment, len(*t)
		*t = append(*t, p)
		t.up(p.timer)
	case moment == never:
		p.wakeAt = never
		t.remove(p.timer)
	default:
		earlier := moment < p.wakeAt
		p.wakeAt = moment
		if earlier {
			t.up(p.timer)
		} else {
			t.down(p.timer)
		}
	}
}

func (t *timers) remove(at int) {
	heap := *t
	last := len(heap) - 1
	heap[at].timer = -1
	moved := heap[last]
	heap[last] = nil
	*t = heap[:last]
	if at == last {
		return
	}
	heap[at], moved.timer = moved, at
	t.up(at)
	t.down(moved.timer)
}

func (t timers) up(at int) {
	for p := t[at]; at > 0; {
		parent := (at - 1) / 2
		if t[parent].wakeAt <= p.wakeAt {
			return
		}
		t.swap(at, parent)
		at = parent
	}
}

func (t timers) down(at int) {
	for {
		child := 2*at + 1
		if child >= len(t) {
			return
		}
		if right := child + 1; right < len(t) && t[right].wakeAt < t[child].wakeAt {
			child = right
		}
		if t[at].wakeAt <= t[child].wakeAt {
			return
		}
		t.swap(at, child)
		at = child
	}
}

func (t timers) swap(a, b int) {
	t[a], t[b] = t[b], t[a]
	t[a].timer, t[b].timer = a, b
}
