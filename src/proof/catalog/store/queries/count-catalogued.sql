SELECT count(*)::integer
FROM session_catalog
WHERE tenant_id = $1
  AND ($2::text IS NULL OR kind = $2)
  AND ($3::text IS NULL OR CASE $3::text WHEN 'open' THEN closed = 0 WHEN 'closed' THEN closed = 1
    WHEN 'failed' THEN closed = 1 AND outcome <> 'done' ELSE closed = 1 AND outcome = $3::text END)
  AND ($4::text IS NULL OR caller = $4)
  AND ($5::text IS NULL OR strpos(skills, $5) > 0)
  AND ($6::text IS NULL OR strpos(tools, $6) > 0)
  AND ($7::text IS NULL OR cycle_id = $7)
  AND ($8::text IS NULL OR strpos(wrote, $8) > 0)
  AND ($9::text IS NULL OR strpos(saw, $9) > 0)
  AND ($10::text IS NULL OR strpos(allowed, $10) > 0)
  AND ($11::bigint IS NULL OR micro_usd > $11::bigint)
  AND ($12::integer IS NULL OR refused_acts > 0)
  AND ($13::text IS NULL OR started_at >= $13)
  AND ($14::text IS NULL OR started_at < $14)
  AND NOT EXISTS (SELECT 1 FROM json_array_elements_text($15::json) AS word WHERE strpos(words, word) = 0)
