package engine

import (
	"sync"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
	"github.com/keyfold-dev/keyfold/internal/partiql"
)

// parsedExpressions keep parsed expressions by their text. Programs send a few texts over
// and over again, with other values.
type parsedExpressions struct {
	conditions    cache[*expr.Condition]
	filters       cache[*expr.Condition]
	keyConditions cache[*expr.KeyCondition]
	updates       cache[*expr.Update]
	projections   cache[*expr.Projection]
	statements    cache[*partiql.Statement]
}

func (p *parsedExpressions) init() {
	p.conditions.parse = func(src string) (*expr.Condition, error) {
		return expr.ParseCondition(expr.ConditionExpression, src)
	}
	p.filters.parse = func(src string) (*expr.Condition, error) {
		return expr.ParseCondition(expr.FilterExpression, src)
	}
	p.keyConditions.parse = expr.ParseKeyCondition
	p.updates.parse = expr.ParseUpdate
	p.projections.parse = expr.ParseProjection
	p.statements.parse = partiql.Parse
}

// A cache keeps at most two generations of cacheSize results. When the young generation
// is full, the old one is forgotten; what is used meanwhile moves to the young one again.
type cache[T any] struct {
	parse      func(src string) (T, error)
	mu         sync.RWMutex
	young, old map[string]T
}

const cacheSize = 500

func (c *cache[T]) get(src string) (T, error) {
	c.mu.RLock()
	v, ok := c.young[src]
	c.mu.RUnlock()
	if ok {
		return v, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok = c.old[src]
	if !ok {
		var err error
		if v, err = c.parse(src); err != nil {
			return v, err
		}
	}
	if len(c.young) >= cacheSize || c.young == nil {
		c.old, c.young = c.young, make(map[string]T)
	}
	c.young[src] = v
	return v, nil
}

// An expressionSet is what the expressions of one request say, ready for use.
type expressionSet struct {
	condition  *expr.Condition
	filter     *expr.Condition
	update     *expr.Update
	projection *expr.Projection
	key        []expr.KeyTerm
}

// expressionTexts are the expressions of one request as sent; "" for one not given.
type expressionTexts struct {
	condition, filter, update, projection, key string
}

// bind parses the expressions of a request and resolves their placeholders. kinds are the
// expressions that the request could have.
func (p *parsedExpressions) bind(t expressionTexts, x *dynamo.Expressions, kinds []expr.Kind) (set expressionSet, err error) {
	if t == (expressionTexts{}) {
		if x.Names == nil && x.Values == nil {
			return set, nil
		}
		return set, expr.NotAllowed(x, kinds...)
	}
	scope, err := expr.NewScope(x)
	if err != nil {
		return set, err
	}
	if set.filter, err = bindOne(&p.filters, t.filter, scope); err != nil {
		return set, err
	}
	if set.key, err = bindKey(&p.keyConditions, t.key, scope); err != nil {
		return set, err
	}
	if set.projection, err = bindOne(&p.projections, t.projection, scope); err != nil {
		return set, err
	}
	if set.update, err = bindOne(&p.updates, t.update, scope); err != nil {
		return set, err
	}
	if set.condition, err = bindOne(&p.conditions, t.condition, scope); err != nil {
		return set, err
	}
	return set, scope.Unused()
}

type bindable[T any] interface {
	Bind(*expr.Scope) (T, error)
}

func bindOne[T bindable[T]](c *cache[T], src string, scope *expr.Scope) (bound T, err error) {
	if src == "" {
		return bound, nil
	}
	parsed, err := c.get(src)
	if err != nil {
		return bound, err
	}
	return parsed.Bind(scope)
}

func bindKey(c *cache[*expr.KeyCondition], src string, scope *expr.Scope) ([]expr.KeyTerm, error) {
	if src == "" {
		return nil, nil
	}
	parsed, err := c.get(src)
	if err != nil {
		return nil, err
	}
	return parsed.Bind(scope)
}

// A parameter is one parameter of a request, and whether it is given.
type parameter struct {
	name  string
	given bool
}

// notMixed refuses requests that use both the legacy parameters and expressions.
func notMixed(legacy, expressions []parameter) error {
	l, e := given(legacy), given(expressions)
	if l != "" && e != "" {
		return invalid(textMixedParameters, l, e)
	}
	return nil
}

func given(ps []parameter) string {
	list := ""
	for _, p := range ps {
		if !p.given {
			continue
		}
		if list != "" {
			list += ", "
		}
		list += p.name
	}
	return list
}
