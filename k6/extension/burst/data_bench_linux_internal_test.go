//go:build linux

package burst

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkKeys is what it costs to draw a key.
func BenchmarkKeys(b *testing.B) {
	for _, one := range []struct {
		name string
		o    *chooseOptions
	}{
		{"uniform", nil},
		{"zipf", &chooseOptions{Zipf: number(0.99)}},
		{"scrambled", &chooseOptions{Zipf: number(0.99), Scrambled: true}},
		{"latest", &chooseOptions{Latest: number(0.99)}},
		{"hot", &chooseOptions{Hot: []float64{0.2, 0.8}}},
		{"sequential", &chooseOptions{Sequential: true}},
	} {
		b.Run(one.name, func(b *testing.B) {
			k := choosing(b, 1_000_000, 1, 1, one.o)
			defer cpu(b)()
			for range b.N {
				k.next()
			}
		})
	}
}

// BenchmarkTemplates is what the generator does for an operation beside its reading and writing: a request made, and its
// reply read and checked. The built-in templates, the same as data, and what data alone can ask for.
func BenchmarkTemplates(b *testing.B) {
	reply := func(k *Keys, bytes int) []byte {
		if k.data == nil {
			return fmt.Appendf(nil, "$%d\r\n%s\r\n", len(k.documents.at(0)), k.documents.at(0))
		}
		value := k.data.values.append(nil, 0, 0)
		return fmt.Appendf(nil, "$%d\r\n%s\r\n", len(value), value)
	}
	zipf := &chooseOptions{Zipf: number(0.99)}
	for _, one := range []struct {
		name, template string
		data           bool
		choose         *chooseOptions
		ttl            float64
		reply          func(k *Keys, bytes int) []byte
	}{
		{name: "builtin-set", template: `{"command":["SET","document:{key}","{document}"],"expect":"simple:OK"}`},
		{name: "data-set", template: `{"command":["SET","document:{key}","{value}"],"expect":"simple:OK","use":"writes","of":"d"}`, data: true},
		{name: "data-set-zipf-ttl", template: `{"command":["SET","document:{key}","{value}","EX","60"],"expect":"simple:OK","use":"writes","of":"d"}`, data: true, choose: zipf, ttl: 60},
		{name: "builtin-get", template: `{"command":["GET","document:{key}"],"expect":"bulk","returns":"{document}"}`, reply: reply},
		{name: "data-get", template: `{"command":["GET","document:{key}"],"expect":"bulk-or-null","use":"reads","of":"d"}`, data: true, reply: reply},
	} {
		b.Run(one.name, func(b *testing.B) {
			const space = 1000
			o := keysOptions{Seed: 1, Space: space, Documents: !one.data, Choose: one.choose}
			if one.data {
				o.Data = &dataOptions{Of: one.name, Values: valuesOptions{From: 1100}, TTLSec: one.ttl}
			}
			if one.reply != nil {
				o.Space = 1
			}
			k, err := newKeys(o)
			if err != nil {
				b.Fatal(err)
			}
			c, err := newCodec(json.RawMessage(one.template), protocolOptions{Protocol: "resp", Address: "127.0.0.1:1"}, k)
			if err != nil {
				b.Fatal(err)
			}
			in := []byte("+OK\r\n")
			if one.reply != nil {
				in = one.reply(k, 1100)
			}
			out := make([]byte, 0, 4096)
			defer cpu(b)()
			for range b.N {
				out = c.requests(out[:0], 1)
				if _, ok, why := c.replies(in, 1); ok != 1 {
					b.Fatal(why)
				}
			}
		})
	}
}
