-- A page: at most so many lines, and no more than so many bytes of them. Plan: the primary key from there on.
SELECT seq, line
FROM (
  SELECT seq, line, sum(octet_length(line)) OVER (ORDER BY seq) - octet_length(line) AS before
  FROM (
    SELECT seq, line FROM log_event
    WHERE tenant_id = $1 AND session_id = $2 AND seq > $3
    ORDER BY seq LIMIT $4
  ) AS page
) AS measured
WHERE before < $5
ORDER BY seq
