package expr

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Path leads to an attribute or to something inside one. The first step is the name of
// a top-level attribute.
type Path []Step

// A Step is an attribute name, or a list position when Name is "".
type Step struct {
	Name  string
	Index int
}

// String prints the path as the service's messages show it: [a, b, [3]].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteString(", ")
		}
		if s.Name == "" {
			fmt.Fprintf(&b, "[%d]", s.Index)
		} else {
			b.WriteString(s.Name)
		}
	}
	return "[" + b.String() + "]"
}

// Get follows the path into it; the value is absent when the path leads nowhere.
func (p Path) Get(it dynamo.Item) dynamo.Value {
	v := it.Get(p[0].Name)
	for _, s := range p[1:] {
		switch v.Type() {
		case dynamo.TypeMap:
			if s.Name == "" {
				return dynamo.Value{}
			}
			v = v.Fields().Get(s.Name)
		case dynamo.TypeList:
			if s.Name != "" || s.Index >= len(v.Elements()) {
				return dynamo.Value{}
			}
			v = v.Elements()[s.Index]
		default:
			return dynamo.Value{}
		}
	}
	return v
}

// appendText prints the path as it is written in expressions.
func (p Path) appendText(dst []byte) []byte {
	for i, s := range p {
		switch {
		case s.Name == "":
			dst = strconv.AppendInt(append(dst, '['), int64(s.Index), 10)
			dst = append(dst, ']')
			continue
		case i > 0:
			dst = append(dst, '.')
		}
		dst = append(dst, s.Name...)
	}
	return dst
}

// compareSteps orders names before list positions.
func compareSteps(a, b Step) int {
	switch {
	case a.Name == "" && b.Name == "":
		return cmp.Compare(a.Index, b.Index)
	case a.Name == "":
		return 1
	case b.Name == "":
		return -1
	}
	return strings.Compare(a.Name, b.Name)
}

// checkPaths finds the first two paths of which one lies in the other, or, when there are
// none, the first two that use one attribute both as a map and as a list. It returns the
// fault, "" if there is none.
func checkPaths(paths []Path) string {
	conflict := ""
	for j := range paths {
		for i := range j {
			switch meet(paths[i], paths[j]) {
			case pathsOverlap:
				return fmt.Sprintf(faultOverlap, paths[i], paths[j])
			case pathsConflict:
				if conflict == "" {
					conflict = fmt.Sprintf(faultConflict, paths[i], paths[j])
				}
			}
		}
	}
	return conflict
}

type meeting uint8

const (
	pathsPart meeting = iota
	pathsOverlap
	pathsConflict
)

func meet(a, b Path) meeting {
	for i := range min(len(a), len(b)) {
		if (a[i].Name == "") != (b[i].Name == "") {
			return pathsConflict
		}
		if a[i] != b[i] {
			return pathsPart
		}
	}
	return pathsOverlap
}

// A branch is one step of a tree of paths that neither overlap nor conflict. It either
// ends a path, number leaf of those the tree was grown from, or has further branches.
type branch struct {
	step Step
	leaf int
	next []branch
}

// grow makes the tree of paths. Branches are sorted by their steps.
func grow(paths []Path) []branch {
	order := make([]int, len(paths))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.CompareFunc(paths[a], paths[b], compareSteps) })
	return growFrom(paths, order, 0)
}

func growFrom(paths []Path, order []int, depth int) []branch {
	branches := make([]branch, 0, len(order))
	for len(order) > 0 {
		b := branch{step: paths[order[0]][depth], leaf: order[0]}
		n := 1
		for n < len(order) && paths[order[n]][depth] == b.step {
			n++
		}
		if len(paths[order[0]]) > depth+1 {
			b.leaf = -1
			b.next = growFrom(paths, order[:n], depth+1)
		}
		branches = append(branches, b)
		order = order[n:]
	}
	return branches
}

// roots returns the names of top-level attributes among paths, sorted; only of those that
// lead into the attribute when nested is set.
func roots(paths []Path, nested bool) []string {
	var names []string
	for _, p := range paths {
		if !nested || len(p) > 1 {
			names = append(names, p[0].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
