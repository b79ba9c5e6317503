package burst

import (
	"regexp"
	"strings"
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
			seen[string(ids.appendNext(nil, uuidBytes))] = struct{}{}
		}
		other := newIDs(8, stream)
		for range 5000 {
			seen[string(other.appendNext(nil, uuidBytes))] = struct{}{}
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
		require.Equal(t, string(a.appendNext(nil, uuidBytes)), string(b.append(nil, n)))
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

func TestAnIDTellsWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{0, 5, 20033, 1<<32 - 1} {
		for _, stream := range []uint64{0, 1, 77, maxStream} {
			s := newIDs(seed, stream)
			for _, n := range []uint64{0, 1, 49, 1 << 20, maxIDs - 1} {
				whose, which, ok := newIDs(seed, 3).find(s.append(nil, n))
				require.True(t, ok)
				require.Equal(t, []uint64{stream, n}, []uint64{whose, which})
				whose, which, ok = newIDs(seed, 3).place(s.append(nil, n))
				require.True(t, ok)
				require.Equal(t, []uint64{stream, n}, []uint64{whose, which})
				_, _, ok = newIDs(seed+1, stream).find(s.append(nil, n))
				require.False(t, ok, "of another seed")
			}
		}
	}
	own := newIDs(1, 1).append(nil, 0)
	for at := range own {
		other := append([]byte(nil), own...)
		other[at] = hexDigits[(hexValues[other[at]]+1)%16]
		_, _, ok := newIDs(1, 1).find(other)
		require.False(t, ok, "each digit counts: %s", other)
	}
	for _, text := range []string{"", "x", strings.Repeat("-", 36), strings.ToUpper(string(own))} {
		_, _, ok := newIDs(1, 1).find([]byte(text))
		require.False(t, ok, text)
	}
}

func TestAnyKeyIsKnownWithoutThoseBeforeIt(t *testing.T) {
	t.Parallel()
	drawn, err := newKeys(keysOptions{Seed: 9, Stream: 4, Space: 1000})
	require.NoError(t, err)
	for n := range uint64(100) {
		require.Equal(t, drawn.at(n), drawn.next())
	}
}

func TestMomentsAreReadAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-01-31T12:00:00.000Z", "2026-02-28T23:59:59.999Z", "2024-02-29T00:00:00.001Z", "1970-01-01T00:00:00.000Z", "2000-03-01T01:02:03.004Z", "2026-12-05T09:08:07.123Z"} {
		want, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		got, ok := (&listener{sentAfter: []byte("@")}).sentAt([]byte("@" + text + `"`))
		require.True(t, ok, text)
		require.Equal(t, want.UnixNano(), got, text)
	}
	for _, text := range []string{"2026-13-01T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2026-02-01T24:00:00.000Z", "yesterday", ""} {
		_, ok := (&listener{sentAfter: []byte("@")}).sentAt([]byte("@" + text + `"`))
		require.False(t, ok, text)
	}
}

// Each byte counts, so that nobody's text passes for another one's.
func TestATextBehindAnIDFollowsFromIt(t *testing.T) {
	t.Parallel()
	c := testCodec(t, "http", `{"method":"POST","path":"/","body":"{uuid:120}{uuid}"}`)
	request := string(c.requests(nil, 1))
	require.Contains(t, request, "Content-Length: 156\r\n\r\n")
	body := []byte(request[len(request)-156:])
	ids := c.maker().vars.ids
	text, next := body[:120], body[120:]
	for n, part := range [][]byte{text, next} {
		stream, which, ok := ids.whose(part)
		require.True(t, ok)
		require.Equal(t, []uint64{ids.from / maxIDs, uint64(n)}, []uint64{stream, which})
	}
	for at := range text {
		other := append([]byte(nil), text...)
		other[at] ^= 1
		_, _, ok := ids.whose(other)
		require.False(t, ok, "byte %d counts: %s", at, other)
	}
	_, _, ok := ids.whose(append(append([]byte(nil), next...), text[uuidBytes:]...))
	require.False(t, ok, "one's id and another one's text")
	for _, short := range []string{"", "x", string(text[:35])} {
		_, _, ok := ids.whose([]byte(short))
		require.False(t, ok, short)
	}
	for _, template := range []string{`{"path":"/{uuid:35}"}`, `{"path":"/{uuid:99999999}"}`} {
		_, err := newCodec([]byte(template), protocolOptions{Protocol: "http"}, &Keys{})
		require.ErrorContains(t, err, "{uuid:N} is from 36 to")
	}
}
