-- The runs of leases that ran out. The time is that of the statement: the one that moves while it runs is no condition for an
-- index, and every lease of the tenant was read. It is asked for apart, or it is none for a role that is held to its tenant.
-- Plan: work_leased from $4 ms ago up to now, a probe of work_number for each of its items, then one of the primary key for
-- each run; what was looked at a minute ago is not looked at again ($4).
SELECT json_build_array(run_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at)::text
FROM run
WHERE tenant_id = $1 AND run_id = ANY (ARRAY(
  SELECT run_id FROM work_leased AS watched
  WHERE tenant_id = $1 AND lease_expires_at > (SELECT coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)) - $4
    AND lease_expires_at <= (SELECT coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint))
    AND EXISTS (
      SELECT 1 FROM unnest(watched.numbers) AS named (number)
      CROSS JOIN LATERAL (
        SELECT status, lease_expires_at FROM work_item WHERE number = named.number AND tenant_id = $1 LIMIT 1
      ) AS item
      WHERE item.status = 'leased'
        AND item.lease_expires_at <= coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
    )
  ORDER BY lease_expires_at
  LIMIT $3
))
FOR NO KEY UPDATE SKIP LOCKED
