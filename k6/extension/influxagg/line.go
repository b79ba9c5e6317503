package influxagg

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

var (
	measurementEscaper = strings.NewReplacer(",", `\,`, " ", `\ `, "\n", `\n`)
	tagEscaper         = strings.NewReplacer(",", `\,`, "=", `\=`, " ", `\ `, "\n", `\n`)
)

// appendLine appends one point in InfluxDB's line protocol, with its newline.
func appendLine(dst []byte, p point) []byte {
	dst = append(dst, measurementEscaper.Replace(p.key.metric.Name)...)
	tags := p.key.tags.Map()
	names := make([]string, 0, len(tags))
	for name, value := range tags {
		if name != "" && value != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		dst = append(dst, ',')
		dst = append(dst, tagEscaper.Replace(name)...)
		dst = append(dst, '=')
		dst = append(dst, tagEscaper.Replace(strings.TrimRight(tags[name], `\`))...)
	}
	dst = append(dst, " count="...)
	dst = strconv.AppendInt(dst, int64(p.bucket.count), 10)
	dst = append(dst, 'i')
	fields, values := p.fields()
	for i, field := range fields {
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			continue
		}
		dst = append(dst, ',')
		dst = append(dst, field...)
		dst = append(dst, '=')
		dst = strconv.AppendFloat(dst, values[i], 'f', -1, 64)
	}
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, p.timeNs, 10)
	return append(dst, '\n')
}
