package burst

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// protocolOptions is what connect() says about the system; index.d.ts documents the fields.
type protocolOptions struct {
	Protocol    string            `json:"protocol"`
	Address     string            `json:"address"`
	TimeoutMs   float64           `json:"timeoutMs"`
	Connections int               `json:"connections"`
	Setup       [][]string        `json:"setup"`
	Path        string            `json:"path"`
	Headers     map[string]string `json:"headers"`
	Subprotocol string            `json:"subprotocol"`
	Greeting    []string          `json:"greeting"`
	Ready       string            `json:"ready"`
	Writes      string            `json:"writes"`
	NoDelay     *bool             `json:"noDelay"`
	Lane        *int              `json:"lane"`

	BrakeNsPerOp float64 `json:"brakeNsPerOp"`
}

// template is one operation; which fields it has depends on the protocol.
type template struct {
	Command  []string          `json:"command"` // resp, ssdb
	Expect   string            `json:"expect"`
	Returns  *string           `json:"returns"`
	Tally    string            `json:"tally"`
	Use      string            `json:"use"`    // of the value of its key
	Of       string            `json:"of"`     // which kind of key
	Method   string            `json:"method"` // http
	Path     string            `json:"path"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Status   int               `json:"status"`
	Missing  int               `json:"missing"`
	Contains string            `json:"contains"`
	Sample   bool              `json:"sample"`
	Message  string            `json:"message"` // ws
	Success  string            `json:"success"`
	Failure  string            `json:"failure"`
	IDAfter  string            `json:"idAfter"`

	KindAfter  string   `json:"kindAfter"`  // http, ws
	ValueAfter string   `json:"valueAfter"` // http, ws
	NotApplied []string `json:"notApplied"`
}

// workOptions is what run() says about the work.
type workOptions struct {
	Template json.RawMessage `json:"template"`
	Count    *float64        `json:"count"`
	From     *float64        `json:"from"`
	Depth    *int            `json:"depth"`
	UntilMs  *float64        `json:"untilMs"`
	Pace     *paceOptions    `json:"pace"`
	Rest     *restOptions    `json:"rest"`
	Slots    *slotsOptions   `json:"slots"`

	parts []mixPart      // of a mix, in place of the template
	turn  *turnOptions   // in place of the template
	phase *measure.Phase // whose operations are taken, in place of a count
}

const (
	defaultTimeoutMs = 10_000
	maxDepth         = 4096
	maxConnections   = 20_000
	maxLane          = 1 << 20
	maxBrakeNs       = 1e9
	unlimited        = int64(1) << 52
)

// validate checks the options and brings the address into the form host:port.
func (o *protocolOptions) validate() error {
	if _, ok := codecs[o.Protocol]; !ok {
		return fmt.Errorf("protocol must be resp, ssdb, http or ws, got %q", o.Protocol)
	}
	if strings.Contains(o.Address, "://") {
		u, err := url.Parse(o.Address)
		if err != nil {
			return fmt.Errorf("address: %w", err)
		}
		o.Address = u.Host
	}
	if _, _, err := net.SplitHostPort(o.Address); err != nil {
		return fmt.Errorf("address must be host:port: %w", err)
	}
	if _, ok := writePatterns[o.Writes]; !ok {
		return fmt.Errorf("writes must be one or two, got %q", o.Writes)
	}
	if o.TimeoutMs == 0 {
		o.TimeoutMs = defaultTimeoutMs
	}
	if o.Connections == 0 {
		o.Connections = 1
	}
	switch {
	case !(o.TimeoutMs >= 1 && o.TimeoutMs <= 3_600_000):
		return fmt.Errorf("timeoutMs must be from 1 to 3600000, got %v", o.TimeoutMs)
	case o.Connections < 1 || o.Connections > maxConnections:
		return fmt.Errorf("connections must be from 1 to %d, got %d", maxConnections, o.Connections)
	case o.Lane != nil && (*o.Lane < 0 || *o.Lane > maxLane):
		return fmt.Errorf("lane must be from 0 to %d, got %d", maxLane, *o.Lane)
	case !(o.BrakeNsPerOp >= 0 && o.BrakeNsPerOp <= maxBrakeNs):
		return fmt.Errorf("brakeNsPerOp must be from 0 to %d, got %v", int64(maxBrakeNs), o.BrakeNsPerOp)
	}
	return nil
}

func (o *protocolOptions) timeout() time.Duration {
	return time.Duration(o.TimeoutMs * float64(time.Millisecond))
}

// seat says which loop a virtual user's first connection goes to: that of its lane, or loops in turn.
func (o *protocolOptions) seat(user uint64) uint64 {
	if o.Lane != nil {
		return uint64(*o.Lane)
	}
	return user
}

func (o *protocolOptions) host() string { return o.Address }

// validate checks the options; both a count and an end may be given, one must.
func (o *workOptions) validate() error {
	switch {
	case len(o.Template) == 0:
		return errors.New("template is missing")
	case o.phase != nil && o.Count != nil:
		return errors.New("count and phase exclude each other")
	case o.Count == nil && o.UntilMs == nil && o.phase == nil:
		return errors.New("count, or an end in time, is missing")
	case o.Count != nil && !(*o.Count >= 0 && *o.Count <= float64(unlimited)):
		return fmt.Errorf("count must be a number of operations, got %v", *o.Count)
	case o.From != nil && (!(*o.From >= 0 && *o.From <= maxSpace) || o.Count == nil):
		return errors.New("from must be a key, and needs a count")
	case o.Depth != nil && (*o.Depth < 1 || *o.Depth > maxDepth):
		return fmt.Errorf("depth must be from 1 to %d, got %d", maxDepth, *o.Depth)
	case o.turn != nil && o.depth() > 1:
		return errors.New("a turn has one operation under way: depth must be 1")
	case o.Rest != nil && o.Pace != nil:
		return errors.New("rest and pace exclude each other")
	case o.Slots != nil && (o.Rest != nil || o.Pace != nil):
		return errors.New("slots exclude rest and pace")
	}
	if o.Slots != nil {
		return o.Slots.validate()
	}
	if o.Rest != nil {
		return o.Rest.validate()
	}
	if o.Pace != nil {
		return o.Pace.validate()
	}
	return nil
}

func (o *workOptions) depth() int {
	if o.Depth == nil {
		return 1
	}
	return *o.Depth
}

func (o *workOptions) budget() *budget {
	if o.phase != nil {
		return &budget{phase: o.phase}
	}
	if o.Count == nil {
		return newBudget(unlimited)
	}
	return newBudget(int64(*o.Count))
}

// codecs makes a codec by the protocol's name.
var codecs = map[string]func(t template, o protocolOptions, keys *Keys) (codec, error){
	"resp": newResp, "ssdb": newSsdb, "http": newHTTP, "ws": newWS,
}

// newCodec compiles a template for one connection.
func newCodec(raw json.RawMessage, o protocolOptions, keys *Keys) (codec, error) {
	var t template
	if err := strict(raw, &t); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if keys == nil {
		for _, name := range []string{"{key", "{value", "{uuid"} {
			if bytes.Contains(raw, []byte(name)) {
				return nil, errors.New("template uses {key}, {value} or {uuid}: keys are missing")
			}
		}
	}
	if bytes.Contains(raw, []byte("{document}")) && (keys == nil || keys.documents == nil) {
		return nil, errors.New("template uses {document}: needs keys with documents: true")
	}
	c, err := codecs[o.Protocol](t, o, keys)
	if err == nil && c.maker().request.uses(ownPart) && (keys == nil || keys.data == nil) {
		return nil, errors.New("template uses {value}: it needs its length, {value:N}, or keys with data")
	}
	return c, err
}

// strict decodes JSON and refuses fields that it does not know.
func strict(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// decode reads a JavaScript object, without the named properties, into a struct.
func decode(rt *sobek.Runtime, value sobek.Value, into any, without ...string) error {
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return errors.New("an options object is missing")
	}
	object := value.ToObject(rt)
	plain := rt.NewObject()
properties:
	for _, name := range object.Keys() {
		for _, skip := range without {
			if name == skip {
				continue properties
			}
		}
		if err := plain.Set(name, object.Get(name)); err != nil {
			return err
		}
	}
	data, err := plain.MarshalJSON()
	if err != nil {
		return err
	}
	return strict(data, into)
}
