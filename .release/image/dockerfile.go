package main

import (
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"
)

// stages reads a Dockerfile as docker build does. What that would warn of is an error.
func stages(dockerfile io.Reader) ([]instructions.Stage, error) {
	parsed, err := parser.Parse(dockerfile)
	if err != nil {
		return nil, err
	}
	for _, w := range parsed.Warnings {
		return nil, fmt.Errorf("dockerfile: %s", w.Short)
	}
	all, _, err := instructions.Parse(parsed.AST, nil)
	return all, err
}

// configure returns what the stage says about containers. An instruction that it does not know is an error, since the image
// would lack what docker build gives it.
func configure(stage instructions.Stage) (v1.Config, error) {
	c := v1.Config{Labels: map[string]string{}, ExposedPorts: map[string]struct{}{}, Volumes: map[string]struct{}{}}
	words := shell.NewLex('\\')
	plain := func(word string) (string, error) {
		text, _, err := words.ProcessWord(word, shell.EnvsFromSlice(nil))
		return text, err
	}
	for _, command := range stage.Commands {
		if e, ok := command.(instructions.SupportsSingleWordExpansion); ok {
			if err := e.Expand(plain); err != nil {
				return c, fmt.Errorf("dockerfile: %v: %w", command, err)
			}
		}
		if err := add(&c, command); err != nil {
			return c, err
		}
	}
	return c, nil
}

func add(c *v1.Config, command instructions.Command) error {
	switch command := command.(type) {
	case *instructions.CopyCommand:
		if text := fmt.Sprint(command); text != "COPY --from=build /out /" {
			return fmt.Errorf("dockerfile: %s: only the tree of the first stage is copied", text)
		}
	case *instructions.HealthCheckCommand:
		h := command.Health
		c.Healthcheck = &v1.HealthConfig{Test: h.Test, Interval: h.Interval, Timeout: h.Timeout, StartPeriod: h.StartPeriod, Retries: h.Retries}
	case *instructions.UserCommand:
		c.User = command.User
	case *instructions.EntrypointCommand:
		c.Entrypoint = command.CmdLine
		return needsNoShell(command, command.PrependShell)
	case *instructions.CmdCommand:
		c.Cmd = command.CmdLine
		return needsNoShell(command, command.PrependShell)
	default:
		return addNamed(c, command)
	}
	return nil
}

// addNamed adds what there may be several of.
func addNamed(c *v1.Config, command instructions.Command) error {
	switch command := command.(type) {
	case *instructions.LabelCommand:
		for _, l := range command.Labels {
			c.Labels[l.Key] = l.Value
		}
	case *instructions.EnvCommand:
		for _, e := range command.Env {
			c.Env = append(c.Env, e.String())
		}
	case *instructions.ExposeCommand:
		for _, p := range command.Ports {
			c.ExposedPorts[p+"/tcp"] = struct{}{}
		}
	case *instructions.VolumeCommand:
		for _, v := range command.Volumes {
			c.Volumes[v] = struct{}{}
		}
	default:
		return fmt.Errorf("dockerfile: %v is not understood here", command)
	}
	return nil
}

// needsNoShell returns an error for a command that needs a shell, since the image has none.
func needsNoShell(command instructions.Command, needs bool) error {
	if needs {
		return fmt.Errorf("dockerfile: %v: there is no shell", command)
	}
	return nil
}
