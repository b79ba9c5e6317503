// Command k6 is Grafana k6 with the extensions that ladderbench measures with:
// k6/x/redis, k6/x/measure, k6/x/burst and the outputs influxdb-agg and script-measure.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "github.com/grafana/xk6-redis"
)

func main() {
	cmd.Execute()
}
