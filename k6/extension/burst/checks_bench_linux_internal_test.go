//go:build linux

package burst

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// farmReply is what a farm with its coops and hens answers.
func farmReply(coops, hens int) string {
	var b strings.Builder
	b.WriteString(`{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d4e5f","name":"c10-farm-0","coops":[`)
	for c := range coops {
		fmt.Fprintf(&b, `%.*s{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d%04d","name":"c10-coop-%d","hens":[`, min(c, 1), ",", c, c)
		for h := range hens {
			fmt.Fprintf(&b, `%.*s{"id":"8f3c1a52-0b7e-4f6e-9d35-1a1b2c3d%04d","name":"c10-hen-%d","breed":"leghorn","status":"active"}`,
				min(h, 1), ",", c*hens+h, c*hens+h)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}`)
	return b.String()
}

// inventoryReply is what all of a projection answer.
func inventoryReply(n int) string {
	var b strings.Builder
	b.WriteString(`{"data":{"getAll":[`)
	for i := range n {
		fmt.Fprintf(&b, `%.*s{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d%04d","hen_id":"8f3c1a52-0b7e-4f6e-9d35-1a1b2c3d%04d","total_eggs":%d,"quality_rate":1.0}`,
			min(i, 1), ",", i, i, 1000+i)
	}
	b.WriteString(`]}}`)
	return b.String()
}

// BenchmarkProjectionChecks is the same for what changes all the time.
func BenchmarkProjectionChecks(b *testing.B) {
	body := []byte(inventoryReply(20))
	ids, least := make([]string, 20), make([]string, 20)
	for i := range ids {
		ids[i], least[i] = fmt.Sprintf("8f3c1a52-0b7e-4f6e-9d35-1a1b2c3d%04d", i), "1"
	}
	n := known(map[string][]string{"hen": ids, "least": least})
	twenty, from := 20, "{of:least}"
	for name, checks := range map[string][]checkOptions{
		"shape": {{At: "/errors", None: true}, {At: "/data/getAll", List: true}},
		"value": {{At: "/errors", None: true}, {At: "/data/getAll", Length: &twenty, Every: 16},
			{At: "/data/getAll/hen_id={of:hen}/total_eggs", Least: &from, Every: 16}},
	} {
		probes := make([]probe, 0, len(checks))
		for _, o := range checks {
			p, err := o.probe(n)
			if err != nil {
				b.Fatal(err)
			}
			probes = append(probes, p)
		}
		b.Run(name, func(b *testing.B) {
			v := &vars{}
			defer cpu(b)()
			for range b.N {
				v.key++
				for i := range probes {
					if !probes[i].holds(body, v) {
						b.Fatal("it is right")
					}
				}
			}
		})
	}
}

// BenchmarkReplyChecks is what it costs to look at a reply: by shape and count, by value the first time, and by value when
// such a reply was right before.
func BenchmarkReplyChecks(b *testing.B) {
	farm := farmReply(3, 4)
	body := []byte(`{"data":{"getById":` + farm + `}}`)
	n := known(map[string][]string{"id": {"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d4e5f", "other"}, "row": {farm, "{}"}})
	id, row, three, four := "{of:id}", "{of:row}", 3, 4
	noErrors := checkOptions{At: "/errors", None: true}
	for name, checks := range map[string][]checkOptions{
		"shape": {noErrors, {At: "/data/getById/id", Is: &id}, {At: "/data/getById/coops", Length: &three}, {At: "/data/getById/coops/*/hens", Length: &four}},
		"value": {noErrors, {At: "/data/getById", Same: &row}},
	} {
		probes := make([]probe, 0, len(checks))
		for _, o := range checks {
			p, err := o.probe(n)
			if err != nil {
				b.Fatal(err)
			}
			probes = append(probes, p)
		}
		for _, again := range []bool{false, true} {
			right := newRightBodies(probes)
			if again && name == "shape" {
				continue
			}
			b.Run(fmt.Sprintf("%s/again=%v", name, again), func(b *testing.B) {
				v := &vars{}
				defer cpu(b)()
				for range b.N {
					if again && right.isKnown(body, v) {
						continue
					}
					for i := range probes {
						if !probes[i].holds(body, v) {
							b.Fatal("it is right")
						}
					}
					if again {
						right.keep(body, v)
					}
				}
			})
		}
	}
}

// BenchmarkTally is what one operation on a counter costs more where its reply is checked by value: noted when it is sent,
// and held against what was sent and acknowledged when it is answered.
func BenchmarkTally(b *testing.B) {
	for _, space := range []uint64{1000, 100_000} {
		b.Run(strconv.FormatUint(space, 10)+" counters", func(b *testing.B) {
			k, err := newKeys(keysOptions{Seed: 1, Space: float64(space)})
			require.NoError(b, err)
			k.tally = &tally{counters: make([]tallied, space)}
			answers, err := newTalliedAnswers(template{Tally: "adds"}, k)
			require.NoError(b, err)
			values := make([]int64, space)
			body := make([]byte, 0, 20)
			for b.Loop() {
				key := k.next()
				answers.sent(key, false)
				values[key]++
				body = strconv.AppendInt(body[:0], values[key], 10)
				if !answers.check(':', body) {
					b.Fatal("a right answer was refused")
				}
			}
		})
	}
}
