// Command k6 is Grafana k6 with the extensions that ladderbench measures with:
// k6/x/redis, k6/x/measure, k6/x/burst and the outputs influxdb-agg and script-measure.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.k6.io/k6/v2/cmd"

	_ "github.com/grafana/xk6-redis"
)

func main() {
	more, err := hiddenArguments(os.Environ())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Args = append(os.Args, more...)
	cmd.Execute()
}

const (
	// argumentsVariable has arguments that may hold a password: they would stand in the list of processes.
	argumentsVariable = "LADDERBENCH_ARGUMENTS"
	// scriptPrefix begins variables for the script alone. Under its own name k6 would take K6_VUS for an option.
	scriptPrefix = "LADDERBENCH_ENV_"
)

// allowedName is what k6 takes as the name of --env.
var allowedName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// hiddenArguments takes arguments of k6 out of the environment of this process.
func hiddenArguments(environ []string) ([]string, error) {
	var more []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		script, isOfScript := strings.CutPrefix(name, scriptPrefix)
		if !isOfScript && name != argumentsVariable {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
		if isOfScript && allowedName.MatchString(script) {
			more = append(more, "--env", script+"="+value)
		}
		if isOfScript {
			continue
		}
		var arguments []string
		if err := json.Unmarshal([]byte(value), &arguments); err != nil {
			return nil, fmt.Errorf("%s: %w", argumentsVariable, err)
		}
		more = append(more, arguments...)
	}
	return more, nil
}
