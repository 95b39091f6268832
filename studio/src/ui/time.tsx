import { useSyncExternalStore } from "react";

const units: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

export function ago(ts: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(ts)) / 1000));
  if (seconds < 10) return "just now";
  for (const [size, name] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${name} ago`;
  return `${seconds} s ago`;
}

/** A moment that is still to come. */
export function until(ts: string, now: number): string {
  const seconds = Math.round((Date.parse(ts) - now) / 1000);
  if (seconds <= 0) return "now";
  for (const [size, name] of units) if (seconds >= size) return `in ${Math.round(seconds / size)} ${name}`;
  return `in ${seconds} s`;
}

export function duration(ms: number): string {
  if (ms === 0) return "0 ms";
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

const subscribe = (changed: () => void) => {
  const timer = setInterval(changed, 10_000);
  return () => clearInterval(timer);
};
const tenSeconds = () => Math.floor(Date.now() / 10_000) * 10_000;

/** Relative, with the absolute time on hover. */
export function Ago({ ts }: { readonly ts: string }) {
  return <Moment ts={ts} format={ago} />;
}

export function Until({ ts }: { readonly ts: string }) {
  return <Moment ts={ts} format={until} />;
}

function Moment({ ts, format }: { readonly ts: string; readonly format: typeof ago }) {
  useSyncExternalStore(subscribe, tenSeconds);
  return (
    <time dateTime={ts} title={new Date(ts).toLocaleString()}>
      {format(ts, Date.now())}
    </time>
  );
}
