import { canonicalJson, isJsonObject, type JsonValue, parseJson } from "#core/values";
import { withoutDeclared } from "./declared-values.ts";
import type { JudgedTool, ToolPin } from "./pin.ts";
import { visible } from "./visible.ts";

/** One field that is not as it was approved. Texts have nothing hidden in them. */
export interface FieldDifference {
  /** Such as `description` or `inputSchema.properties.path.type`; `server.command` for how the server is reached. */
  readonly field: string;
  /** Absent where the field is new. */
  readonly approved?: string;
  /** Absent where the field is gone. */
  readonly offered?: string;
}

/** What differs between what was approved and what is offered; for a new tool, everything it says. */
export function differences(judged: JudgedTool, launch: string): readonly FieldDifference[] {
  const { pin, offered } = judged;
  const found = pin ? launchDifferences(pin, launch) : [];
  compare("", pin && withoutDeclared(pin.definition), offered?.definition, found);
  return found;
}

/** What differs between how the server was reached when the tool was approved, and how it is reached now. */
export function launchDifferences(pin: ToolPin, launch: string): FieldDifference[] {
  const found: FieldDifference[] = [];
  compare("server", readLaunch(pin.launch), readLaunch(launch), found);
  return found;
}

function compare(
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  found: FieldDifference[],
): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const key of keys) compare(step(path, key), own(before, key), own(after, key), found);
    return;
  }
  // From or to nothing, field by field as far as the top: a new tool reads like one that changed.
  if (path === "" && (isJsonObject(before) || isJsonObject(after))) {
    const whole = (before ?? after) as { readonly [key: string]: JsonValue };
    for (const key of Object.keys(whole).sort())
      compare(key, before ? own(whole, key) : undefined, after ? own(whole, key) : undefined, found);
    return;
  }
  const [was, is] = [shown(before), shown(after)];
  if (was === is && canonical(before) === canonical(after)) return;
  found.push({
    field: path,
    ...(was === undefined ? {} : { approved: was }),
    ...(is === undefined ? {} : { offered: is }),
  });
}

function own(value: object, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? (value as { readonly [key: string]: JsonValue })[key] : undefined;
}

function step(path: string, key: string): string {
  const name = /^[A-Za-z0-9_$-]+$/.test(key) ? key : JSON.stringify(visible(key));
  return path === "" ? name : `${path}.${name}`;
}

function canonical(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

function shown(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return visible(typeof value === "string" ? value : canonicalJson(value));
}

function readLaunch(text: string): JsonValue | undefined {
  const read = parseJson(text);
  return read.ok ? read.value : text;
}
