package burst

import "bytes"

// maxRight is the longest reply that is kept to compare others with.
const maxRight = 64 << 10

// rightBodies are replies that were found right, by the place in the lists that the checks refer to: the next one of the
// same bytes needs no second look. The zero value keeps nothing.
type rightBodies struct {
	by     *part // any of the parts that choose: lists of one length are chosen from alike
	bodies [][]byte
}

// newRightBodies keeps replies to requests whose checks follow from the key alone, by lists of one length.
func newRightBodies(checks []probe) rightBodies {
	if len(checks) == 0 {
		return rightBodies{}
	}
	var chosen *part
	plain := func(t text) bool {
		for i := range t {
			switch p := &t[i]; {
			case p.kind == literal:
			case p.kind != listPart, chosen != nil && len(p.list) != len(chosen.list):
				return false
			default:
				chosen = p
			}
		}
		return true
	}
	for i := range checks {
		c := &checks[i]
		if c.kind == probeLeast || c.every > 1 || !plain(c.want) {
			return rightBodies{}
		}
		for _, step := range c.path {
			if !plain(step.where) {
				return rightBodies{}
			}
		}
	}
	if chosen == nil {
		return rightBodies{bodies: make([][]byte, 1)}
	}
	return rightBodies{by: chosen, bodies: make([][]byte, len(chosen.list))}
}

func (r *rightBodies) of(v *vars) *[]byte {
	if r.by == nil {
		return &r.bodies[0]
	}
	return &r.bodies[r.by.place(v)]
}

// isKnown reports whether the reply is one that was found right before.
func (r *rightBodies) isKnown(body []byte, v *vars) bool {
	return len(r.bodies) > 0 && len(body) > 0 && bytes.Equal(*r.of(v), body)
}

// keep notes a reply that is right.
func (r *rightBodies) keep(body []byte, v *vars) {
	if len(r.bodies) > 0 && len(body) <= maxRight {
		kept := r.of(v)
		*kept = append((*kept)[:0], body...)
	}
}
