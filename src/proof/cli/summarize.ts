import { isJsonObject } from "#core/values";

/** What a reader wants first, wherever it stands in the payload. */
const first = [
  "point",
  "name",
  "decision",
  "action",
  "status",
  "code",
  "error",
  "model",
  "verdict",
  "args",
  "text",
  "content",
  "output",
  "reason",
];
/** Identity, proof and time: `--json` has them. */
const left = /(?:^|_)(?:id|hash|head|sha256)$|^(?:duration_ms|pinned|tier|call|left|reserved)$/;

/** A payload in one line: the most useful fields first, lists and objects last, without what only programs read. */
export function summarize(payload: unknown): string {
  if (!isJsonObject(payload)) return JSON.stringify(payload);
  const rank = (key: string) => (first.indexOf(key) + first.length + 1) % (first.length + 1);
  const fields = Object.entries(payload)
    .filter(([key, value]) => !left.test(key) && !isEmpty(value))
    .sort(([one, its], [other, others]) => rank(one) - rank(other) || Number(isLong(its)) - Number(isLong(others)))
    .map(([key, value]) => `${key}=${plain(value)}`);
  return fields.length > 0 ? fields.join(" ") : JSON.stringify(payload);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

function isLong(value: unknown): boolean {
  return typeof value === "object";
}

function plain(value: unknown): string {
  return typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
