import type { SessionLog } from "#log";

/** The methods that a middleware overrides. All others go to the session below it. */
export type SessionLayer = Partial<Pick<SessionLog, "append" | "stage" | "close" | "past">>;

export type SessionMiddleware = (next: SessionLog) => SessionLayer;

/** Wraps a session in middlewares. The first is nearest to the log, the last is called first. */
export function layeredSession(live: SessionLog, middlewares: readonly SessionMiddleware[]): SessionLog {
  return middlewares.reduce(addLayer, live);
}

function addLayer(next: SessionLog, middleware: SessionMiddleware): SessionLog {
  const layer = middleware(next);
  const past = layer.past ?? next.past;
  return {
    session_id: next.session_id,
    tier: next.tier,
    ...(past ? { past } : {}),
    get head() {
      return next.head;
    },
    append: (input) => (layer.append ? layer.append(input) : next.append(input)),
    stage: (input) => (layer.stage ? layer.stage(input) : next.stage(input)),
    close: (input) => (layer.close ? layer.close(input) : next.close(input)),
    release: () => next.release(),
  };
}
