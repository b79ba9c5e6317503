package main

// spread hands the news of one pass to every connection that follows, in one write each.
func (l *loop) spread() {
	if len(l.env.news) == 0 {
		return
	}
	for _, c := range l.conns {
		if c == nil || c.closing || c.out.full() {
			continue
		}
		if s, ok := c.sess.(*httpSession); ok && s.ws != nil && s.ws.follows {
			c.out.buf = append(c.out.buf, l.env.news...)
			l.flush(c)
		}
	}
	l.env.news = l.env.news[:0]
}
