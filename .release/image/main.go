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
	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// owner is the user that the program runs as, and that /data belongs to: nobody's number in most distributions.
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
	fmt.Println(digest)
	return nil
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

// buildImage makes the image that the Dockerfile at the root makes too.
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
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", owner, owner),
		Entrypoint:   []string{"/sluice"},
		Cmd:          []string{"serve"},
		Env:          []string{"SLUICE_LISTEN=0.0.0.0:9324", "SLUICE_DATA=/data"},
		ExposedPorts: map[string]struct{}{"9324/tcp": {}, "9325/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/sluice", "health"}, Interval: 5 * time.Second, Timeout: 3 * time.Second, StartPeriod: 10 * time.Second,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Sluice",
			"org.opencontainers.image.description": "Amazon SQS and Alibaba Cloud MNS queues on your own machine",
			"org.opencontainers.image.source":      "https://github.com/sluicemq/sluice",
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// compile builds the program. Nothing of the machine it is built on gets into it.
func compile(source string, p v1.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "sluice-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "sluice")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, "./cmd/sluice")
	c.Dir, c.Stderr = source, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Architecture, "GOWORK=off", "GOFLAGS=")
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(file)
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
