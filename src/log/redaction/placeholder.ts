import { marker } from "./marker.ts";

/** What stands where people leave a secret out: stars, a variable, a name in brackets. */
export function isPlaceholder(value: string): boolean {
  return /^(?:\*+|x+|\.+|…|<.*>|\$\{?.*\}?|\{.*\}|%s)$/i.test(value) || marker.test(value);
}
