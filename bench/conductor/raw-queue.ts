import type { Sqlite } from "#core/database";

/** The least a durable queue can do: a row per job, a lease, and an event row for each of its two transitions. */
export interface RawQueue {
  enqueue(count: number): void;
  /** Leases and completes everything, in batches; answers how many. */
  drain(batch: number): number;
}

export function rawQueue(database: Sqlite): RawQueue {
  database.exec(`
    CREATE TABLE job (id INTEGER PRIMARY KEY, work_id TEXT NOT NULL, objective TEXT NOT NULL, status TEXT NOT NULL, owner TEXT, expires_at INTEGER) STRICT;
    CREATE INDEX job_queued ON job (id) WHERE status = 'queued';
    CREATE TABLE job_event (seq INTEGER PRIMARY KEY, event_type TEXT NOT NULL, payload TEXT NOT NULL, actor TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  `);
  const insert = database.prepare("INSERT INTO job (work_id, objective, status) VALUES (?, ?, 'queued')");
  const queued = database
    .prepare("SELECT id, work_id, objective FROM job WHERE status = 'queued' ORDER BY id LIMIT ?")
    .raw();
  const lease = database.prepare("UPDATE job SET status = 'leased', owner = ?, expires_at = ? WHERE id = ?");
  const complete = database.prepare(
    "UPDATE job SET status = 'completed' WHERE id = ? AND status = 'leased' AND owner = ?",
  );
  const event = database.prepare("INSERT INTO job_event (event_type, payload, actor, at) VALUES (?, ?, ?, ?)");
  const now = 1_794_700_800_000;
  const enqueueAll = database.transaction((count: number) => {
    for (let index = 0; index < count; index++)
      insert.run(`WRK-01m7e81w00${String(index).padStart(15, "0")}`, `do ${index}`);
  });
  const claim = database.transaction((batch: number) => {
    const jobs = queued.all(batch) as [number, string, string][];
    for (const [id, work] of jobs) {
      lease.run("worker-1", now, id);
      event.run("work.leased", `{"lease_epoch":1,"work_id":"${work}"}`, "worker-1", now);
    }
    return jobs;
  });
  const finish = database.transaction((jobs: readonly [number, string, string][]) => {
    for (const [id, work] of jobs) {
      complete.run(id, "worker-1");
      event.run("work.completed", `{"lease_epoch":1,"work_id":"${work}"}`, "worker-1", now);
    }
  });
  return {
    enqueue: (count) => enqueueAll.immediate(count),
    drain(batch) {
      let done = 0;
      for (;;) {
        const jobs = claim.immediate(batch);
        if (jobs.length === 0) return done;
        finish.immediate(jobs);
        done += jobs.length;
      }
    },
  };
}
