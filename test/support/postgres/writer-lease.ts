import pg from "pg";

/** On PostgreSQL a session belongs to its dead writer until the writer's lease has run out, 15 s later: this ends that time. */
export async function endWriterLease(store: string, pid: number | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  const { rowCount } = await client.query("UPDATE log_writer SET expires_at = 0 WHERE name LIKE $1", [
    `process ${pid} on %`,
  ]);
  await client.end();
  if (rowCount !== 1) throw new Error(`process ${pid} is no writer of the log`);
}
