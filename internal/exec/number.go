package exec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// exact has room for any product of two numbers and rounds as PostgreSQL's numeric does.
var exact = apd.Context{Precision: 400, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent,
	Rounding: apd.RoundHalfUp}

func decimalOf(v dynamo.Value) *apd.Decimal {
	d, _, err := apd.NewFromString(v.Str())
	if err != nil {
		panic("keyfold: internal error: not a number: " + v.Str())
	}
	return d
}

func numberOf(d *apd.Decimal) (dynamo.Value, error) {
	v, err := dynamo.Number(d.Text('E'))
	if err != nil {
		return v, errors.New("numeric result beyond DynamoDB's 38 digits or range")
	}
	return v, nil
}

// arithmetic computes l op r in the type that the operands' types make.
func arithmetic(e *model.Binary, l, r dynamo.Value) (dynamo.Value, error) {
	lt, rt := e.Left.Type(), e.Right.Type()
	t := e.Type()
	switch {
	case lt.Kind == model.Float || rt.Kind == model.Float:
		t.Kind = model.Float
	case lt.Kind == model.Integer && rt.Kind == model.Integer:
		t = model.Type{Kind: model.Integer, Bits: max(integerBits(lt), integerBits(rt))}
	default:
		t = model.Type{Kind: model.Decimal, Scale: max(lt.Scale, rt.Scale)}
	}
	v, err := compute(t, e.Op, l, r)
	if err != nil {
		return v, fmt.Errorf("%s: %w", e, err)
	}
	return v, nil
}

// compute does one operation on two numbers in type t.
func compute(t model.Type, op model.Op, l, r dynamo.Value) (dynamo.Value, error) {
	if (op == model.OpDiv || op == model.OpMod) && r.Str() == "0" {
		return r, errors.New("division by zero")
	}
	switch {
	case t.Kind == model.Float:
		return computeFloat(op, l, r)
	case op == model.OpAdd:
		return within(t)(dynamo.Add(l, r))
	case op == model.OpSub:
		return within(t)(dynamo.Sub(l, r))
	}
	x, y, z := decimalOf(l), decimalOf(r), new(apd.Decimal)
	var err error
	switch {
	case op == model.OpMul:
		_, err = exact.Mul(z, x, y)
	case op == model.OpMod:
		_, err = exact.Rem(z, x, y)
	case op == model.OpDiv && t.Kind == model.Integer:
		_, err = exact.QuoInteger(z, x, y)
	case op == model.OpDiv:
		return divide(l, r, t.Scale)
	default:
		return l, fmt.Errorf("operator %s is not arithmetic", op)
	}
	if err != nil {
		return l, err
	}
	return within(t)(numberOf(z))
}

// within checks an integer result against its type's range.
func within(t model.Type) func(dynamo.Value, error) (dynamo.Value, error) {
	return func(v dynamo.Value, err error) (dynamo.Value, error) {
		if err == nil && t.Kind == model.Integer && !t.Array {
			if _, bad := strconv.ParseInt(v.Str(), 10, integerBits(t)); bad != nil {
				return v, fmt.Errorf("%s out of range", t)
			}
		}
		return v, err
	}
}

// divide gives a quotient the scale that PostgreSQL does: at least 16 significant digits
// and never fewer decimals than an operand has.
func divide(l, r dynamo.Value, scale int) (dynamo.Value, error) {
	lw, ld := leading(l.Str())
	rw, rd := leading(r.Str())
	weight := lw - rw
	if ld <= rd {
		weight--
	}
	const significant, base = 16, 4
	scale = max(significant-weight*base, scale, fractionDigits(l), fractionDigits(r), 0)
	z := new(apd.Decimal)
	if _, err := exact.Quo(z, decimalOf(l), decimalOf(r)); err != nil {
		return l, err
	}
	return round(z, scale)
}

// leading returns the weight and the value of a number's first digit in base 10000.
func leading(s string) (weight, digit int) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	whole = strings.TrimLeft(whole, "0")
	if whole != "" {
		n := (len(whole) - 1) % 4
		digit, _ = strconv.Atoi(whole[:n+1])
		return (len(whole) - 1) / 4, digit
	}
	for i := 0; i < len(fraction); i += 4 {
		group := (fraction[i:] + "000")[:4]
		if digit, _ = strconv.Atoi(group); digit > 0 {
			return -1 - i/4, digit
		}
	}
	return 0, 0
}

func fractionDigits(v dynamo.Value) int {
	_, fraction, _ := strings.Cut(v.Str(), ".")
	return len(fraction)
}

// round rounds half away from zero to a number of decimals.
func round(d *apd.Decimal, scale int) (dynamo.Value, error) {
	z := new(apd.Decimal)
	if _, err := exact.Quantize(z, d, int32(-scale)); err != nil {
		return dynamo.Value{}, err
	}
	// Digits beyond the 38th cannot be stored; PostgreSQL would keep them.
	most := apd.Context{Precision: 38, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfUp}
	if _, err := most.Round(z, z); err != nil {
		return dynamo.Value{}, err
	}
	return numberOf(z)
}

func computeFloat(op model.Op, l, r dynamo.Value) (dynamo.Value, error) {
	x, _ := strconv.ParseFloat(l.Str(), 64)
	y, _ := strconv.ParseFloat(r.Str(), 64)
	var z float64
	switch op {
	case model.OpAdd:
		z = x + y
	case model.OpSub:
		z = x - y
	case model.OpMul:
		z = x * y
	case model.OpDiv:
		z = x / y
	case model.OpMod:
		z = math.Mod(x, y)
	default:
		return l, fmt.Errorf("operator %s is not arithmetic", op)
	}
	return floatOf(z)
}

func floatOf(z float64) (dynamo.Value, error) {
	if math.IsInf(z, 0) || math.IsNaN(z) {
		return dynamo.Value{}, errors.New("value out of range: overflow")
	}
	return dynamo.Number(strconv.FormatFloat(z, 'g', -1, 64))
}

// assign converts a value that is not NULL to the type of a column or a key component, as
// an SQL assignment does: numbers are rounded to the scale, times widened or cut. Errors
// are those of a value the type cannot hold.
func assign(t model.Type, v dynamo.Value) (dynamo.Value, error) {
	switch {
	case t.Array || t.Kind == model.JSON:
		return v, CheckValue(t, v)
	case t.IsNumber() && v.Type() == dynamo.TypeNumber:
		return assignNumber(t, v)
	case (isTime(t.Kind) || t.Kind == model.Time) && v.Type() == dynamo.TypeString:
		return assignTime(t, v)
	case t.Kind == model.UUID && v.Type() == dynamo.TypeString:
		return ParseValue(t, v.Str())
	}
	if err := CheckValue(t, v); err != nil {
		return v, err
	}
	if t.Kind == model.Text && t.Length > 0 && utf8.RuneCountInString(v.Str()) > t.Length {
		cut := strings.TrimRight(v.Str(), " ")
		if utf8.RuneCountInString(cut) > t.Length {
			return v, fmt.Errorf("the text has %d characters, %s holds %d", utf8.RuneCountInString(v.Str()), t, t.Length)
		}
		return dynamo.String(string([]rune(v.Str())[:t.Length])), nil
	}
	return v, nil
}

func assignNumber(t model.Type, v dynamo.Value) (dynamo.Value, error) {
	switch {
	case t.Kind == model.Integer:
		w, err := round(decimalOf(v), 0)
		if err != nil {
			return v, err
		}
		return w, checkInteger(t, w)
	case t.Kind == model.Float:
		f, err := strconv.ParseFloat(v.Str(), 64)
		if err != nil {
			return v, fmt.Errorf("%s is out of range for %s", v.Str(), t)
		}
		return floatOf(f)
	case t.Precision == 0:
		return v, nil
	}
	w := v
	if fractionDigits(v) > t.Scale {
		var err error
		if w, err = round(decimalOf(v), t.Scale); err != nil {
			return v, err
		}
	}
	whole, _, _ := strings.Cut(strings.TrimPrefix(w.Str(), "-"), ".")
	if len(strings.TrimLeft(whole, "0")) > t.Precision-t.Scale {
		return v, fmt.Errorf("%s does not fit %s: at most %d digits before the point", v.Str(), t, t.Precision-t.Scale)
	}
	return w, nil
}

// assignTime converts among dates and timestamps; the zone is UTC.
func assignTime(t model.Type, v dynamo.Value) (dynamo.Value, error) {
	if len(v.Str()) == len(timeForm(t.Kind)) {
		if err := checkTime(v, timeForm(t.Kind)); err == nil {
			return v, nil
		}
	}
	if t.Kind == model.Time && len(v.Str()) > len(design.DateForm) {
		if at, ok := scanTime(model.TimestampTZ, v.Str()); ok {
			return dynamo.String(at.Format(design.TimeForm)), nil
		}
	}
	return parseTime(t, v.Str())
}
