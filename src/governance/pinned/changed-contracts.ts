import { type DomainError, domainError } from "#core/errors";

type Pins = Readonly<Record<string, string>>;

/**
 * What would change the meaning of a session that goes on: a tool or a strategy that is no longer what it was, or a gate that is not
 * (changed, gone or new). Everything else is read from the kept bytes. Undefined when nothing did.
 */
export function changedContracts(before: Pins, now: Pins): DomainError | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changes = names.filter((name) => matters(name, before, now)).map((name) => describe(name, before, now));
  return changes.length === 0 ? undefined : contractsChanged(changes);
}

export function contractsChanged(changes: readonly string[]): DomainError {
  return domainError(
    "LAW_CHANGED",
    `the session began under other gates or tools, and only goes on under its own: ${changes.join("; ")}`,
    { details: { changes, hint: "put them back as they were, or fork the session to go on under the new ones" } },
  );
}

function matters(name: string, before: Pins, now: Pins): boolean {
  if (before[name] === now[name]) return false;
  return name.startsWith("hook:") || (/^(?:tool|strategy):/.test(name) && before[name] !== undefined);
}

function describe(name: string, before: Pins, now: Pins): string {
  const [kind = "", ...rest] = name.split(":");
  const what = `the ${kind} ${rest.join(":")}`;
  if (before[name] === undefined) return `${what} is new (${short(now[name])})`;
  if (now[name] === undefined) return `${what} is gone (${short(before[name])})`;
  return `${what} was ${short(before[name])}, now it is ${short(now[name])}`;
}

function short(hash: string | undefined): string {
  return (hash ?? "").slice(0, 12);
}
