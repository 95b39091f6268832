import { type DomainError, domainError } from "#core/errors";
import type { McpCredentialKeeper, McpServerSpec } from "#workspace";

/**
 * A server refused a call because the login is too narrow. What it wants is kept for the next login, beside what was granted
 * before; a login that has that scope already would not help.
 */
export async function widerLogin(
  scope: string | undefined,
  { spec, keeper }: { readonly spec: McpServerSpec; readonly keeper: McpCredentialKeeper },
): Promise<DomainError> {
  const { name } = spec;
  const wanted = wordsIn(scope);
  let isNews = false;
  const done = await keeper.inTurn(name, async () => {
    const kept = await keeper.load(name);
    if (!kept.ok) return;
    const granted = wordsIn(kept.value.tokens?.["scope"] ?? kept.value.asked_scope);
    isNews = wanted.some((word) => !granted.includes(word));
    const all = [...new Set([...granted, ...wanted])].join(" ");
    if (isNews) await keeper.save(name, { ...kept.value, wanted: { ...kept.value.wanted, scope: all } });
  });
  if (!done.ok) return done.error;
  const what = `the MCP server "${name}" wants the scope ${JSON.stringify(scope ?? "")}`;
  return isNews
    ? domainError("NOT_AUTHORIZED", `${what}, which its login does not have: writ tool login ${name}`)
    : domainError("NOT_AUTHORIZED", `${what}, which its login has; it refuses all the same`);
}

function wordsIn(scope: unknown): readonly string[] {
  return typeof scope === "string" ? scope.split(" ").filter(Boolean) : [];
}
