-- Deletes expiry rows whose items ended before the expiry. It needs no lock of a run: an item that is leased again, or for
-- longer, has another row. Plan: work_leased from $4 ms ago up to now, then a probe of work_number for each item.
DELETE FROM work_leased
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM work_leased AS watched
  WHERE tenant_id = $1 AND lease_expires_at > (SELECT coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)) - $4
    AND lease_expires_at <= (SELECT coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint))
    AND NOT EXISTS (
      SELECT 1 FROM unnest(watched.numbers) AS named (number)
      CROSS JOIN LATERAL (
        SELECT status, lease_expires_at FROM work_item WHERE number = named.number AND tenant_id = $1 LIMIT 1
      ) AS item
      WHERE item.status = 'leased'
        AND item.lease_expires_at <= coalesce($2::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
    )
  ORDER BY lease_expires_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED
))
