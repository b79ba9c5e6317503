package burst

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIDsNeverRepeatAcrossStreams(t *testing.T) {
	t.Parallel()
	seen := make(map[string]struct{}, 400_000)
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for stream := range uint64(40) {
		ids := newIDs(7, stream)
		for range 5000 {
			seen[string(ids.appendNext(nil))] = struct{}{}
		}
		other := newIDs(8, stream)
		for range 5000 {
			seen[string(other.appendNext(nil))] = struct{}{}
		}
	}
	require.Len(t, seen, 400_000)
	for id := range seen {
		require.Regexp(t, form, id)
	}
}

func TestIDsAreDeterministicAndAddressable(t *testing.T) {
	t.Parallel()
	a, b := newIDs(7, 3), newIDs(7, 3)
	for n := range uint64(100) {
		require.Equal(t, string(a.appendNext(nil)), string(b.append(nil, n)))
	}
}

func TestEveryPlaceGetsAnIDAndTheMomentOfSending(t *testing.T) {
	t.Parallel()
	c := testCodec(t, "http", `{"method":"POST","path":"/","body":"{uuid} {uuid} {now}"}`)
	form := regexp.MustCompile(`Content-Length: 98\r\n\r\n([0-9a-f-]{36}) ([0-9a-f-]{36}) (\S{24})$`)
	first := form.FindStringSubmatch(string(c.requests(nil, 1)))
	second := form.FindStringSubmatch(string(c.requests(nil, 1)))
	require.Len(t, first, 4)
	require.Len(t, second, 4)
	require.NotContains(t, []string{first[2], second[1], second[2]}, first[1])
	sent, err := time.Parse(nowLayout, first[3])
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), sent, 5*time.Second)
}

func TestBatchesOfIDsAreMadeWithoutAllocating(t *testing.T) {
	body := ""
	for range 50 {
		body += `{uuid} {now} {value:64}`
	}
	c := testCodec(t, "http", `{"method":"POST","path":"/","body":"`+body+`"}`)
	dst := make([]byte, 0, 64<<10)
	require.Zero(t, testing.AllocsPerRun(100, func() { dst = c.requests(dst[:0], 1) }))
}

func BenchmarkBatchOf50(b *testing.B) {
	body := ""
	for range 50 {
		body += `{"id":"{uuid}","timestamp":"{now}","payload":{"v":"{value:64}"}}`
	}
	keys, _ := newKeys(keysOptions{Seed: 1, Space: 1000})
	text, _ := compile(body)
	g := newGenerator(text, keys)
	dst := make([]byte, 0, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		dst = g.requests(dst[:0], 1)
	}
}
