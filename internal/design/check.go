package design

import (
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Check is written next.
func Check(m *model.Model, d *Design) diag.List { return nil }
