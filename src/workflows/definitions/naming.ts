/** What a naming pattern may hold besides plain text. */
const placeholders = ["date", "time", "slug", "cycle", "phase", "generation", "session", "run", "artifact"] as const;

export type Placeholder = (typeof placeholders)[number];

/** Why a naming pattern is none; undefined when it is one. A rule in prose names nothing twice the same way. */
export function badNaming(naming: string): { readonly message: string; readonly hint: string } | undefined {
  const hint = `write a path such as docs/plans/{date}-{slug}.md; there are ${placeholders.map((name) => `{${name}}`).join(", ")}`;
  const unknown = [...naming.matchAll(/\{([^}]*)\}/g)].find(([, name]) => !placeholders.includes(name as Placeholder));
  if (unknown) return { message: `the naming pattern has {${unknown[1]}}, which stands for nothing`, hint };
  const rest = naming.replaceAll(/\{[a-z]+\}/g, "x");
  if (/\s/.test(naming) || !/\.[a-z0-9]+$/i.test(rest))
    return {
      message: `${JSON.stringify(naming)} is a description, not a pattern: naming is decided by the template alone`,
      hint,
    };
  if (naming.startsWith("/") || naming.split("/").includes(".."))
    return { message: "the naming pattern leaves the workspace", hint };
  return undefined;
}

/** The path that a pattern gives. The same values give the same path. */
export function nameArtifact(naming: string, values: Readonly<Record<Placeholder, string>>): string {
  return naming.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => values[name as Placeholder] ?? "");
}

/** Lower case, letters and digits of any script's Latin form, single hyphens, at most 60: a name that any disk can keep. */
export function slugOf(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return slug.slice(0, 60).replace(/-+$/, "") || "untitled";
}
