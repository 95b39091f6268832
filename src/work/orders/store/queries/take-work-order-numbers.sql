INSERT INTO work_order_numbers (tenant_id, day, last_number)
VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, day) DO UPDATE SET last_number = work_order_numbers.last_number + $3
RETURNING last_number
