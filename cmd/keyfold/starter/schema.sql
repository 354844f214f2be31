-- The data: one CREATE TABLE for each kind of row, in PostgreSQL's dialect.
-- Lines that begin with "-- keyfold:" say what SQL has no words for.

CREATE TABLE customers (
    customer_id text PRIMARY KEY,
    name        text NOT NULL,
    email       text NOT NULL
);

-- keyfold: rows=100000
CREATE TABLE orders (
    order_id    text PRIMARY KEY,
    customer_id text NOT NULL REFERENCES customers (customer_id),
    status      text NOT NULL,
    total       numeric(12,2) NOT NULL,
    placed_at   timestamptz NOT NULL
);

CREATE TABLE order_lines (
    order_id text NOT NULL REFERENCES orders (order_id),
    line_no  integer NOT NULL,
    product  text NOT NULL,
    quantity integer NOT NULL,
    PRIMARY KEY (order_id, line_no)
);
