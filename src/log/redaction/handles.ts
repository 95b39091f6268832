import { type JsonValue, jsonText } from "#core/values";
import { everyHandle } from "./marker.ts";

/** The well-formed handles in a text. */
export function handlesIn(text: string): readonly { readonly handle: string; readonly tag: string }[] {
  if (!text.includes("[SEALED:")) return [];
  return [...text.matchAll(everyHandle)].map(([handle, , tag]) => ({ handle, tag: tag as string }));
}

/** Every text of a value, its keys too, that may hold a marker or a handle. */
export function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const look = (each: unknown): void => {
    if (typeof each === "string") {
      if (each.includes("[")) texts.push(each);
    } else if (Array.isArray(each)) for (const item of each) look(item);
    else if (typeof each === "object" && each !== null)
      for (const [key, item] of Object.entries(each)) {
        look(key);
        look(item);
      }
  };
  look(value);
  return texts;
}

type Lookup = (handle: string) => { readonly value: JsonValue } | undefined;

/** Puts values in place of handles. A text that is nothing but a handle becomes the value itself, which may be no text. */
export function openHandles<T>(value: T, lookup: Lookup): T {
  if (typeof value === "string") return openText(value, lookup) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map((item: unknown) => openHandles(item, lookup));
    return (copy.some((item, at) => item !== value[at]) ? copy : value) as T;
  }
  const copy: Record<string, unknown> = {};
  let isChanged = false;
  for (const [key, item] of Object.entries(value)) {
    const name = jsonText(openText(key, lookup));
    const opened = openHandles(item as unknown, lookup);
    isChanged ||= name !== key || opened !== item;
    // Defined, not assigned: `__proto__` is a key like any other here.
    Object.defineProperty(copy, name, { value: opened, enumerable: true, configurable: true, writable: true });
  }
  return (isChanged ? copy : value) as T;
}

function openText(text: string, lookup: Lookup): JsonValue {
  if (!text.includes("[SEALED:")) return text;
  const whole = lookup(text);
  if (whole) return whole.value;
  return text.replace(everyHandle, (handle) => {
    const found = lookup(handle);
    if (!found) return handle;
    return typeof found.value === "string" ? found.value : JSON.stringify(found.value);
  });
}
