/** What the database and the processes say happened, as plain rows: no code of the product is asked. */
export interface History {
  readonly events: readonly HistoryEvent[];
  readonly patches: readonly {
    readonly run_id: string;
    readonly source_work_id: string | null;
    readonly applied: string | null;
  }[];
  readonly revisions: readonly {
    readonly run_id: string;
    readonly revision_id: string;
    readonly parent: string | null;
  }[];
  readonly heads: ReadonlyMap<string, string | null>;
  /** Completions that a worker was told are his. */
  readonly acknowledged: readonly { readonly completed: string; readonly epoch: number; readonly owner: string }[];
  /** The most that was ever seen taken of the pool. */
  readonly mostTaken: number;
  readonly poolLimit: number;
  readonly sums: { readonly pool: number; readonly shares: number };
}

export interface HistoryEvent {
  readonly run_id: string;
  readonly seq: number;
  readonly event_type: string;
  readonly actor_id: string;
  readonly payload: { readonly work_id?: string; readonly lease_epoch?: number };
}

const terminal = new Set(["work.completed", "work.failed", "work.blocked", "work.canceled"]);

/** Every anomaly in words; none is what the test wants to see. */
export function checkHistory(history: History): readonly string[] {
  return [
    ...checkEvents(history),
    ...checkAcknowledged(history),
    ...checkEffects(history),
    ...checkChains(history),
    ...checkBudget(history),
  ];
}

function checkEvents({ events }: History): readonly string[] {
  const anomalies: string[] = [];
  const lastSeq = new Map<string, number>();
  const epochs = new Map<string, number>();
  const ended = new Map<string, string>();
  for (const { run_id, seq, event_type, payload } of events) {
    if (seq !== (lastSeq.get(run_id) ?? 0) + 1)
      anomalies.push(`${run_id}: event ${seq} follows ${lastSeq.get(run_id)}`);
    lastSeq.set(run_id, seq);
    const { work_id, lease_epoch = 0 } = payload;
    if (work_id === undefined) continue;
    const before = epochs.get(work_id) ?? 0;
    if (event_type === "work.leased") {
      if (lease_epoch <= before) anomalies.push(`${work_id}: leased under epoch ${lease_epoch} after ${before}`);
      if (ended.has(work_id)) anomalies.push(`${work_id}: leased after it was ${ended.get(work_id)}`);
      epochs.set(work_id, lease_epoch);
    } else if (terminal.has(event_type)) {
      if (lease_epoch !== before)
        anomalies.push(`${work_id}: ${event_type} under epoch ${lease_epoch}, held was ${before}`);
      if (ended.has(work_id)) anomalies.push(`${work_id}: ${event_type} after ${ended.get(work_id)}`);
      ended.set(work_id, event_type);
    }
  }
  return anomalies;
}

/** Whoever was told that his work counted is the one under whose epoch it did. */
function checkAcknowledged({ events, acknowledged }: History): readonly string[] {
  const completed = new Map(
    events
      .filter(({ event_type }) => event_type === "work.completed")
      .map(({ payload, actor_id }) => [payload.work_id ?? "", { epoch: payload.lease_epoch, actor_id }]),
  );
  return acknowledged.flatMap(({ completed: work_id, epoch, owner }) => {
    const event = completed.get(work_id);
    if (!event) return [`${work_id}: ${owner} was told that it counts, and no record says so`];
    if (event.epoch !== epoch)
      return [`${work_id}: effect of ${owner} from the stale epoch ${epoch}, not ${event.epoch}`];
    return event.actor_id === owner ? [] : [`${work_id}: completed by ${event.actor_id}, told to ${owner}`];
  });
}

function checkEffects({ events, patches }: History): readonly string[] {
  const effects = new Map<string, number>();
  for (const { source_work_id } of patches)
    if (source_work_id !== null) effects.set(source_work_id, (effects.get(source_work_id) ?? 0) + 1);
  const completed = events.filter(({ event_type }) => event_type === "work.completed");
  return [
    ...[...effects].filter(([, count]) => count !== 1).map(([work_id, count]) => `${work_id}: ${count} effects`),
    ...completed
      .filter(({ payload }) => !effects.has(payload.work_id ?? ""))
      .map(({ payload }) => `${payload.work_id}: completed without its effect`),
  ];
}

function checkChains({ revisions, heads, patches }: History): readonly string[] {
  const anomalies: string[] = [];
  const known = new Map<string, Set<string>>();
  const last = new Map<string, string>();
  for (const { run_id, revision_id, parent } of revisions) {
    if (parent !== (last.get(run_id) ?? null)) anomalies.push(`${run_id}: ${revision_id} follows ${parent}`);
    last.set(run_id, revision_id);
    known.set(run_id, (known.get(run_id) ?? new Set()).add(revision_id));
  }
  for (const [run_id, head] of heads)
    if (head !== (last.get(run_id) ?? null)) anomalies.push(`${run_id}: its head is ${head}, the chain ends elsewhere`);
  for (const { run_id, applied } of patches)
    if (applied !== null && !known.get(run_id)?.has(applied)) anomalies.push(`${run_id}: a patch in no revision of it`);
  return anomalies;
}

function checkBudget({ mostTaken, poolLimit, sums }: History): readonly string[] {
  const anomalies: string[] = [];
  if (mostTaken > poolLimit) anomalies.push(`${mostTaken} of a budget of ${poolLimit} were taken`);
  if (sums.pool !== sums.shares) anomalies.push(`the pool counts ${sums.pool}, its shares ${sums.shares}`);
  return anomalies;
}
