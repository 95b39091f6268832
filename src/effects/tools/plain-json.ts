import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, type JsonValue, maxJsonDepth, ok, type Result } from "#core/values";

export interface PlainJson {
  readonly value: JsonValue;
  /** At least what it takes as JSON text; an estimate for text outside ASCII. */
  readonly bytes: number;
}

/**
 * A frozen copy of what an untrusted hand gave us, taken in one reading. Getters, proxies, `toJSON` and later changes
 * cannot make the value that was checked differ from the value that is logged, run or shown. Reading stops at the limit,
 * so a value of a gigabyte costs no more than the limit.
 */
export function plainJson(value: unknown, maxBytes: number): Result<PlainJson> {
  const state = { bytes: 0, maxBytes };
  try {
    const copy = copyValue(value, "$", 0, state);
    return copy.ok ? ok({ value: copy.value, bytes: state.bytes }) : copy;
  } catch (thrown) {
    // A getter or a proxy trap threw while we read it.
    return err(malformed("$", `a value that cannot be read (${messageOf(thrown)})`, "plain JSON"));
  }
}

interface Copying {
  bytes: number;
  readonly maxBytes: number;
}

function copyValue(value: unknown, path: string, depth: number, state: Copying): Result<JsonValue> {
  if (value === null || typeof value === "boolean") return spend(state, 5, value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return err(malformed(path, String(value), "a finite number"));
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      return err(malformed(path, String(value), "an integer within ±(2^53 − 1), or text"));
    return spend(state, 24, value);
  }
  if (typeof value === "string") {
    const spent = spend(state, value.length + 2, value);
    if (!spent.ok) return spent;
    return value.isWellFormed() ? spent : err(malformed(path, "text with a lone surrogate", "well-formed Unicode"));
  }
  if (typeof value !== "object") return err(malformed(path, `a ${typeof value}`, "a JSON value"));
  if (depth >= maxJsonDepth) return err(malformed(path, `nesting deeper than ${maxJsonDepth}`, "a flatter value"));
  return Array.isArray(value) ? copyArray(value, path, depth, state) : copyObject(value, path, depth, state);
}

function copyArray(list: readonly unknown[], path: string, depth: number, state: Copying): Result<JsonValue> {
  const copy: JsonValue[] = [];
  const length = list.length;
  for (let index = 0; index < length; index++) {
    const spent = spend(state, 1, null);
    if (!spent.ok) return spent;
    const item = copyValue(list[index], `${path}[${index}]`, depth + 1, state);
    if (!item.ok) return item;
    copy.push(item.value);
  }
  return ok(Object.freeze(copy));
}

function copyObject(source: object, path: string, depth: number, state: Copying): Result<JsonValue> {
  const prototype: unknown = Object.getPrototypeOf(source);
  // Values from another realm have another Object.prototype; its own prototype is null all the same.
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null)
    return err(malformed(path, "an instance of a class", "a plain object"));
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(source)) {
    if (key === "__proto__") return err(malformed(path, 'a key "__proto__"', "other keys"));
    if (!key.isWellFormed()) return err(malformed(path, "a key with a lone surrogate", "well-formed Unicode"));
    const spent = spend(state, key.length + 4, null);
    if (!spent.ok) return spent;
    const item = copyValue((source as Record<string, unknown>)[key], `${path}.${key}`, depth + 1, state);
    if (!item.ok) return item;
    copy[key] = item.value;
  }
  return ok(Object.freeze(copy));
}

function spend(state: Copying, bytes: number, value: JsonValue): Result<JsonValue> {
  state.bytes += bytes;
  if (state.bytes <= state.maxBytes) return ok(value);
  return err(malformed("$", `more than ${state.maxBytes} bytes`, "a smaller value"));
}

function malformed(path: string, found: string, expected: string): DomainError {
  const at = path.length > 200 ? `${path.slice(0, 199)}…` : path;
  return domainError("MALFORMED_INPUT", `${at}: found ${found}, expected ${expected}`, {
    details: { path: at, found, expected },
  });
}
