package burst

import (
	"net"
	"time"

	"ladderbench/k6/extension/measure"
)

// stop says why a codec gave back control.
type stop uint8

const (
	stopMore    stop = iota // no complete reply left
	stopLimit               // as many successes as asked for
	stopRefused             // one reply read: a well-formed refusal, not applied
	stopUnsure              // one reply read: a refusal that may have been applied (HTTP 5xx)
	stopWrong               // one reply read: well-formed, but not what was expected
	stopClosing             // the server said that it closes the connection
	stopBroken              // the stream makes no sense any more
)

// maxReply bounds one reply, bytes; a longer one breaks the connection.
const maxReply = 16 << 20

// codec is one connection's half of a protocol: bytes of requests out, meaning of replies in. It does no I/O except
// in open, and allocates nothing per operation.
type codec interface {
	// open does what comes right after connecting; in holds bytes that were received beyond it.
	open(c net.Conn, deadline time.Time) (in []byte, err error)
	// requests appends n operations.
	requests(dst []byte, n int) []byte
	// replies reads at most limit successes in a row and the reply that ends the row, if it does.
	replies(in []byte, limit int) (used, ok int, why stop)
	// control appends frames that the protocol asks to send (pongs).
	control(dst []byte) []byte
	// matched returns the sequence number of the operation that the last reply answers; only for codecs that
	// match by id.
	matched() (uint64, bool)
	// refused returns what the server called the failure that ended the last row, empty for nothing.
	refused() []byte
	// isUndone reports whether that failure proves that nothing was applied.
	isUndone() bool
	// maker returns what makes the requests.
	maker() *generator
}

// generator makes the bytes of operations; codecs embed it.
type generator struct {
	refusal
	request text
	vars    vars
	keys    *Keys
	mix     *mixture // nil when all operations are of one kind
	turn    *turn    // nil where requests do not depend on replies
	kind    uint8    // of the last operation: its part of the mix, or of the turn
	timed   bool     // the request says when it was made
	clock   [32]byte // formatting needs some room beyond the text
	answers answers
	tallied talliedAnswers
	writes  writes  // of documents with versions
	sampler sampler // of replies that are looked at when the load is over
	access  access  // to values that say whose they are
	dated   bool    // these are gone after a time
	valued  bool    // the request has one of them
	awaited awaited // of a mix whose parts expect unlike answers: which part the operations in flight are of
}

// awaited is the parts of operations in flight, in their order. The zero value keeps none and costs nothing.
type awaited struct {
	on    bool
	parts []uint8
	head  int
}

func (r *awaited) push(part uint8) {
	if r.on {
		r.parts = append(r.parts, part)
	}
}

// pop takes the oldest one.
func (r *awaited) pop() (part uint8) {
	if r.head == len(r.parts) {
		return 0
	}
	part = r.parts[r.head]
	if r.head++; r.head == len(r.parts) {
		r.forget()
	}
	return part
}

func (r *awaited) forget() { r.parts, r.head = r.parts[:0], 0 }

func newGenerator(request text, keys *Keys) generator {
	g := generator{request: request, keys: keys, timed: request.uses(nowPart)}
	if keys != nil {
		g.vars.stream, g.vars.values, g.vars.ids = keys.stream, keys.values, keys.ids
		g.vars.documents, g.vars.versions = keys.documents, keys.versions
		if keys.data != nil {
			g.vars.stored, g.dated, g.valued = keys.data.values, keys.data.ttl > 0, request.uses(ownPart)
		}
		if request.uses(docPart) {
			g.writes.to = keys.versions
		}
	}
	return g
}

// draw takes the next key for the operation to come; what a read did not find is filled first.
func (g *generator) draw() {
	switch {
	case g.mix == nil:
		if g.keys != nil {
			g.vars.key = g.keys.next()
		}
		return
	case len(g.mix.missed) > 0:
		last := len(g.mix.missed) - 1
		g.vars.key, g.kind = g.mix.missed[last], uint8(g.mix.filler)
		g.mix.missed = g.mix.missed[:last]
	default:
		g.vars.key, g.kind = g.keys.next(), uint8(g.mix.draw())
	}
	g.request = g.mix.requests[g.kind]
}

// idsDrawn returns how many ids were taken from the sequence, 0 where there is none.
func (g *generator) idsDrawn() uint64 {
	if g.vars.ids == nil {
		return 0
	}
	return g.vars.ids.next
}

func (g *generator) requests(dst []byte, n int) []byte {
	if g.timed {
		g.vars.now = time.Now().UTC().AppendFormat(g.clock[:0], nowLayout)
	}
	g.sampler.asked()
	now := g.moment()
	for range n {
		g.draw()
		own := g
		if g.awaited.on {
			own = g.mix.parts[g.kind].maker()
			g.awaited.push(g.kind)
		}
		if own.writes.to != nil {
			g.vars.version = own.writes.begin(g.vars.key)
		}
		if own.access.use != 0 {
			own.access.begin(&g.vars, now)
		}
		if own.valued {
			g.vars.hash = g.vars.stored.hash(g.vars.stored.mark, g.vars.key, g.vars.turn)
		}
		dst = g.request.append(dst, &g.vars)
		own.answers.sent(&g.vars)
		own.tallied.sent(g.vars.key, n > 1)
		g.vars.seq++
	}
	return dst
}

// moment returns the time where values are gone after some, else 0.
func (g *generator) moment() uint32 {
	if !g.dated {
		return 0
	}
	return moment(measure.Now())
}

// forget empties what is known of operations in flight: for a new connection.
func (g *generator) forget() {
	g.answers.forget()
	g.tallied.forget()
	g.writes.forget()
	g.access.forget()
	g.awaited.forget()
	if g.awaited.on {
		for _, part := range g.mix.parts[1:] {
			part.maker().forget()
		}
	}
}

// settle counts what has been put off.
func (g *generator) settle() {
	g.tallied.settle()
	if g.mix != nil {
		for _, part := range g.mix.parts[1:] {
			part.maker().tallied.settle()
		}
	}
}

func (g *generator) control(dst []byte) []byte { return dst }

func (g *generator) matched() (uint64, bool) { return 0, false }

func (g *generator) maker() *generator { return g }

// pass draws an operation that is not sent and returns its kind: what comes after it stays the same.
func (g *generator) pass() uint8 {
	switch {
	case g.turn != nil:
		return g.turn.pass()
	case g.mix != nil:
		g.draw()
	}
	return g.kind
}

// lost tells that what was in flight will not be answered.
func (g *generator) lost() {
	if g.turn != nil {
		g.turn.fail()
	}
}
