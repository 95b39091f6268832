import { maxJsonDepth } from "#core/values";
import { type LineMemory, writeText } from "../line-memory.ts";
import { held, plain, type Scan } from "./scan.ts";

/**
 * The fast path. Writes canonical JSON of a value without secrets in the same pass that scans it and returns true; for
 * every other value (something to redact, no JSON, nesting beyond the limit) it writes nothing and returns false, and
 * the slow path reports the problem. Checking, scanning and writing one after the other took four times as long, and
 * nearly every payload is ordinary.
 */
export type WriteOrdinary = (value: unknown, memory: LineMemory) => boolean;

/** The keys of an object in canonical order, each as JSON with its preceding punctuation. */
interface KeyOrder {
  readonly keys: readonly string[];
  readonly quoted: readonly string[];
}

/**
 * Objects come in a few shapes by the thousand: the order of a shape's keys is computed once, found by walking from key
 * to key.
 */
interface ShapeNode {
  readonly next: Map<string, ShapeNode>;
  /** The last step from here: most walks take the same one and need no lookup. */
  lastKey: string | undefined;
  last: ShapeNode | undefined;
  order: KeyOrder | undefined;
}

const mostShapes = 4_096;
const longestKey = 64;
/** A greater number may be a card's. */
const cardLike = 1e13;

export interface NotOrdinary {
  /** Whether a key identifies its value as a secret: the slow path examines both together. */
  readonly isTelling: (key: string) => boolean;
  /**
   * Whether an argument of a program, which begins with a dash, may have a password: the slow path examines its
   * context.
   */
  readonly mayBringPassword: (items: readonly unknown[], at: number) => boolean;
  /** Absent where only cards are redacted among numbers. */
  readonly isHeld: ((value: number) => boolean) | undefined;
}

export function ordinaryWriter(
  inspect: Scan["inspect"],
  { isTelling, mayBringPassword, isHeld }: NotOrdinary,
): WriteOrdinary {
  let shapes = newNode();
  let count = 0;

  const write = (value: unknown, memory: LineMemory, depth: number): boolean => {
    switch (typeof value) {
      case "string":
        return writeString(value, memory);
      case "number":
        return isHeld?.(value) !== true && writeNumber(value, memory);
      case "boolean":
        writeText(memory, value ? "true" : "false");
        return true;
      case "object":
        if (value === null) writeText(memory, "null");
        else if (depth >= maxJsonDepth) return false;
        else return Array.isArray(value) ? writeItems(value, memory, depth + 1) : writeFields(value, memory, depth + 1);
        return true;
      default:
        return false;
    }
  };

  const writeString = (text: string, memory: LineMemory): boolean => {
    memory.reserve(text.length + 2);
    const { buffer, end } = memory;
    const seen = inspect(text, buffer, end + 1);
    if (seen === plain) {
      buffer[end] = quote;
      buffer[end + text.length + 1] = quote;
      memory.end = end + text.length + 2;
    } else if (seen === held || !text.isWellFormed()) return false;
    else writeText(memory, JSON.stringify(text));
    return true;
  };

  const writeItems = (items: readonly unknown[], memory: LineMemory, depth: number): boolean => {
    writeByte(memory, 0x5b);
    for (let index = 0; index < items.length; index++) {
      if (index > 0) writeByte(memory, 0x2c);
      const item = items[index];
      if (typeof item === "string" && item.charCodeAt(0) === dash && mayBringPassword(items, index)) return false;
      if (!write(item, memory, depth)) return false;
    }
    writeByte(memory, 0x5d);
    return true;
  };

  const writeFields = (value: object, memory: LineMemory, depth: number): boolean => {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return false;
    const order = orderOf(value);
    if (!order) return false;
    const { keys, quoted } = order;
    if (keys.length === 0) writeByte(memory, 0x7b);
    for (let index = 0; index < keys.length; index++) {
      writeText(memory, quoted[index] as string);
      if (!write((value as Record<string, unknown>)[keys[index] as string], memory, depth)) return false;
    }
    writeByte(memory, 0x7d);
    return true;
  };

  const orderOf = (value: object): KeyOrder | undefined => {
    let node: ShapeNode | undefined = shapes;
    // Only own keys, without allocating a list: `Object.prototype` has no enumerable key (see below).
    for (const key in value) {
      node = key === node.lastKey ? node.last : follow(node, key);
      if (!node) return makeOrder(Object.keys(value));
    }
    node.order ??= makeOrder(Object.keys(value));
    return node.order;
  };

  /** Undefined where the shape is not cached. */
  const follow = (node: ShapeNode, key: string): ShapeNode | undefined => {
    let next = node.next.get(key);
    if (!next) {
      if (key.length > longestKey) return undefined;
      // Shapes that never recur must not keep out those that do: start again.
      if (++count > mostShapes) {
        shapes = newNode();
        count = 0;
        return undefined;
      }
      next = newNode();
      node.next.set(key, next);
    }
    node.lastKey = key;
    node.last = next;
    return next;
  };

  /** Undefined where a key is not ordinary. */
  const makeOrder = (given: readonly string[]): KeyOrder | undefined => {
    const keys = given.toSorted(); // by UTF-16 unit, as canonical JSON has it
    const quoted: string[] = [];
    for (const [index, key] of keys.entries()) {
      if (isTelling(key)) return undefined;
      if (inspect(key, Buffer.alloc(key.length), 0) === held || !key.isWellFormed()) return undefined;
      quoted.push(`${index === 0 ? "{" : ","}${JSON.stringify(key)}:`);
    }
    return { keys, quoted };
  };

  return (value, memory) => {
    for (const _ in Object.prototype) return false; // Object.prototype has an enumerable key, which is no object's own
    const before = memory.end - memory.position;
    const isOrdinary = write(value, memory, 0);
    if (!isOrdinary) memory.end = memory.position + before;
    return isOrdinary;
  };
}

const quote = 0x22;
const dash = 0x2d;

function newNode(): ShapeNode {
  return { next: new Map(), lastKey: undefined, last: undefined, order: undefined };
}

function writeByte(memory: LineMemory, byte: number): void {
  memory.reserve(1);
  memory.buffer[memory.end++] = byte;
}

function writeNumber(value: number, memory: LineMemory): boolean {
  if (value >= cardLike || !isExact(value)) return false;
  writeText(memory, JSON.stringify(value));
  return true;
}

/** Whether the number survives JSON unchanged. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}
