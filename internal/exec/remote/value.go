package remote

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func toItem(it dynamo.Item) map[string]types.AttributeValue {
	if it == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(it))
	for _, a := range it {
		out[a.Name] = toValue(a.Value)
	}
	return out
}

func toItems(items []dynamo.Item) []map[string]types.AttributeValue {
	out := make([]map[string]types.AttributeValue, len(items))
	for i, it := range items {
		out[i] = toItem(it)
	}
	return out
}

func toValue(v dynamo.Value) types.AttributeValue {
	switch v.Type() {
	case dynamo.TypeString:
		return &types.AttributeValueMemberS{Value: v.Str()}
	case dynamo.TypeNumber:
		return &types.AttributeValueMemberN{Value: v.Str()}
	case dynamo.TypeBinary:
		return &types.AttributeValueMemberB{Value: []byte(v.Str())}
	case dynamo.TypeBool:
		return &types.AttributeValueMemberBOOL{Value: v.IsTrue()}
	case dynamo.TypeNull:
		return &types.AttributeValueMemberNULL{Value: true}
	case dynamo.TypeMap:
		return &types.AttributeValueMemberM{Value: toItem(append(dynamo.Item{}, v.Fields()...))}
	case dynamo.TypeList:
		list := []types.AttributeValue{}
		for _, el := range v.Elements() {
			list = append(list, toValue(el))
		}
		return &types.AttributeValueMemberL{Value: list}
	case dynamo.TypeStringSet:
		return &types.AttributeValueMemberSS{Value: texts(v)}
	case dynamo.TypeNumberSet:
		return &types.AttributeValueMemberNS{Value: texts(v)}
	case dynamo.TypeBinarySet:
		var set [][]byte
		for _, s := range texts(v) {
			set = append(set, []byte(s))
		}
		return &types.AttributeValueMemberBS{Value: set}
	}
	panic("keyfold: internal error: value of type " + string(v.Type()))
}

func texts(set dynamo.Value) []string {
	var out []string
	for _, el := range set.Elements() {
		out = append(out, el.Str())
	}
	return out
}

// fromItem is nil for nil, which says that there is no item.
func fromItem(m map[string]types.AttributeValue) dynamo.Item {
	if m == nil {
		return nil
	}
	attrs := make([]dynamo.Attr, 0, len(m))
	for name, v := range m {
		attrs = append(attrs, dynamo.Attr{Name: name, Value: fromValue(v)})
	}
	return dynamo.NewItem(attrs...)
}

func fromItems(list []map[string]types.AttributeValue) []dynamo.Item {
	out := make([]dynamo.Item, len(list))
	for i, m := range list {
		out[i] = fromItem(m)
	}
	return out
}

func fromValue(v types.AttributeValue) dynamo.Value {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return dynamo.String(v.Value)
	case *types.AttributeValueMemberN:
		return numberOf(v.Value)
	case *types.AttributeValueMemberB:
		return dynamo.Binary(v.Value)
	case *types.AttributeValueMemberBOOL:
		return dynamo.Bool(v.Value)
	case *types.AttributeValueMemberNULL:
		return dynamo.Null()
	case *types.AttributeValueMemberM:
		return dynamo.Map(fromItem(v.Value))
	case *types.AttributeValueMemberL:
		list := make([]dynamo.Value, len(v.Value))
		for i, el := range v.Value {
			list[i] = fromValue(el)
		}
		return dynamo.List(list...)
	case *types.AttributeValueMemberSS:
		return orList(dynamo.StringSet(v.Value...))
	case *types.AttributeValueMemberNS:
		elements := make([]dynamo.Value, len(v.Value))
		for i, s := range v.Value {
			elements[i] = numberOf(s)
		}
		return orList(dynamo.NumberSet(elements))
	case *types.AttributeValueMemberBS:
		return orList(dynamo.BinarySet(v.Value))
	}
	panic(fmt.Sprintf("keyfold: internal error: attribute value %T", v))
}

// numberOf reads a number that a DynamoDB has sent. Text that is none stays text, which
// the reader of the item then finds in the place of a number.
func numberOf(s string) dynamo.Value {
	v, err := dynamo.Number(s)
	if err != nil {
		return dynamo.String(s)
	}
	return v
}

// orList is the set, or an empty list for what no DynamoDB would have stored.
func orList(set dynamo.Value, err error) dynamo.Value {
	if err != nil {
		return dynamo.List()
	}
	return set
}

func capacity(c *types.ConsumedCapacity) *dynamo.ConsumedCapacity {
	if c == nil {
		return nil
	}
	return &dynamo.ConsumedCapacity{TableName: aws.ToString(c.TableName), Units: aws.ToFloat64(c.CapacityUnits),
		ReadUnits: aws.ToFloat64(c.ReadCapacityUnits), WriteUnits: aws.ToFloat64(c.WriteCapacityUnits)}
}

func capacities(list []types.ConsumedCapacity) []dynamo.ConsumedCapacity {
	var out []dynamo.ConsumedCapacity
	for i := range list {
		out = append(out, *capacity(&list[i]))
	}
	slices.SortFunc(out, func(a, b dynamo.ConsumedCapacity) int {
		return strings.Compare(a.TableName, b.TableName)
	})
	return out
}
