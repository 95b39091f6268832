import type { RouteDescription } from "#core/routes";

/** The API for people: one page, no script, made from the same table. */
export function apiPage(routes: readonly RouteDescription[], version: string): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const rows = routes.filter((route) => route.tag === tag).map(row);
    return `<section><h2 id="${escape(tag)}">${escape(tag)}</h2><table><thead><tr><th>Request</th><th>What it does</th><th>Right</th><th>Body</th><th>Answer</th></tr></thead><tbody>${rows.join("")}</tbody></table></section>`;
  });
  const links = tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(" · ");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Writ API ${escape(version)}</title><link rel="stylesheet" href="/api/style.css"></head><body><main><h1>Writ API</h1><p>Version ${escape(version)}. For programs: <a href="/api/v1/openapi.json">OpenAPI 3.1</a>. Errors are <code>application/problem+json</code> with Writ’s codes; writes take an <code>Idempotency-Key</code>.</p><p>${links}</p>${sections.join("")}</main></body></html>\n`;
}

function row(route: RouteDescription): string {
  const { answer } = route;
  const contract =
    "schema" in answer && typeof answer.schema === "string" ? `<code>${escape(answer.schema)}</code> ` : "";
  const query = Object.entries(route.query).map(
    ([name, { description }]) => `<li><code>?${escape(name)}</code> ${escape(description)}</li>`,
  );
  return `<tr><td><code>${route.method} ${escape(route.path)}</code></td><td>${escape(route.summary)}${query.length > 0 ? `<ul>${query.join("")}</ul>` : ""}</td><td><code>${escape(route.right)}</code></td><td>${route.body === null ? "" : `<code>${escape(route.body)}</code>`}</td><td>${answer.status} ${contract}${escape(answer.description)}</td></tr>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

export const apiPageStyle = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
ul { margin: 0.2rem 0 0; padding-left: 1.1rem; }
`;
