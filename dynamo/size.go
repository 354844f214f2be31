package dynamo

// ItemSize returns the size of an item in bytes, as DynamoDB counts it for limits and for
// capacity: names in UTF-8 and values (Developer Guide, "DynamoDB item sizes and formats").
func ItemSize(it Item) int {
	n := 0
	for _, a := range it {
		n += len(a.Name) + ValueSize(a.Value)
	}
	return n
}

// The guide's constants: lists and maps cost 3 bytes and 1 more per element; NULL and BOOL 1.
const (
	containerSize = 3
	elementSize   = 1
	flagSize      = 1
)

// ValueSize returns the size of a value in bytes, without the attribute's name.
func ValueSize(v Value) int {
	n := 0
	switch v.kind {
	case kindNull, kindBool:
		return flagSize
	case kindString, kindBinary:
		return len(v.text)
	case kindNumber:
		return numberSize(v.text)
	case kindStringSet, kindNumberSet, kindBinarySet:
		for _, e := range v.Elements() {
			n += ValueSize(e)
		}
	case kindList:
		n = containerSize
		for _, e := range v.Elements() {
			n += elementSize + ValueSize(e)
		}
	case kindMap:
		n = containerSize + ItemSize(v.Fields()) + elementSize*len(v.Fields())
	}
	return n
}

// numberSize counts a number as the service stores it: a byte for sign and exponent and a
// byte for every two digits counted from the point, zero pairs at either end left out, and
// a byte more when negative; at most 21 bytes. The guide only says "approximately (1 byte
// per two significant digits) + (1 byte)".
func numberSize[T string | []byte](text T) int {
	const most = 21
	if len(text) == 0 || text[0] == '0' && len(text) == 1 {
		return 1
	}
	size := 1
	if text[0] == '-' {
		size++
		text = text[1:]
	}
	return min(size+digitPairs(text), most)
}

// digitPairs counts the pairs from the first that is not 00 to the last. The pair of the
// units digit is number 0; numbers grow to the left.
func digitPairs[T string | []byte](digits T) int {
	whole := len(digits)
	for i := range len(digits) {
		if digits[i] == '.' {
			whole = i
			break
		}
	}
	first, last, seen := 0, 0, false
	for i := range len(digits) {
		if digits[i] == '0' || digits[i] == '.' {
			continue
		}
		pair := (whole - 1 - i) >> 1
		if i > whole {
			pair = -((i - whole + 1) >> 1)
		}
		if !seen {
			first, seen = pair, true
		}
		last = pair
	}
	return first - last + 1
}
