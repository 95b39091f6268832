import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
td { padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
td:first-child { white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.good { color: #137333; font-weight: 600; }
.bad { color: #c5221f; font-weight: 700; }
@media (prefers-color-scheme: dark) { .good { color: #81c995; } .bad { color: #f28b82; } }
`;

/** JSON as it may stand in a page: no < remains in it, so nothing in it can end the element that holds it. */
export function forPage(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** How the element that holds the record begins. */
export const recordBegins = '<script type="application/json" id="bundle">';

/**
 * The page without its record: one file that proves itself in any browser, offline, because the program that verifies the
 * record is in it. Its policy lets exactly this program run, and nothing leave. For everybody who asks for one session it is
 * the same.
 */
export function pageAround(session_id: string): { readonly before: string; readonly after: string } {
  const script = pageProgram();
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`;
  const before = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof of ${session_id}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Proof of a session</h1>
<noscript><p class="bad">The verification is a program in this page: allow it to run.</p></noscript>
<section id="verdict"></section>
<h2>Events</h2>
<section id="events"></section>
</main>
${recordBegins}`;
  const after = `</script>
<script>${script}</script>
</body>
</html>
`;
  return { before, after };
}

let program: string | undefined;

/** What the build made of `page/program.ts`. */
function pageProgram(): string {
  program ??= readFileSync(new URL("../../../dist/proof-page/program.js", import.meta.url), "utf8");
  return program;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
