package control

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Who may ask. Without a token everybody on this machine may, so a browser must not be made to ask on behalf of a web
// page: neither by a request to another origin, which browsers mark, nor by a name that the page's owner points at this
// machine (DNS rebinding), which is why names count. With a token, which no browser gives to another origin, names do
// not matter. The page itself is for everybody: it holds no data, and asks for the token when the API refuses it.

// cookie keeps the token of a link that was handed out, so that it does not stay in the address.
const cookie = "sluice-admin"

// errAnswered says that the guard has answered the request itself.
var errAnswered = errors.New("control: answered")

// guard decides about a request.
func (a *API) guard(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == "/health" || r.URL.Path == aliasHealth {
		return nil
	}
	if a.o.Token == "" && !a.knowsHost(r.Host) {
		return &problem{http.StatusForbidden, "ForeignHost", "The host " + r.Host + " is neither this machine nor configured.", ""}
	}
	if !sameOrigin(r) {
		return &problem{http.StatusForbidden, "CrossOrigin", "Requests of other sites are refused.", ""}
	}
	if a.o.Token == "" {
		return nil
	}
	if given := r.URL.Query().Get("token"); given != "" && r.URL.Path == "/" && a.isToken(given) {
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return errAnswered
	}
	if !a.authorized(r) && !a.isPage(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sluice"`)
		return &problem{http.StatusUnauthorized, "Unauthorized", "The request needs the token that the server has printed, or was given.", ""}
	}
	return nil
}

func (a *API) authorized(r *http.Request) bool {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return a.isToken(strings.TrimSpace(token))
	}
	c, err := r.Cookie(cookie)
	return err == nil && a.isToken(c.Value)
}

func (a *API) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(a.o.Token)) == 1
}

// knowsHost reports whether a Host header names this machine, an address or a configured name. An address cannot be
// pointed anywhere else.
func (a *API) knowsHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.ContainsFunc(a.o.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// sameOrigin reports whether a request comes from the page itself, from no page, or only opens the page.
func sameOrigin(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	opens := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
	if site != "" && site != "same-origin" && site != "none" && !opens {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
