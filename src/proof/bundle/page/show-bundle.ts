import type { BundleVerdict, ProofBundle } from "../bundle.ts";

/** What the page needs of a document. */
export interface PageDocument {
  readonly documentElement: { readonly dataset: Record<string, string> };
  createElement(name: string): PageElement;
  getElementById(id: string): PageElement | null;
}

export interface PageElement {
  textContent: string | null;
  className: string;
  append(...children: readonly PageElement[]): void;
}

/** Shows the verdict and the events. Everything that a session holds is text here, never markup. */
export function showBundle(page: PageDocument, bundle: ProofBundle, verdict: BundleVerdict): void {
  const element = (name: string, className: string, text: string, ...children: readonly PageElement[]): PageElement => {
    const made = page.createElement(name);
    made.className = className;
    if (text !== "") made.textContent = text;
    made.append(...children);
    return made;
  };
  const word = { true: "holds", false: "BROKEN", null: "not yet" };
  const root = page.getElementById("verdict");
  root?.append(
    element("p", verdict.ok ? "good" : "bad", verdict.ok ? "This record verifies." : "This record does NOT verify."),
    element("p", "", `Session ${bundle.session_id}, exported ${bundle.exported_at} by Writ ${bundle.writ_version}.`),
    element(
      "table",
      "",
      "",
      ...verdict.checks.map(({ name, ok, detail }) =>
        element(
          "tr",
          "",
          "",
          element("td", "", name),
          element("td", ok === false ? "bad" : "good", word[String(ok) as keyof typeof word]),
          element("td", "", detail),
        ),
      ),
    ),
  );
  if (bundle.proof)
    root?.append(
      element(
        "p",
        "",
        "Compare this fingerprint of the signing key with one that you had from its owner by another way:",
      ),
      element("pre", "", bundle.proof.checkpoint.key_id),
    );
  const list = page.getElementById("events");
  for (const text of bundle.events) {
    let line: Readonly<Record<string, unknown>> = {};
    try {
      line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    } catch {
      line = { type: "unreadable" }; // the verdict above names it
    }
    const { seq, ts, type, actor, payload } = line;
    list?.append(
      element(
        "details",
        "",
        "",
        element("summary", "", `${String(seq)}  ${String(ts)}  ${String(type)}  ${String(actor)}`),
        element("pre", "", JSON.stringify(payload, null, 2) ?? ""),
      ),
    );
  }
  page.documentElement.dataset["verdict"] = verdict.ok ? "ok" : "broken";
}
