import type pg from "pg";
import type { Statement } from "./statement.ts";

/** The driver takes 0 for nothing said; a timer waits no longer than this. */
const longest = 2 ** 31 - 1;

/**
 * What the driver is told of a statement, apart from its values. It copies that for every query, each property with its
 * descriptor, which took 7 µs; of an object whose properties are its prototype's there is nothing to copy.
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
