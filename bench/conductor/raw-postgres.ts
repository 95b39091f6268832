import pg from "pg";

/** The least a durable queue on PostgreSQL can do: SKIP LOCKED, a lease, and an event row for each of its transitions. */
export interface RawPostgres {
  enqueue(count: number): Promise<void>;
  /** One insert a commit, so many connections at once. */
  enqueueSingly(count: number, connections: number): Promise<void>;
  drain(batch: number, connections: number): Promise<number>;
  close(): Promise<void>;
}

const claim = `WITH picked AS (
  SELECT id FROM job WHERE status = 'queued' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
), leased AS (
  UPDATE job SET status = 'leased', owner = $2, expires_at = now() + interval '1 minute' FROM picked WHERE job.id = picked.id RETURNING job.id, job.work_id
), told AS (
  INSERT INTO job_event (event_type, payload, actor) SELECT 'work.leased', '{"lease_epoch":1,"work_id":"' || work_id || '"}', $2 FROM leased
) SELECT id FROM leased`;
const finish = `WITH done AS (
  UPDATE job SET status = 'completed' WHERE id = ANY ($1::bigint[]) AND status = 'leased' AND owner = $2 RETURNING work_id
) INSERT INTO job_event (event_type, payload, actor) SELECT 'work.completed', '{"lease_epoch":1,"work_id":"' || work_id || '"}', $2 FROM done`;
const insertMany = `WITH made AS (
  INSERT INTO job (work_id, objective, status) SELECT 'WRK-01m7e81w00' || lpad(n::text, 15, '0'), 'do ' || n, 'queued' FROM generate_series($1::int, $2::int) AS n RETURNING work_id
) INSERT INTO job_event (event_type, payload, actor) SELECT 'work.requested', '{"work_id":"' || work_id || '"}', 'bench' FROM made`;

export async function rawPostgres(url: string): Promise<RawPostgres> {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(`
    CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, work_id text NOT NULL, objective text NOT NULL, status text NOT NULL, owner text, expires_at timestamptz);
    CREATE INDEX job_queued ON job (id) WHERE status = 'queued';
    CREATE TABLE job_event (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_type text NOT NULL, payload text NOT NULL, actor text NOT NULL, at timestamptz NOT NULL DEFAULT now());
  `);
  return {
    async enqueue(count) {
      for (let from = 1; from <= count; from += 1_000)
        await pool.query({ name: "many", text: insertMany, values: [from, Math.min(count, from + 999)] });
    },
    async enqueueSingly(count, connections) {
      let left = count;
      const lane = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await pool.query({ name: "many", text: insertMany, values: [left + 1, left + 1] });
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
    },
    async drain(batch, connections) {
      let done = 0;
      const lane = async (owner: string): Promise<void> => {
        for (;;) {
          const { rows } = await pool.query<{ id: string }>({ name: "claim", text: claim, values: [batch, owner] });
          if (rows.length === 0) return;
          await pool.query({ name: "finish", text: finish, values: [rows.map(({ id }) => id), owner] });
          done += rows.length;
        }
      };
      await Promise.all(Array.from({ length: connections }, (_, index) => lane(`worker-${index}`)));
      return done;
    },
    close: () => pool.end(),
  };
}
