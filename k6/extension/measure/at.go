package measure

import "time"

// At turns a moment of this process into nanoseconds of [Now].
func At(t time.Time) int64 { return int64(t.Sub(processStart)) }

// Add records successful operations one by one; whoever has many at once takes a [Batch].
func (r *Recorder) Add(e Entry) {
	sh := &r.shards[0]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.add(r, e)
}

// Fail records a failed operation, and what it is called; empty for no name.
func (r *Recorder) Fail(start, end int64, class Class, kind string) {
	sh := &r.shards[0]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.refuse(r, start, end, class, false, kind)
}

// DropDue is [Batch.Drop] of who has no batch.
func (r *Recorder) DropDue(due int64) { r.dropDue(&r.shards[0], due) }

func (r *Recorder) dropDue(sh *shard, due int64) {
	r.Drop(1)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.response.add(max(0, r.endNs-due), 1)
}
