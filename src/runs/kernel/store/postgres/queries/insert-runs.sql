INSERT INTO run (tenant_id, run_id, app_id, objective, created_at, status, close_reason, close_message, head_revision_id, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
  $11::boolean[], $12::bigint[], $13::integer[], $14::bigint[], $15::bigint[], $16::text[], $17::integer[], $18::bigint[], $19::integer[],
  $20::integer[], $21::bigint[], $22::bigint[])
