-- The newest thread first, by its last message: the index is entered at the newest and left at the limit.
SELECT thread_id, message_id, position, session_id, sent_at
FROM thread_messages AS head
WHERE tenant_id = $1 AND position IS NOT NULL AND ($2 = '' OR (sent_at, thread_id) < ($2, $3))
  AND position = (
    SELECT max(later.position) FROM thread_messages AS later
    WHERE later.tenant_id = $1 AND later.thread_id = head.thread_id AND later.position IS NOT NULL
  )
ORDER BY sent_at DESC, thread_id DESC
LIMIT $4
