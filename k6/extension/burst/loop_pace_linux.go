package burst

import "context"

// The operations of a paced race come due on its connections in turn, so the peers of a loop are due in turn too:
// the cursor counts the turns and no queue is needed.

// nextDue returns when the turn at the cursor is due.
func (l *loop) nextDue() int64 {
	n := int64(len(l.peers))
	pace := l.peers[l.cursor%n].session.pace
	return min(pace.first+int64(float64(l.cursor/n)*pace.step), l.race.until)
}

// issueDue wakes the peers whose turn has come. Those that are busy keep their turn: they look at their own
// schedule when they are free.
func (l *loop) issueDue(ctx context.Context, now int64) {
	if l.timer < 0 {
		return
	}
	for n := int64(len(l.peers)); l.nextDue() <= now && now < l.race.until; l.cursor++ {
		p := l.peers[l.cursor%n]
		if p.fd >= 0 && p.session.inflight < p.session.depth {
			l.issue(ctx, p, now)
		}
	}
	if now >= l.race.until {
		for _, p := range l.peers {
			if p.fd >= 0 && p.session.inflight == 0 {
				l.retire(p)
			}
		}
	}
}
