import { domainError, messageOf } from "#core/errors";
import { err, type JsonValue, maxJsonDepth, ok, type Result } from "#core/values";

/** Characters and values together; a decision beyond it is a flood. */
const defaultBudget = 4 * 1024 * 1024;

/**
 * A frozen copy that shares nothing with the original. Each property is read exactly once, so an object that answers
 * differently the second time (a getter, a Proxy, a reference kept and changed later) has said all it will say.
 */
export function copyJson(value: unknown, budget: number = defaultBudget): Result<JsonValue> {
  const left = { budget };
  try {
    return ok(copy(value, "$", 0, left));
  } catch (thrown) {
    return err(
      domainError(
        "MALFORMED_INPUT",
        thrown instanceof NotJson ? thrown.message : `cannot be read: ${messageOf(thrown)}`,
      ),
    );
  }
}

class NotJson extends Error {}

function copy(value: unknown, path: string, depth: number, left: { budget: number }): JsonValue {
  left.budget -= typeof value === "string" ? value.length + 1 : 1;
  if (left.budget < 0) throw new NotJson("is larger than a hook may say");
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new NotJson(`${path} holds a lone surrogate`);
    return value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NotJson(`${path} is ${value}, which JSON does not know`);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new NotJson(`${path} is an integer beyond 2^53`);
    return value;
  }
  if (typeof value !== "object") throw new NotJson(`${path} is a ${typeof value}, which JSON does not know`);
  if (value === null) return null;
  if (depth >= maxJsonDepth) throw new NotJson(`${path} nests deeper than ${maxJsonDepth}`);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    const length = value.length;
    if (length > left.budget) throw new NotJson("is larger than a hook may say");
    for (let index = 0; index < length; index++) items.push(copy(value[index], `${path}[${index}]`, depth + 1, left));
    return Object.freeze(items);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new NotJson(`${path} is not a plain object`);
  const fields: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw new NotJson(`${path} has a key "__proto__"`);
    if (!key.isWellFormed()) throw new NotJson(`${path} has a key with a lone surrogate`);
    left.budget -= key.length;
    const item: unknown = (value as Record<string, unknown>)[key];
    // As JSON.stringify does: a field without a value is no field.
    if (item !== undefined) fields[key] = copy(item, `${path}.${key}`, depth + 1, left);
  }
  return Object.freeze(fields);
}
