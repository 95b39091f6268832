import type pg from "pg";
import type { Statement } from "./statement.ts";

/** The driver ignores a timeout of 0; this is the longest that a timer takes. */
const longest = 2 ** 31 - 1;

/**
 * The driver's description of a statement, apart from its values. The driver copies it for every query, each property
 * with its descriptor, which took 7 µs; an object whose properties are on its prototype has nothing to copy.
 */
export function queryShapes(options: { readonly named: boolean }): (statement: Statement) => pg.QueryArrayConfig {
  const known = new WeakMap<Statement, pg.QueryArrayConfig>();
  return (statement) => {
    const before = known.get(statement);
    if (before !== undefined) return before;
    const { name, text, hasNoTimeout } = statement;
    const shape = Object.create({
      text,
      rowMode: "array",
      ...(options.named ? { name } : {}),
      ...(hasNoTimeout ? { query_timeout: longest } : {}),
    }) as pg.QueryArrayConfig;
    known.set(statement, shape);
    return shape;
  };
}
