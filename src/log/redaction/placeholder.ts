import { marker } from "./marker.ts";

/** Text that people write in place of a secret: stars, a variable, a name in brackets. */
export function isPlaceholder(value: string): boolean {
  return /^(?:\*+|x+|\.+|…|<.*>|\$\{?.*\}?|\{.*\}|%s)$/i.test(value) || marker.test(value);
}
