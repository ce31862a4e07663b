package control

import (
	"errors"
	"net/http"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
)

func (a *API) reset(r *http.Request) (int, any, error) {
	in := resetRequest{Scope: "all"}
	if err := read(r, false, &in); err != nil {
		return 0, nil, err
	}
	switch in.Scope {
	case "messages":
		return http.StatusNoContent, nil, a.engine.ResetMessages()
	case "all":
	default:
		return 0, nil, invalid("scope", "scope is %q, want all or messages.", in.Scope)
	}
	err := a.engine.Reset()
	if err == nil && !in.Bare && a.o.Redeclare != nil {
		err = a.o.Redeclare(r.Context())
	}
	return http.StatusNoContent, nil, err
}

func (a *API) listSnapshots(*http.Request) (int, any, error) {
	list, err := a.snapshots.list()
	return http.StatusOK, &snapshotList{list}, err
}

func (a *API) takeSnapshot(r *http.Request) (int, any, error) {
	name, err := snapshotName(r)
	if err != nil {
		return 0, nil, err
	}
	in := struct {
		Kept string `json:"kept"`
	}{onMemory}
	if err := read(r, false, &in); err != nil {
		return 0, nil, err
	}
	head := snapshotShape{Name: name, Taken: stamp(clock.System{}.Now()), EngineTime: stamp(a.broker.Now()), Kept: in.Kept}
	switch {
	case in.Kept == onMemory:
		err = a.snapshots.keep(&head, a.engine.Dump)
	case in.Kept == onDisk && a.o.SnapshotDir != "":
		err = a.snapshots.write(&head, a.engine.Dump)
	case in.Kept == onDisk:
		err = conflict("NoSnapshotsOnDisk", "The server keeps its data in memory, so it has no place for snapshots on disk.")
	default:
		err = invalid("kept", "kept is %q, want memory or disk.", in.Kept)
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, &head, nil
}

func (a *API) getSnapshot(r *http.Request) (int, any, error) {
	name, err := snapshotName(r)
	if err != nil {
		return 0, nil, err
	}
	s, err := a.snapshots.find(name)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s, nil
}

func (a *API) deleteSnapshot(r *http.Request) (int, any, error) {
	name, err := snapshotName(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, a.snapshots.remove(name)
}

func (a *API) restoreSnapshot(r *http.Request) (int, any, error) {
	name, err := snapshotName(r)
	if err != nil {
		return 0, nil, err
	}
	records, err := a.snapshots.open(name)
	if err != nil {
		return 0, nil, err
	}
	err = a.engine.Restore(records)
	if errors.Is(err, core.ErrDump) {
		a.o.OnFault(err)
		err = conflict("SnapshotDamaged", "The snapshot cannot be read.")
	}
	return http.StatusNoContent, nil, err
}
