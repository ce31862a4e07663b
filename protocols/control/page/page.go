// Package page holds the files of the page that the admin port serves at /: plain modules and a style sheet, embedded
// as they were written, so that nothing has to be built or fetched.
package page

import (
	"embed"
	"io/fs"
)

// Policy is the Content-Security-Policy that the files of the page are to be served with. The page needs nothing but
// itself and shows bodies of messages, which anybody may have sent: no script or style that is not one of its files
// can run, wherever it comes from.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed index.html *.js *.css logo.svg
var files embed.FS

// Files are the files of the page by their paths, all in one folder; index.html is the page itself.
var Files fs.FS = files
