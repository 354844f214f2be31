package dynamo

// A reader takes encodings apart from the front. Its methods report false when the bytes
// are not what they should be; the reader is of no use then.
type reader[T string | []byte] struct{ src T }

func (r *reader[T]) byte() (byte, bool) {
	if len(r.src) == 0 {
		return 0, false
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b, true
}

// count reads a varint that counts bytes or things of at least one byte each, so that it
// cannot be larger than what is left.
func (r *reader[T]) count() (int, bool) {
	var n uint64
	for i := 0; i < len(r.src) && i < 5; i++ {
		b := r.src[i]
		n |= uint64(b&0x7F) << (7 * i)
		if b < 0x80 {
			r.src = r.src[i+1:]
			return int(n), n <= uint64(len(r.src))
		}
	}
	return 0, false
}

func (r *reader[T]) text() (T, bool) {
	n, ok := r.count()
	if !ok {
		return r.src[:0], false
	}
	s := r.src[:n]
	r.src = r.src[n:]
	return s, true
}

func (r *reader[T]) kind() (kind, bool) {
	tag, ok := r.byte()
	if !ok || tag == 0 || int(tag) >= len(tagKinds) {
		return kindAbsent, false
	}
	return tagKinds[tag], true
}

// sized reads a size and returns a reader of as many bytes.
func (r *reader[T]) sized() (reader[T], bool) {
	if len(r.src) < 4 {
		return *r, false
	}
	n := uint64(r.src[0]) | uint64(r.src[1])<<8 | uint64(r.src[2])<<16 | uint64(r.src[3])<<24
	if n > uint64(len(r.src)-4) {
		return *r, false
	}
	inner := reader[T]{src: r.src[4 : 4+n]}
	r.src = r.src[4+n:]
	return inner, true
}

// skip steps over one value.
func (r *reader[T]) skip() bool {
	k, ok := r.kind()
	if !ok {
		return false
	}
	switch k {
	case kindNull:
	case kindBool:
		_, ok = r.byte()
	case kindNumber, kindString, kindBinary:
		_, ok = r.text()
	default:
		_, ok = r.sized()
	}
	return ok
}

func decodeFields(r *reader[string], depth int) (Item, error) {
	n, ok := r.count()
	if !ok {
		return nil, errBadItem
	}
	it := make(Item, n)
	for i := range it {
		name, ok := r.text()
		if !ok || i > 0 && it[i-1].Name >= name {
			return nil, errBadItem
		}
		v, err := decodeValue(r, depth)
		if err != nil {
			return nil, err
		}
		it[i] = Attr{Name: name, Value: v}
	}
	return it, nil
}

// decodeValue reads a value that lies depth levels deep. Deeper than MaxDepth nothing was
// ever written.
func decodeValue(r *reader[string], depth int) (Value, error) {
	k, ok := r.kind()
	if !ok {
		return Value{}, errBadItem
	}
	v := Value{kind: k}
	switch k {
	case kindNull:
		return v, nil
	case kindBool:
		b, ok := r.byte()
		if !ok || b > 1 {
			return Value{}, errBadItem
		}
		v.flag = b == 1
		return v, nil
	case kindNumber, kindString, kindBinary:
		if v.text, ok = r.text(); !ok {
			return Value{}, errBadItem
		}
		return v, nil
	}
	inner, ok := r.sized()
	if !ok || depth > MaxDepth {
		return Value{}, errBadItem
	}
	return decodeCompound(v, &inner, depth+1)
}

func decodeCompound(v Value, r *reader[string], depth int) (Value, error) {
	v.more = &compound{}
	var err error
	if v.kind == kindMap {
		v.more.item, err = decodeFields(r, depth)
	} else {
		v.more.list, err = decodeElements(v.kind, r, depth)
	}
	if err == nil && len(r.src) > 0 {
		err = errBadItem
	}
	return v, err
}

func decodeElements(k kind, r *reader[string], depth int) ([]Value, error) {
	n, ok := r.count()
	if !ok {
		return nil, errBadItem
	}
	list := make([]Value, n)
	for i := range list {
		if k == kindList {
			v, err := decodeValue(r, depth)
			if err != nil {
				return nil, err
			}
			list[i] = v
			continue
		}
		text, ok := r.text()
		if !ok {
			return nil, errBadItem
		}
		list[i] = Value{kind: setElements[k], text: text}
		if i > 0 && compareElements(list[i-1], list[i]) >= 0 {
			return nil, errBadItem
		}
	}
	return list, nil
}

// fieldsSize returns the size of fields and how many there are.
func (r *reader[T]) fieldsSize(depth int) (size, fields int, ok bool) {
	fields, ok = r.count()
	for i := 0; ok && i < fields; i++ {
		var name T
		var n int
		if name, ok = r.text(); !ok {
			break
		}
		n, ok = r.valueSize(depth)
		size += len(name) + n
	}
	return size, fields, ok
}

func (r *reader[T]) valueSize(depth int) (int, bool) {
	k, ok := r.kind()
	if !ok {
		return 0, false
	}
	switch k {
	case kindNull:
		return flagSize, true
	case kindBool:
		_, ok = r.byte()
		return flagSize, ok
	case kindNumber:
		text, ok := r.text()
		return numberSize(text), ok
	case kindString, kindBinary:
		text, ok := r.text()
		return len(text), ok
	}
	inner, ok := r.sized()
	if !ok || depth > MaxDepth {
		return 0, false
	}
	if k == kindMap {
		size, fields, ok := inner.fieldsSize(depth + 1)
		return containerSize + elementSize*fields + size, ok
	}
	return inner.elementsSize(k, depth+1)
}

func (r *reader[T]) elementsSize(k kind, depth int) (size int, ok bool) {
	n, ok := r.count()
	if k == kindList {
		size = containerSize + elementSize*n
	}
	for i := 0; ok && i < n; i++ {
		if k == kindList {
			var s int
			s, ok = r.valueSize(depth)
			size += s
			continue
		}
		var text T
		text, ok = r.text()
		if k == kindNumberSet {
			size += numberSize(text)
		} else {
			size += len(text)
		}
	}
	return size, ok
}
