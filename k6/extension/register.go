package main

import (
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/output"

	"ladderbench/k6/extension/burst"
	"ladderbench/k6/extension/influxagg"
	"ladderbench/k6/extension/measure"
	"ladderbench/k6/extension/scriptout"
)

func init() {
	modules.Register(measure.ImportPath, measure.New())
	modules.Register(burst.ImportPath, burst.New())
	output.RegisterExtension(influxagg.Name, influxagg.New)
	output.RegisterExtension(scriptout.Name, scriptout.New)
}
