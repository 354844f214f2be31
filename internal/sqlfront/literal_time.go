package sqlfront

import (
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// The canonical forms of model.Kind.
const (
	dateForm        = "2006-01-02"
	timeForm        = "15:04:05.000000"
	timestampForm   = "2006-01-02T15:04:05.000000"
	timestampTZForm = "2006-01-02T15:04:05.000000Z"
)

const timeHint = "write it as '2026-01-31', '12:30:00' or '2026-01-31T12:30:00Z'"

// timeLiteral reads a date, a time or a timestamp in ISO 8601, as PostgreSQL prints them.
// A timestamptz without a zone is UTC.
func timeLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	text := strings.TrimSpace(s)
	if t.Kind == model.Time {
		clock, ok := parseClock(text)
		if !ok {
			return dynamo.Value{}, badLiteral(s, t, timeHint)
		}
		return dynamo.String(time.Time{}.Add(clock).Round(time.Microsecond).Format(timeForm)), nil
	}
	day, rest, ok := parseDay(text)
	var zone time.Duration
	if ok && rest != "" {
		var clock time.Duration
		rest, zone, ok = cutZone(strings.TrimLeft(rest[1:], " "))
		if ok {
			clock, ok = parseClock(rest)
		}
		day = day.Add(clock)
	}
	if t.Kind == model.TimestampTZ {
		day = day.Add(-zone)
	}
	day = day.Round(time.Microsecond)
	if !ok || day.Year() < 1 || day.Year() > 9999 {
		return dynamo.Value{}, badLiteral(s, t, timeHint)
	}
	form := map[model.Kind]string{model.Date: dateForm, model.Timestamp: timestampForm, model.TimestampTZ: timestampTZForm}[t.Kind]
	return dynamo.String(day.Format(form)), nil
}

// parseDay reads a date; rest is what follows it, from the T or space on.
func parseDay(s string) (day time.Time, rest string, ok bool) {
	if i := strings.IndexAny(s, "T t"); i >= 0 {
		s, rest = s[:i], s[i:]
	}
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return day, rest, false
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || len(p) > 4 || !isDigit(p[0]) {
			return day, rest, false
		}
		n[i] = v
	}
	day = time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	return day, rest, n[0] > 0 && day.Year() == n[0] && int(day.Month()) == n[1] && day.Day() == n[2]
}

// parseClock reads 12:30, 12:30:15 or 12:30:15.25.
func parseClock(s string) (time.Duration, bool) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	seconds := "0"
	if len(parts) == 3 {
		seconds = parts[2]
	}
	whole, fraction, _ := strings.Cut(seconds, ".")
	h, ok1 := smallNumber(parts[0], 23)
	m, ok2 := smallNumber(parts[1], 59)
	sec, ok3 := smallNumber(whole, 59)
	nanos := 0
	if fraction != "" {
		padded := (fraction + "000000000")[:9]
		n, err := strconv.Atoi(padded)
		if err != nil || strings.Trim(fraction, "0123456789") != "" {
			return 0, false
		}
		nanos = n
	}
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(sec)*time.Second + time.Duration(nanos)
	return d, ok1 && ok2 && ok3
}

func smallNumber(s string, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= 2 && isDigit(s[0]) && n <= most
}

// cutZone cuts Z, UTC, +02, +0200 or -03:30 off a time.
func cutZone(s string) (rest string, zone time.Duration, ok bool) {
	for _, utc := range []string{"Z", "z", " UTC", " utc", " GMT"} {
		if rest, found := strings.CutSuffix(s, utc); found {
			return rest, 0, true
		}
	}
	i := strings.LastIndexAny(s, "+-")
	if i < 0 {
		return s, 0, true
	}
	digits := strings.ReplaceAll(s[i+1:], ":", "")
	if len(digits) == 2 {
		digits += "00"
	}
	if len(digits) != 4 {
		return s, 0, false
	}
	h, ok1 := smallNumber(digits[:2], 15)
	m, ok2 := smallNumber(digits[2:], 59)
	zone = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[i] == '-' {
		zone = -zone
	}
	return strings.TrimRight(s[:i], " "), zone, ok1 && ok2
}
