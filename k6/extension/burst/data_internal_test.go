package burst

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValuesSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	list := valuesOptions{}
	require.NoError(t, json.Unmarshal([]byte(`{"list":[{"bytes":100,"weight":3},{"bytes":1000,"weight":1}]}`), &list))
	normal, pareto := valuesOptions{}, valuesOptions{}
	require.NoError(t, json.Unmarshal([]byte(`{"pareto":{"from":15,"scale":214,"shape":0.35,"small":0.4,"most":5000}}`), &pareto))
	require.NoError(t, json.Unmarshal([]byte(`{"logNormal":{"median":300,"sigma":1,"most":5000}}`), &normal))
	for name, o := range map[string]valuesOptions{
		"fixed": {From: 1000}, "range": {From: 100, To: 10_000}, "least": {From: valueHead}, "long": {From: 3 * poolBytes},
		"list": list, "log-normal": normal, "pareto": pareto, "compressible": {From: 1000, Compressible: 0.5},
	} {
		s, err := newStoredValues(o, 77)
		require.NoError(t, err, name)
		for turn := range uint32(50) {
			key := uint64(turn) * 1_000_003
			value := s.append(nil, key, turn)
			require.Len(t, value, s.size(s.hash(s.mark, key, turn)), name)
			f, ok := readOf(s, value, false)
			require.True(t, ok)
			require.Equal(t, found{mark: 77, key: key, turn: turn, whole: true}, f, name)
			f, ok = readOf(s, fmt.Appendf(nil, `{"a":"~","v":"%s"}`, value), true)
			require.True(t, ok)
			require.True(t, f.whole && f.key == key, "%s %+v", name, f)
			if len(value) > valueHead {
				f, _ = readOf(s, value[:len(value)-1], false)
				require.True(t, f.cut && !f.whole, name)
				f, _ = readOf(s, fmt.Appendf(nil, `{"v":"%s"}`, value[:len(value)-1]), true)
				require.True(t, f.cut && !f.whole, name)
				value[len(value)-1] ^= 1
				f, _ = readOf(s, value, false)
				require.True(t, !f.cut && !f.whole, name)
			}
		}
	}
	_, err := newStoredValues(valuesOptions{From: valueHead - 1}, 0)
	require.ErrorContains(t, err, "the first 18 say whose a value is")
}

func readOf(s *storedValues, text []byte, within bool) (f found, ok bool) {
	ok = s.read(text, within, &f)
	return f, ok
}

func TestSizesAreAsAskedFor(t *testing.T) {
	t.Parallel()
	sizes := func(o valuesOptions) []float64 {
		s, err := newStoredValues(o, 1)
		require.NoError(t, err)
		all := make([]float64, 200_000)
		for i := range all {
			all[i] = float64(s.size(s.hash(1, uint64(i%5000), uint32(i/5000))))
		}
		return all
	}
	ranged := make([]float64, 901)
	even := make([]float64, 901)
	for _, size := range sizes(valuesOptions{From: 100, To: 1000}) {
		ranged[int(size)-100]++
	}
	for i := range even {
		even[i] = 1
	}
	require.Less(t, math.Abs(chiSquared(ranged, even)), 4.0)
	var list, normal valuesOptions
	require.NoError(t, json.Unmarshal([]byte(`{"list":[{"bytes":100,"weight":3},{"bytes":1000,"weight":1}]}`), &list))
	short := 0.0
	for _, size := range sizes(list) {
		if size == 100 {
			short++
		}
	}
	require.InDelta(t, 0.75, short/200_000, 0.005)
	require.NoError(t, json.Unmarshal([]byte(`{"logNormal":{"median":300,"sigma":0.5,"most":100000}}`), &normal))
	all := sizes(normal)
	slices.Sort(all)
	require.InDelta(t, 300, all[100_000], 5)
	require.InDelta(t, 300*math.Exp(0.5*1.2816), all[180_000], 12)
	// Atikoglu and others 2012, ETC: 44 % of all are below 15 bytes; the median of the others is 15 + σ/k · (2^k - 1).
	var etc valuesOptions
	require.NoError(t, json.Unmarshal(
		[]byte(`{"pareto":{"from":15,"scale":214.476,"shape":0.348238,"small":0.44155,"most":65536}}`), &etc))
	all = sizes(etc)
	slices.Sort(all)
	require.InDelta(t, valueHead, all[80_000], 0)
	half := 15 + 214.476/0.348238*(math.Pow(2, 0.348238)-1)
	require.InDelta(t, half, all[int(200_000*(0.44155+0.55845/2))], 4)
}

// store is a codec of reads and one of writes on the same keys, whose replies a test makes up.
type store struct {
	t           *testing.T
	keys        *Keys
	read, write *resp
}

func newStore(t *testing.T, o dataOptions, useOfWrite string) *store {
	t.Helper()
	o.Of = t.Name()
	if o.Values.From == 0 {
		o.Values = valuesOptions{From: 100, To: 200}
	}
	s := &store{t: t}
	codecOf := func(template string) *resp {
		k, err := newKeys(keysOptions{Seed: 1, Space: 10, Data: &o})
		require.NoError(t, err)
		s.keys = k
		c, err := newCodec(json.RawMessage(template), protocolOptions{Protocol: "resp", Address: "127.0.0.1:1"}, k)
		require.NoError(t, err)
		return c.(*resp)
	}
	s.read = codecOf(`{"command":["GET","{key}"],"expect":"bulk-or-null","use":"reads","of":"k"}`)
	s.write = codecOf(`{"command":["SET","{key}","{value}"],"use":"` + useOfWrite + `","of":"k"}`)
	return s
}

// ask sends one operation of a key.
func (s *store) ask(c *resp, key uint64) {
	s.t.Helper()
	require.NoError(s.t, c.keys.order(key, 1))
	c.requests(nil, 1)
}

func (s *store) reply(c *resp, text string) stop {
	_, _, why := c.replies([]byte(text), 1)
	return why
}

func (s *store) set(key uint64) uint32 {
	s.t.Helper()
	s.ask(s.write, key)
	require.Equal(s.t, stopLimit, s.reply(s.write, "+OK\r\n"))
	return s.write.vars.turn
}

// value is what is stored of a writing.
func (s *store) value(key uint64, turn uint32) []byte {
	return s.keys.data.values.append(nil, key, turn)
}

// get reads a key and is answered by a text; nil is none.
func (s *store) get(key uint64, value []byte) stop {
	s.t.Helper()
	s.ask(s.read, key)
	if value == nil {
		return s.reply(s.read, "$-1\r\n")
	}
	return s.reply(s.read, fmt.Sprintf("$%d\r\n%s\r\n", len(value), value))
}

func (s *store) faults() map[string]int64 {
	seen := map[string]int64{}
	for _, table := range s.keys.data.state(false) {
		for name, n := range table.Faults {
			if n > 0 {
				seen[name] = n
			}
		}
	}
	return seen
}

func TestReadersTakeWhatMayBeThere(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{}, "writes")
	require.Equal(t, stopLimit, s.get(3, nil), "nobody wrote it")
	old, _ := newStoredValues(valuesOptions{From: 100, To: 200}, 5)
	require.Equal(t, stopLimit, s.get(3, old.append(nil, 3, 9)), "of an earlier load")
	first := s.set(3)
	require.Equal(t, stopLimit, s.get(3, s.value(3, first)))
	s.ask(s.read, 3)
	s.ask(s.write, 3)
	newer := s.value(3, s.write.vars.turn)
	require.Equal(t, stopLimit, s.reply(s.read, fmt.Sprintf("$%d\r\n%s\r\n", len(newer), newer)), "written while it was read")
	require.Equal(t, stopLimit, s.get(3, s.value(3, first)), "not acknowledged yet")
	require.Equal(t, stopRefused, s.reply(s.write, "-ERR no\r\n"))
	require.Equal(t, stopLimit, s.get(3, s.value(3, first)), "refused")
	require.Empty(t, s.faults())
}

func TestReadersTellWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{}, "writes")
	first := s.set(3)
	second := s.set(3)
	other := s.set(4)
	require.Equal(t, stopWrong, s.get(3, s.value(3, first)))
	require.Equal(t, stopWrong, s.get(3, s.value(4, other)))
	require.Equal(t, stopWrong, s.get(3, nil))
	require.Equal(t, stopWrong, s.get(3, s.value(3, second)[:60]))
	require.Equal(t, stopWrong, s.get(3, s.value(3, second+1)))
	require.Equal(t, stopWrong, s.get(3, []byte("anything")))
	require.Equal(t, map[string]int64{"tooOld": 1, "ofAnother": 1, "missing": 1, "cut": 1, "damaged": 2}, s.faults())
	require.Equal(t, stopLimit, s.get(3, s.value(3, second)), "what follows is read as if nothing had been")
}

func TestWhoMayDropMayMiss(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{MayMiss: true}, "writes")
	s.set(3)
	require.Equal(t, stopLimit, s.get(3, nil))
}

func TestAWriteWhoseConditionDidNotHoldIsNone(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{}, "writes")
	first := s.set(3)
	s.ask(s.write, 3)
	require.Equal(t, stopLimit, s.reply(s.write, "$-1\r\n"))
	require.Equal(t, stopLimit, s.get(3, s.value(3, first)))
	require.Empty(t, s.faults())
}

func TestWhatIsOverIsGone(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{TTLSec: 10}, "writes")
	turn := s.set(3)
	require.Equal(t, stopWrong, s.get(3, nil), "it lives still")
	// As if it had been written a minute ago.
	k := &s.keys.data.table("k").keys[3]
	k.acked.Add(^uint32(600 - 1))
	k.least.Store(k.least.Load() - 600)
	require.Equal(t, stopLimit, s.get(3, nil))
	require.Equal(t, stopWrong, s.get(3, s.value(3, turn)))
	require.Equal(t, map[string]int64{"missing": 1, "expired": 1}, s.faults())
	require.Equal(t, stopLimit, s.get(3, s.value(3, s.set(3))), "written anew")
}

func TestASwapReadsWhatWasThereAndWrites(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{}, "swaps")
	s.ask(s.write, 3)
	require.Equal(t, stopLimit, s.reply(s.write, "$-1\r\n"))
	first := s.write.vars.turn
	s.ask(s.write, 3)
	before := s.value(3, first)
	require.Equal(t, stopLimit, s.reply(s.write, fmt.Sprintf("$%d\r\n%s\r\n", len(before), before)))
	s.ask(s.write, 3)
	require.Equal(t, stopWrong, s.reply(s.write, fmt.Sprintf("$%d\r\n%s\r\n", len(before), before)))
	require.Equal(t, map[string]int64{"tooOld": 1}, s.faults())
}

func TestInsertionsTakeNewKeys(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{Room: 2}, "inserts")
	seen := []uint64{}
	for range 3 {
		s.write.requests(nil, 1)
		seen = append(seen, s.write.vars.key)
		require.Equal(t, stopLimit, s.reply(s.write, "+OK\r\n"))
	}
	require.Equal(t, []uint64{10, 11, 10}, seen)
	require.Equal(t, stopLimit, s.get(11, s.value(11, 1)))
	require.Equal(t, stopWrong, s.get(10, s.value(10, 1)), "written twice")
}

func TestAnotherProcessTakesOverWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{}, "writes")
	s.set(3)
	second := s.set(3)
	s.ask(s.write, 4) // never answered
	text, err := json.Marshal(s.keys.data.state(true))
	require.NoError(t, err)
	later := &data{options: s.keys.data.options, space: 10, values: s.keys.data.values, tables: map[string]*table{}}
	require.NoError(t, later.restore(text))
	s.keys.data = later
	s.read.access.table = later.table("k")
	require.Equal(t, stopLimit, s.get(3, s.value(3, second)))
	require.Equal(t, stopWrong, s.get(3, s.value(3, 1)))
	require.Equal(t, stopWrong, s.get(3, nil))
	require.Equal(t, stopLimit, s.get(4, nil))
	require.Equal(t, stopLimit, s.get(4, s.value(4, 1)))
	require.Error(t, later.restore([]byte(`[{"table":"k","keys":[1],"sent":[1]}]`)))
}

// TestWhatAReadMissesIsFilledNext: of a mix, on one connection with several operations in flight.
func TestWhatAReadMissesIsFilledNext(t *testing.T) {
	t.Parallel()
	o := &dataOptions{Of: t.Name(), Values: valuesOptions{From: 100}, MayMiss: true}
	keys, err := newKeys(keysOptions{Seed: 1, Space: 1000, Data: o})
	require.NoError(t, err)
	mixed := func(fill string) (codec, error) {
		return newMixedCodec([]mixPart{
			{Share: 1, Template: json.RawMessage(`{"command":["GET","k:{key}"],"expect":"bulk-or-null","use":"reads","of":"k:{key}"}`)},
			{Share: 0, Template: json.RawMessage(fill)},
		}, protocolOptions{Protocol: "resp", Address: "127.0.0.1:1"}, keys)
	}
	c, err := mixed(`{"command":["SET","k:{key}","{value}"],"expect":"simple:OK","use":"fills","of":"k:{key}"}`)
	require.NoError(t, err)
	keysIn := func(out []byte) []string {
		var all []string
		for _, m := range regexp.MustCompile(`(GET|SET)\r\n\$\d+\r\n(k:\d+)`).FindAllSubmatch(out, -1) {
			all = append(all, string(m[1])+" "+string(m[2]))
		}
		return all
	}
	asked := keysIn(c.requests(nil, 2))
	require.Len(t, asked, 2)
	used, ok, _ := c.replies([]byte("$-1\r\n$-1\r\n"), 2)
	require.Equal(t, []int{10, 2}, []int{used, ok})
	filled := keysIn(c.requests(nil, 3))
	require.ElementsMatch(t, []string{"SET" + asked[0][3:], "SET" + asked[1][3:]}, filled[:2])
	require.Equal(t, "GET", filled[2][:3], "and nothing else is owed")
	require.EqualValues(t, 0, keys.data.state(false)[0].Absent, "nothing had been written")
	_, ok, _ = c.replies([]byte("+OK\r\n+OK\r\n$-1\r\n"), 3)
	require.Equal(t, 3, ok)
	_, err = mixed(`{"command":["SET","k:{key}","{value}"],"use":"writes","of":"k:{key}"}`)
	require.ErrorContains(t, err, "what fills has the share 0, and nothing else has")
}

// TestWhatMayBeEvictedIsCounted: a key that was written and is gone is no fault where the store may drop it.
func TestWhatMayBeEvictedIsCounted(t *testing.T) {
	t.Parallel()
	s := newStore(t, dataOptions{MayMiss: true}, "fills")
	s.ask(s.write, 3)
	require.Equal(t, stopLimit, s.reply(s.write, "+OK\r\n"))
	s.ask(s.read, 3)
	require.Equal(t, stopLimit, s.reply(s.read, "$-1\r\n"))
	known := s.keys.data.state(false)[0]
	require.EqualValues(t, 1, known.Absent)
	require.Zero(t, known.Faults["missing"])
}
