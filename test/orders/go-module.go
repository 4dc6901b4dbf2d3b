// Answers what golang.org/x/mod says of the versions and paths on its input, a JSON object on each line.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

type question struct {
	Versions [2]string
	Path     string
	File     string
}

type answer struct {
	Order       int
	IsCanonical [2]bool
	IsPseudo    [2]bool
	IsModule    bool
	Fits        bool
	IsFile      bool
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		a := answer{
			Order:    semver.Compare(q.Versions[0], q.Versions[1]),
			IsModule: module.CheckPath(q.Path) == nil,
			Fits:     module.Check(q.Path, q.Versions[0]) == nil,
			IsFile:   module.CheckFilePath(q.File) == nil,
		}
		for i, version := range q.Versions {
			a.IsCanonical[i] = version != "" && module.CanonicalVersion(version) == version
			a.IsPseudo[i] = module.IsPseudoVersion(version)
		}
		if err := output.Encode(a); err != nil {
			panic(err)
		}
	}
}
