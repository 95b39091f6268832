import { maxJsonDepth } from "#base";
import type { OrdinaryJson } from "../redactor.ts";
import { held, type Inspection, plain } from "./scan.ts";

/**
 * Canonical JSON of a value in which nothing has to go, written in the same pass that makes sure of it; undefined for every
 * other value (something to redact, something that is no JSON, nesting beyond the limit), for which the long way says what
 * is the matter. Checking, scanning and writing one after the other took four times as long, and nearly every payload is
 * ordinary.
 */
export type WriteOrdinary = (value: unknown) => OrdinaryJson | undefined;

/** The keys of an object in canonical order, each as JSON has it. `undefined` where a key is not ordinary. */
interface KeyOrder {
  readonly keys: readonly string[];
  readonly quoted: readonly string[];
  readonly arePlain: boolean;
}

/** Objects come in a few shapes by the thousand: the order of a shape's keys is found once, by walking from key to key. */
interface ShapeNode {
  readonly next: Map<string, ShapeNode>;
  order: KeyOrder | undefined;
}

const mostShapes = 4_096;
const longestKey = 64;
/** Above it a number may be a card's. */
const cardLike = 1e13;

export function ordinaryWriter(inspect: (text: string) => Inspection): WriteOrdinary {
  let shapes = newNode();
  let count = 0;
  /** Of what was written so far: nothing but characters that JSON writes as they are, all of them ASCII. */
  let isPlain = true;

  const write = (value: unknown, depth: number): string | undefined => {
    switch (typeof value) {
      case "string":
        return writeText(value);
      case "number":
        if (value >= cardLike || !isExact(value)) return undefined;
        return value === 0 ? "0" : `${value}`;
      case "boolean":
        return value ? "true" : "false";
      case "object":
        if (value === null) return "null";
        if (depth >= maxJsonDepth) return undefined;
        return Array.isArray(value) ? writeItems(value, depth + 1) : writeFields(value, depth + 1);
      default:
        return undefined;
    }
  };

  const writeText = (text: string): string | undefined => {
    const seen = inspect(text);
    if (seen === plain) return `"${text}"`;
    isPlain = false;
    return seen === held || !text.isWellFormed() ? undefined : JSON.stringify(text);
  };

  const writeItems = (items: readonly unknown[], depth: number): string | undefined => {
    let text = "[";
    for (let index = 0; index < items.length; index++) {
      const written = write(items[index], depth);
      if (written === undefined) return undefined;
      text += index === 0 ? written : `,${written}`;
    }
    return `${text}]`;
  };

  const writeFields = (value: object, depth: number): string | undefined => {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return undefined;
    const order = orderOf(Object.keys(value));
    if (!order) return undefined;
    const { keys, quoted } = order;
    if (!order.arePlain) isPlain = false;
    let text = "{";
    for (let index = 0; index < keys.length; index++) {
      const written = write((value as Record<string, unknown>)[keys[index] as string], depth);
      if (written === undefined) return undefined;
      text += (quoted[index] as string) + written;
    }
    return `${text}}`;
  };

  const orderOf = (keys: readonly string[]): KeyOrder | undefined => {
    let node = shapes;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      const next = node.next.get(key);
      if (next) node = next;
      else if (key.length > longestKey) return makeOrder(keys);
      else {
        // Shapes that never return must not keep those out that do: begin again.
        if (++count > mostShapes) {
          shapes = newNode();
          count = 0;
          return makeOrder(keys);
        }
        const made = newNode();
        node.next.set(key, made);
        node = made;
      }
    }
    node.order ??= makeOrder(keys);
    return node.order;
  };

  const makeOrder = (given: readonly string[]): KeyOrder | undefined => {
    const keys = given.toSorted(); // by UTF-16 unit, as canonical JSON has it
    const quoted: string[] = [];
    let arePlain = true;
    for (const [index, key] of keys.entries()) {
      if (inspect(key) !== plain) arePlain = false;
      const written = writeText(key);
      if (written === undefined) return undefined;
      quoted.push(`${index === 0 ? "" : ","}${written}:`);
    }
    return { keys, quoted, arePlain };
  };

  return (value) => {
    isPlain = true;
    const json = write(value, 0);
    return json === undefined ? undefined : { json, isAscii: isPlain };
  };
}

function newNode(): ShapeNode {
  return { next: new Map(), order: undefined };
}

/** Whether a reader gets back the same number. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}
