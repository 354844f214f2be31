package diag_test

import (
	"testing"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// TestNearest pins what counts as a misspelling.
func TestNearest(t *testing.T) {
	names := []string{"GetProductByID", "GetProductsByBrand", "GetAllBrands"}
	for name, want := range map[string]string{
		"getproductbyid": "GetProductByID", "GetProductsByBrnad": "GetProductsByBrand",
		"get-all-brands": "GetAllBrands", "Scan": "", "": "",
	} {
		if got := diag.Nearest(name, names); got != want {
			t.Errorf("Nearest(%q): got %q, want %q", name, got, want)
		}
	}
}
