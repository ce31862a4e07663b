package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func (w *world) note(ns Namespace, change map[string]*string) {
	w.Helper()
	if err := w.AmendNotes(context.Background(), ns, change); err != nil {
		w.Fatalf("AmendNotes(%v, %v) = %v", ns, change, err)
	}
}

func (w *world) wantNotes(ns Namespace, want map[string]string) {
	w.Helper()
	got, err := w.Notes(context.Background(), ns)
	if err != nil {
		w.Fatalf("Notes(%v) = %v", ns, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("Notes(%v) (-want +got):\n%s", ns, diff)
	}
}

var elsewhere = Namespace{Account: home.Account, Region: "elsewhere"}

func TestNotesAreAmendedOneByOne(t *testing.T) {
	w := newWorld(t, strict())
	w.wantNotes(home, nil)
	w.note(home, map[string]*string{"a": new("1"), "b": new("2")})
	w.note(home, map[string]*string{"b": nil, "c": new(""), "absent": nil})
	w.wantNotes(home, map[string]string{"a": "1", "c": ""})
	w.wantNotes(elsewhere, nil)
	w.note(elsewhere, map[string]*string{"a": new("other")})
	w.wantNotes(home, map[string]string{"a": "1", "c": ""})
	w.wantNotes(elsewhere, map[string]string{"a": "other"})
}

// Whoever has asked for notes may change what he was given.
func TestNotesAreCopies(t *testing.T) {
	w := newWorld(t, strict())
	w.note(home, map[string]*string{"a": new("1")})
	got, err := w.Notes(t.Context(), home)
	if err != nil {
		t.Fatalf("Notes() = %v", err)
	}
	got["a"] = "changed"
	w.wantNotes(home, map[string]string{"a": "1"})
}

func TestNotesWithoutContentLeaveNothing(t *testing.T) {
	w := newWorld(t, strict())
	w.note(home, nil)
	w.note(home, map[string]*string{"a": new("1")})
	wantKeys(t, w.store, map[string]int{"N": 1})
	w.note(home, map[string]*string{"a": nil})
	wantKeys(t, w.store, map[string]int{})
	w.wantNotes(home, nil)
}

func TestNotesSurviveARestart(t *testing.T) {
	bothRestarts(t, strict(), func(_ *testing.T, w *world) {
		w.note(home, map[string]*string{"a": new("1"), "b": new("")})
		w.note(elsewhere, map[string]*string{"a": new("other")})
		w.note(home, map[string]*string{"a": new("2")})
		w.restart()
		w.wantNotes(home, map[string]string{"a": "2", "b": ""})
		w.wantNotes(elsewhere, map[string]string{"a": "other"})
		w.note(elsewhere, map[string]*string{"a": nil})
		w.restart()
		w.wantNotes(elsewhere, nil)
	})
}

func TestFailedAmendNotesChangesNothing(t *testing.T) {
	w, store := newFaultyWorld(t, strict())
	w.note(home, map[string]*string{"a": new("1")})
	change := map[string]*string{"a": nil, "b": new("2")}
	store.FailCommits(1, errDisk)
	err := w.AmendNotes(t.Context(), home, change)
	wantKind(t, "AmendNotes()", err, Internal)
	if !errors.Is(err, errDisk) {
		t.Errorf("AmendNotes() = %v, want the store's error within", err)
	}
	w.wantNotes(home, map[string]string{"a": "1"})
	w.note(home, change)
	w.wantNotes(home, map[string]string{"b": "2"})
	w.restart()
	w.wantNotes(home, map[string]string{"b": "2"})
}

// While nothing can be read back, notes are not told, since they may be what could not be stored.
func TestNotesAreNotToldWhileTheStoreIsGone(t *testing.T) {
	w, store := newFaultyWorld(t, strict())
	w.note(home, map[string]*string{"a": new("1")})
	store.Break(errDisk)
	store.FailReads(errDisk)
	for range 2 {
		wantKind(t, "AmendNotes()", w.AmendNotes(t.Context(), home, map[string]*string{"a": new("2")}), Internal)
		wantKind(t, "Notes()", second(w.Notes(t.Context(), home)), Internal)
	}
	store.Repair()
	w.wantNotes(home, map[string]string{"a": "1"})
	w.note(home, map[string]*string{"b": new("2")})
	w.wantNotes(home, map[string]string{"a": "1", "b": "2"})
}

func TestNotesAreToldWhenTheyAreStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newFaultyWorld(t, strict())
		release := store.Block()
		amended, told := make(chan error, 1), make(chan error, 1)
		go func() { amended <- w.AmendNotes(context.Background(), home, map[string]*string{"a": new("1")}) }()
		synctest.Wait()
		go func() { told <- second(w.Notes(context.Background(), home)) }()
		synctest.Wait()
		if len(told) > 0 {
			t.Error("Notes() has told what is not stored")
		}
		store.FailCommits(1, errDisk)
		release()
		wantKind(t, "AmendNotes()", <-amended, Internal)
		wantKind(t, "Notes() of what was not stored", <-told, Internal)
		w.wantNotes(home, nil)
	})
}

func TestNotesOfManyAtOnce(t *testing.T) {
	w := newWorld(t, strict())
	want := map[string]string{}
	var all sync.WaitGroup
	for i := range 20 {
		name := fmt.Sprint("n", i)
		want[name] = "x"
		all.Go(func() {
			if err := w.AmendNotes(context.Background(), home, map[string]*string{name: new("x")}); err != nil {
				t.Errorf("AmendNotes(%s) = %v", name, err)
			}
		})
	}
	all.Wait()
	w.wantNotes(home, want)
	w.restart()
	w.wantNotes(home, want)
}
