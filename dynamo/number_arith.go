package dynamo

import (
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// Add returns a + b, both N values, exactly. A sum with more than 38 significant digits
// or outside the range of numbers is a ValidationException with the service's text, as if
// it had been stored.
func Add(a, b Value) (Value, error) {
	if x, y, ok := smallIntegers(a, b); ok {
		return Int(x + y), nil
	}
	return arithmetic((*apd.Context).Add, a, b)
}

// Sub returns a - b, both N values; errors are those of Add.
func Sub(a, b Value) (Value, error) {
	if x, y, ok := smallIntegers(a, b); ok {
		return Int(x - y), nil
	}
	return arithmetic((*apd.Context).Sub, a, b)
}

// smallIntegers returns both numbers when neither they nor their sum can overflow.
func smallIntegers(a, b Value) (x, y int64, ok bool) {
	const short = 18
	if len(a.text) > short || len(b.text) > short {
		return 0, 0, false
	}
	x, err := strconv.ParseInt(a.text, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	y, err = strconv.ParseInt(b.text, 10, 64)
	return x, y, err == nil
}

// exact does not round: the widest sum of two numbers has 256 digits.
var exact = apd.Context{Precision: 300, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent}

func arithmetic(op func(c *apd.Context, d, x, y *apd.Decimal) (apd.Condition, error), a, b Value) (Value, error) {
	var x, y, sum apd.Decimal
	for _, in := range []struct {
		d *apd.Decimal
		v Value
	}{{&x, a}, {&y, b}} {
		if _, _, err := in.d.SetString(in.v.text); err != nil || in.v.kind != kindNumber {
			panic("keyfold: internal error: arithmetic on " + string(in.v.Type()) + " " + in.v.text)
		}
	}
	if _, err := op(&exact, &sum, &x, &y); err != nil {
		panic("keyfold: internal error: arithmetic: " + err.Error())
	}
	return Number(sum.Text('E'))
}
