import { freeBytes, type LimitsReached } from "#core/machine";
import { plainGet, type Route } from "#core/routes";
import { ok } from "#core/values";
import type { SessionList } from "#log";
import type { Inbox } from "#people";
import type { Metrics } from "../metrics.ts";

export interface MetricRouteParts {
  /** The workspace. */
  readonly root: string;
  readonly sessions: Pick<SessionList, "read">;
  readonly inbox: Pick<Inbox, "list">;
  readonly orders: { readonly pending: number };
  readonly streams: { readonly taken: number };
  readonly metrics: Pick<Metrics, "text">;
  readonly limits: Pick<LimitsReached, "counts">;
}

/** The figures of the server, for Prometheus. */
export const metricRoutes: readonly Route<MetricRouteParts>[] = [
  {
    ...plainGet,
    path: "/metrics",
    tag: "server",
    summary: "How the server does, for Prometheus",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "Its figures.", mediaType: "text/plain" },
    otherAnswers: [],
    async handle({ root, sessions, inbox, orders, streams, metrics, limits }) {
      const listed = await sessions.read();
      if (!listed.ok) return listed;
      const waiting = await inbox.list({ state: "open", limit: 1000 });
      if (!waiting.ok) return waiting;
      const all = listed.value.sessions;
      const { rss, heapUsed } = process.memoryUsage();
      const gauges = {
        writ_sessions: { help: "Sessions that are recorded.", value: all.length },
        writ_sessions_open: {
          help: "Sessions that have not closed.",
          value: all.filter(({ closed }) => !closed).length,
        },
        writ_sessions_failed: {
          help: "Sessions that ended without success.",
          value: all.filter((info) => info.ok === false).length,
        },
        writ_sessions_damaged: { help: "Sessions whose record does not verify.", value: listed.value.damaged.length },
        writ_inbox_open: { help: "Questions that wait for a person.", value: waiting.value.length },
        writ_orders_pending: { help: "Orders on their way in this process.", value: orders.pending },
        writ_streams_open: { help: "Event streams of this process.", value: streams.taken },
        writ_disk_free_bytes: { help: "Room on the disk of the workspace.", value: await freeBytes(root) },
        process_resident_memory_bytes: { help: "Resident memory.", value: rss },
        nodejs_heap_used_bytes: { help: "Heap in use.", value: heapUsed },
      };
      const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
      return ok({ kind: "bytes", body: metrics.text(gauges, limits.counts()), headers });
    },
  },
];
