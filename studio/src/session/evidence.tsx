import type { Event } from "../api/types.ts";
import { Copy } from "../ui/copy.tsx";

/** Every hash that the event names, and its place in the chain. */
export function Evidence({ event }: { readonly event: Event }) {
  const named = [...hashesIn(event.payload, "")];
  return (
    <dl className="facts">
      <dt>hash</dt>
      <dd>
        <Copy value={event.hash} />
      </dd>
      <dt>follows</dt>
      <dd>
        <Copy value={event.prev_hash} />
      </dd>
      <dt>written</dt>
      <dd>{event.ts}</dd>
      <dt>by</dt>
      <dd>{event.actor}</dd>
      {named.map(([path, hash]) => (
        <div key={path} style={{ display: "contents" }}>
          <dt>{path}</dt>
          <dd>
            <Copy value={hash} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function* hashesIn(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* hashesIn(inner, path ? `${path}.${key}` : key);
}
