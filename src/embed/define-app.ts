import type { ThinkingApp } from "#runs";

/**
 * An app of an embedding program: it is shown what happened in a run and answers what it wants. It keeps nothing between turns, and thinks
 * by orders, each with a budget and a record of its own.
 */
export function defineApp(app: ThinkingApp): ThinkingApp {
  return Object.freeze({ app_id: app.app_id, turn: app.turn.bind(app) });
}
