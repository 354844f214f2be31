-- The access patterns: everything the application asks of its data, as named statements.
-- :one returns a row, :many rows, :exec none. Arguments are written @name.

-- name: GetCustomer :one
SELECT * FROM customers WHERE customer_id = @customer_id;

-- name: GetLatestOrders :many
SELECT * FROM orders
WHERE customer_id = @customer_id
ORDER BY placed_at DESC
LIMIT 10;

-- name: GetOrderWithLines :many
SELECT o.order_id, o.status, o.total, l.line_no, l.product, l.quantity
FROM orders o
JOIN order_lines l ON l.order_id = o.order_id
WHERE o.order_id = @order_id
ORDER BY l.line_no;

-- name: GetOrdersByStatus :many
SELECT order_id, customer_id, total, placed_at FROM orders
WHERE status = @status
ORDER BY placed_at;

-- name: AddOrderLine :exec
INSERT INTO order_lines (order_id, line_no, product, quantity)
VALUES (@order_id, @line_no, @product, @quantity);

-- name: SetOrderStatus :exec
UPDATE orders SET status = @status WHERE order_id = @order_id;
