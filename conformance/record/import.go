package record

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice/conformance/replay"
)

// harMessage is what requests and answers of an HTTP archive have in common.
type harMessage struct {
	Text, Encoding string
	Params         []replay.Header // of a form, by some writers in place of the text
}

func (m *harMessage) body() (string, error) {
	if m.Text == "" && len(m.Params) > 0 {
		pairs := make([]string, len(m.Params))
		for i, p := range m.Params {
			pairs[i] = p.Name + "=" + p.Value // as they were sent
		}
		return strings.Join(pairs, "&"), nil
	}
	if m.Encoding != "base64" {
		return m.Text, nil
	}
	b, err := base64.StdEncoding.DecodeString(m.Text)
	return string(b), err
}

// FromHAR reads the exchanges of an HTTP archive, version 1.1 or 1.2, in the order of the file. Those that got no answer
// are left out.
func FromHAR(data []byte) ([]*Exchange, error) {
	var doc struct {
		Log struct {
			Entries []struct {
				StartedDateTime time.Time
				Request         struct {
					Method, URL string
					Headers     []replay.Header
					PostData    harMessage
				}
				Response struct {
					Status  int
					Headers []replay.Header
					Content harMessage
				}
			}
		}
	}
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &doc); err != nil {
		return nil, fmt.Errorf("HAR: %w", err)
	}
	var all []*Exchange
	for i := range doc.Log.Entries {
		e := &doc.Log.Entries[i]
		asked, err := e.Request.PostData.body()
		answered, err2 := e.Response.Content.body()
		x := &Exchange{
			Method: e.Request.Method, RequestHeaders: e.Request.Headers, RequestBody: asked,
			Status: e.Response.Status, ResponseHeaders: e.Response.Headers, ResponseBody: answered, At: e.StartedDateTime,
		}
		if err := errors.Join(err, err2, x.address(e.Request.URL, "")); err != nil {
			return nil, fmt.Errorf("HAR: entry %d: %w", i, err)
		}
		if x.Status != 0 {
			all = append(all, x)
		}
	}
	return all, nil
}

// FromCassette reads the exchanges of a cassette of go-vcr, of any release: version 1 or 2 of its format, in the order of
// the file.
func FromCassette(data []byte) ([]*Exchange, error) {
	var doc struct {
		Interactions []struct {
			Request struct {
				Method, URL, Host, Body string
				Form                    url.Values
				Headers                 http.Header
			}
			Response struct {
				Code    int
				Body    string
				Headers http.Header
			}
		}
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	var all []*Exchange
	for n := range doc.Interactions {
		i := &doc.Interactions[n]
		x := &Exchange{
			Method: cmp.Or(i.Request.Method, http.MethodGet), RequestHeaders: sorted(i.Request.Headers), RequestBody: i.Request.Body,
			Status: i.Response.Code, ResponseHeaders: sorted(i.Response.Headers), ResponseBody: i.Response.Body,
		}
		if x.RequestBody == "" && x.Method == http.MethodPost {
			x.RequestBody = i.Request.Form.Encode()
		}
		if date := i.Response.Headers.Get("Date"); date != "" {
			x.At, _ = http.ParseTime(date) // a time that cannot be read is one that is not known
		}
		if err := x.address(i.Request.URL, i.Request.Host); err != nil {
			return nil, fmt.Errorf("cassette: interaction %d: %w", n, err)
		}
		all = append(all, x)
	}
	return all, nil
}

func (x *Exchange) address(text, host string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	x.Host, x.Path = cmp.Or(host, u.Host), u.RequestURI()
	return nil
}

// Recordings turns exchanges into recordings: by dialect those in which there are any, one or, if it would be too long to
// be read back, several. Exchanges with other services are left out.
func Recordings(source string, all []*Exchange) map[string][]string {
	texts := make(map[string][]string)
	for _, d := range replay.Dialects() {
		mine := slices.DeleteFunc(slices.Clone(all), func(x *Exchange) bool { return x.Dialect() != d })
		for some := range slices.Chunk(mine, maxSteps) {
			w := &Writer{}
			var text strings.Builder
			text.WriteString(Head(source, some[0].At))
			for _, x := range some {
				text.WriteString(w.Write(x))
			}
			texts[d] = append(texts[d], text.String())
		}
	}
	return texts
}
