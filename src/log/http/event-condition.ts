import type { Call } from "#core/routes";
import { text } from "#core/routes";
import { ok, type Result } from "#core/values";
import type { Filter } from "./event-pages.ts";
import { findEvents } from "./find-events.ts";
import { findWords } from "./find-words.ts";

/** The conditions of the query on an event, all of which must hold; undefined without conditions. */
export function conditionOf(query: Call["query"]): Result<Filter["isWanted"] | undefined> {
  const conditions: Filter["isWanted"][] = [];
  for (const name of ["among", "find"]) {
    const expression = text(query, name);
    if (expression === undefined) continue;
    const condition = findEvents(expression);
    if (!condition.ok) return condition;
    conditions.push(condition.value);
  }
  const words = text(query, "words");
  if (words !== undefined) {
    const hasThem = findWords(words);
    conditions.push((event) => ok(hasThem(event)));
  }
  if (conditions.length === 0) return ok(undefined);
  return ok((event) => {
    for (const condition of conditions) {
      const answer = condition(event);
      if (!answer.ok || !answer.value) return answer;
    }
    return ok(true);
  });
}
