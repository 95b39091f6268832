import { visible } from "./visible.ts";

const most = 200_000;

/** JSON as text: whatever is in it stays text, and what cannot be seen is shown. */
export function Json({ value }: { readonly value: unknown }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing");
  return (
    <pre className="mono">
      {visible(text.slice(0, most))}
      {text.length > most && `\n… ${text.length - most} more characters`}
    </pre>
  );
}
