import { titleOfCall } from "../../../src/effects/approval-kinds/call-title.ts";
import type { Approval } from "../api/types.ts";
import { visible } from "../ui/visible.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The values of a call that are judged, with where they come from; sealed ones by their kind, never by their bytes. */
export function Values({ subject }: { readonly subject: Approval["subject"] }) {
  const acts = listOf(subject["acts"]).filter((act) => typeof act["tool"] === "string" && isFields(act["args"]));
  const sealed = listOf(subject["sealed"]);
  const judged = isFields(subject["judged"]) ? listOf(subject["judged"]["values"]) : [];
  return (
    <>
      {acts.map((act, index) => (
        <section key={`${index} ${String(act["call_id"])}`} aria-label={`Act ${index + 1}`}>
          <h3>
            {index + 1}. {visible(titleOfCall(String(act["tool"]), act["args"] as never))}
          </h3>
          <Origins args={act["args"]} values={listOf(act["values"])} doubts={listOf(act["doubts"])} />
        </section>
      ))}
      {judged.length > 0 && <Origins args={subject["args"]} values={judged} doubts={[]} />}
      {sealed.length > 0 && (
        <p className="soft">
          Sealed, not shown:{" "}
          {sealed.map((each) => `${visible(String(each["kind"]))} from ${visible(String(each["from"]))}`).join("; ")}
        </p>
      )}
    </>
  );
}

function Origins({
  args,
  values,
  doubts,
}: {
  readonly args: unknown;
  readonly values: readonly Fields[];
  readonly doubts: readonly Fields[];
}) {
  if (values.length === 0) return null;
  return (
    <table className="table">
      <thead>
        <tr>
          <th>value</th>
          <th>kind</th>
          <th>from</th>
          <th>why it is asked about</th>
        </tr>
      </thead>
      <tbody>
        {values.map((value, index) => {
          const at = text(value["at"]);
          const doubt = doubts.find((each) => each["at"] === value["at"]);
          return (
            <tr key={`${index} ${at}`}>
              <td>
                {visible(valueAt(args, at))} <span className="mono faint">{visible(at)}</span>
              </td>
              <td>{visible(text(value["kind"] ?? value["sink"]))}</td>
              <td>{visible(wordsOf(value["from"]))}</td>
              <td className={doubt ? "warn" : "soft"}>
                {doubt ? visible(text(doubt["why"])) : ""}
                {typeof doubt?.["line"] === "string" && <q className="part">{visible(doubt["line"])}</q>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What stands there, as far as it is one value. */
function valueAt(args: unknown, at: string): string {
  let value = args;
  for (const name of at.split("/").slice(1))
    value =
      isFields(value) || Array.isArray(value)
        ? Object(value)[name.replaceAll("~1", "/").replaceAll("~0", "~")]
        : undefined;
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function wordsOf(from: unknown): string {
  if (!Array.isArray(from)) return text(from);
  return from
    .map((each: unknown) => (typeof each === "string" ? each : Object.values(each ?? {}).join(" ")))
    .join(", ");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
