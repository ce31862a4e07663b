// Command image builds Sluice's container image without a container engine: from the sources of this clone, for each
// platform, into an OCI layout or an archive that `docker load` takes. The same sources give the same digest.
//
//	cd .release/image
//	go run . -out ../../dist/image            # an OCI layout, all platforms
//	go run . -archive ../../dist/sluice.tar   # for docker load, this machine's platform
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// owner is whom /data belongs to: the user of the Dockerfile, and nobody's number in most distributions.
const owner = 65532

func main() {
	source := flag.String("source", "../..", "clone of Sluice")
	out := flag.String("out", "", "directory to write an OCI layout to; it must not exist")
	archive := flag.String("archive", "", "file to write an archive for docker load to")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "platforms of the layout")
	flag.Parse()
	if err := run(*source, *out, *archive, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(source, out, archive string, platforms []string) error {
	if out == "" && archive == "" {
		return fmt.Errorf("neither -out nor -archive is given")
	}
	if archive != "" {
		if err := writeArchive(source, archive); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	index, err := buildIndex(source, platforms)
	if err != nil {
		return err
	}
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s exists", out)
	}
	path, err := layout.Write(out, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, digest)
	return err
}

func writeArchive(source, file string) error {
	image, err := buildImage(source, v1.Platform{OS: "linux", Architecture: runtime.GOARCH})
	if err != nil {
		return err
	}
	tag, err := name.NewTag("sluice:latest")
	if err != nil {
		return err
	}
	return tarball.WriteToFile(file, tag, image)
}

func buildIndex(source string, platforms []string) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, text := range platforms {
		p, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		image, err := buildImage(source, *p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: p}})
	}
	return index, nil
}

// buildImage makes the image that the Dockerfile at the root makes too, from what its last stage says.
func buildImage(source string, p v1.Platform) (v1.Image, error) {
	binary, err := compile(source, p)
	if err != nil {
		return nil, err
	}
	content, err := files(binary)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = p.OS, p.Architecture, p.Variant
	config.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	if config.Config, err = describe(source); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, config)
}

// describe returns what the last stage of the Dockerfile at the root says about containers.
func describe(source string) (v1.Config, error) {
	text, err := os.ReadFile(filepath.Join(source, "Dockerfile"))
	if err != nil {
		return v1.Config{}, err
	}
	all, err := stages(bytes.NewReader(text))
	if err != nil {
		return v1.Config{}, err
	}
	return configure(all[len(all)-1])
}

// buildFlags are those of all releases.
var buildFlags = []string{"-trimpath", "-tags", "grpcnotrace", "-ldflags=-s -w -buildid="}

// compile builds the program with the toolchain that go.mod names. Nothing of the machine it is built on gets into it.
func compile(source string, p v1.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "sluice-image-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "sluice")
	toolchain, err := toolchain(source)
	if err != nil {
		return nil, err
	}
	c := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-buildvcs=false", "-o", file, "./cmd/sluice")...)
	c.Dir, c.Stderr = source, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Architecture, "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN="+toolchain)
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(file)
}

// toolchain returns the one that go.mod names. Another one would give another digest, and maybe an older standard library
// than the one that is checked for known vulnerabilities.
func toolchain(source string) (string, error) {
	content, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(content)) {
		if name, ok := strings.CutPrefix(line, "toolchain "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("go.mod names no toolchain")
}

// files returns the image's only layer: the program, the certificates that pushes to HTTPS receivers are checked with,
// a directory for the data and one for temporary files.
func files(binary []byte) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	directory := func(name string, mode int64, id int) error {
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: id, Gid: id, Format: tar.FormatPAX})
	}
	file := func(name string, mode int64, content []byte) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	}
	for _, step := range []func() error{
		func() error { return directory("etc/", 0o755, 0) },
		func() error { return directory("etc/ssl/", 0o755, 0) },
		func() error { return directory("etc/ssl/certs/", 0o755, 0) },
		func() error { return file("etc/ssl/certs/ca-certificates.crt", 0o644, roots()) },
		func() error { return directory("tmp/", 0o1777, 0) },
		func() error { return directory("data/", 0o755, owner) },
		func() error { return file("sluice", 0o755, binary) },
		w.Close,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// roots are the public certificate authorities that Mozilla trusts without constraints.
func roots() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes all
		}
	}
	return b.Bytes()
}
