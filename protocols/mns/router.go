package mns

import (
	"net/http"

	"github.com/gorilla/mux"
)

// router finds the operations of a method and path.
type router struct {
	mux  *mux.Router
	rows map[*mux.Route][]*operation
}

// newRouter makes one route for each method and path of the table. Paths are matched as they were sent: an escaped
// slash belongs to a name, and nothing is cleaned or redirected.
func newRouter(table []operation) *router {
	r := &router{mux: mux.NewRouter().SkipClean(true).UseEncodedPath(), rows: map[*mux.Route][]*operation{}}
	routes := map[string]*mux.Route{}
	for i := range table {
		o := &table[i]
		at := o.method + " " + o.path
		if routes[at] == nil {
			routes[at] = r.mux.Methods(o.method).Path(o.path)
		}
		r.rows[routes[at]] = append(r.rows[routes[at]], o)
	}
	return r
}

// match returns the operations of a request's method and path and the variables of the path, or nothing.
func (r *router) match(req *http.Request) ([]*operation, map[string]string) {
	var m mux.RouteMatch
	if !r.mux.Match(req, &m) || m.MatchErr != nil {
		return nil, nil
	}
	return r.rows[m.Route], m.Vars
}

// pick returns the first operation whose condition holds, or nil.
func pick(rows []*operation, r *request) *operation {
	for _, o := range rows {
		if o.where(r) {
			return o
		}
	}
	return nil
}
