import type { ForeignRequest, RequestForm } from "./dialect.ts";
import { applyEdits, type Edit, withoutItems } from "./json-spans.ts";
import { outputNames } from "./read-request.ts";

export interface ChangedRequest {
  readonly text: string;
  /** What was changed, in words for the record; empty: the bytes are the program's. */
  readonly changes: readonly string[];
}

export interface RequestTerms {
  readonly provider: string;
  /** The output that is paid for. */
  readonly granted: number;
  /** Whether a tool stays among those that are offered. */
  readonly staysOffered: (tool: ForeignRequest["tools"][number]) => boolean;
}

/** The request as it goes out. Every byte that is not changed for one of these reasons is the program's. */
export function changeRequest(form: RequestForm, request: ForeignRequest, terms: RequestTerms): ChangedRequest {
  const { members, document, tools } = request;
  const edits: Edit[] = [];
  const changes: string[] = [];
  const added: Record<string, unknown> = {};
  const out = new Set<string>();

  for (const [name, why] of Object.entries(form.dropped))
    if (document[name] !== undefined) {
      out.add(name);
      changes.push(`${name} taken out: ${why}`);
    }

  const gone = tools.filter((tool) => !terms.staysOffered(tool));
  const toolsAt = members.findIndex(({ key }) => key === "tools");
  if (gone.length > 0) {
    changes.push(
      `tools that the vendor would run, or that are not granted, taken out: ${gone.map(({ name }) => name).join(", ")}`,
    );
    // A vendor refuses an empty list, and a choice among nothing.
    if (gone.length === tools.length) for (const name of ["tools", "tool_choice"]) out.add(name);
    else
      edits.push(
        ...withoutItems(
          tools.map(({ span }) => span),
          (index) => gone.includes(tools[index] as never),
        ),
      );
  }
  if (toolsAt < 0) out.delete("tools");

  const names = outputNames(form).filter((name) => typeof document[name] === "number");
  for (const name of names) {
    const place = members.find(({ key }) => key === name);
    if (!place || (document[name] as number) <= terms.granted) continue;
    edits.push({ span: place.value, text: String(terms.granted) });
    changes.push(`${name} lowered from ${document[name] as number} to ${terms.granted}, which is what was set aside`);
  }
  const [first] = form.output(terms.provider);
  if (names.length === 0 && first !== undefined) {
    added[first] = terms.granted;
    changes.push(`${first} set to ${terms.granted}, which is what was set aside`);
  }

  for (const [name, value] of Object.entries(form.reporting(document))) {
    changes.push(`${name} set, so that the answer says what it used`);
    const place = members.find(({ key }) => key === name);
    const text = JSON.stringify(value);
    if (place) edits.push({ span: place.value, text });
    else added[name] = value;
  }

  const kept = members.filter(({ key }) => !out.has(key));
  edits.push(
    ...withoutItems(
      members.map(({ whole }) => whole),
      (index) => out.has(members[index]?.key ?? ""),
    ),
  );
  if (Object.keys(added).length > 0) {
    const more = JSON.stringify(added).slice(1, -1);
    const last = kept.at(-1);
    const at = last ? last.whole.to : request.text.indexOf("{") + 1;
    edits.push({ span: { from: at, to: at }, text: last ? `,${more}` : more });
  }
  return changes.length === 0 ? { text: request.text, changes } : { text: applyEdits(request.text, edits), changes };
}
