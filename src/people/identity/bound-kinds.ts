/**
 * Rights that bound an order: `path:notes/**` (may be written and read), `read:docs/**` (read only), `host:example.org`,
 * `usd:0.5`, `tokens:20000`. A list of grants that names no right of a kind does not bound that kind.
 */
const kinds = ["path", "read", "host", "usd", "tokens"] as const;

/** `path` bounds reads too, so that one bound serves both. */
type Bound = Exclude<(typeof kinds)[number], "read">;

const bounds: readonly Bound[] = ["path", "host", "usd", "tokens"];

export function boundKindOf(right: string): (typeof kinds)[number] | undefined {
  return kinds.find((kind) => right.startsWith(`${kind}:`));
}

/** Whether a list bounds what this right is about. */
export function isBounded(grants: readonly string[], right: string): boolean {
  const bound = boundOf(right);
  return bound !== undefined && names(grants, bound);
}

/** A list with an entry for each kind that it does not bound, so that it compares with one that does. */
export function spellOut(grants: readonly string[]): readonly string[] {
  return [...grants, ...bounds.filter((bound) => !names(grants, bound)).map(unbounded)];
}

/** The rights of several roles together. A role that submits orders without a bound lifts the bound of another. */
export function joinRoles(
  roles: readonly (readonly string[])[],
  submits: (grants: readonly string[]) => boolean,
): readonly string[] {
  const joined = new Set(roles.flat());
  const submitting = roles.filter(submits);
  for (const bound of bounds)
    if (submitting.some((role) => names(role, bound)) && !submitting.every((role) => names(role, bound)))
      joined.add(unbounded(bound));
  return [...joined];
}

/** What a granter hands on keeps the granter's bounds where it names none of its own. */
export function inheritBounds(grants: readonly string[], granter: readonly string[]): readonly string[] {
  const kept = granter.filter((right) => {
    const bound = boundOf(right);
    return bound !== undefined && !names(grants, bound);
  });
  return [...grants, ...kept];
}

/**
 * What is left of lists that were compared spelt out: a kind that none of them bounded is not named, and one of which
 * nothing is left says so, since naming none would mean no bound.
 */
export function settleBounds(left: readonly string[], lists: readonly (readonly string[])[]): readonly string[] {
  const named = bounds.filter((bound) => lists.some((list) => names(list, bound)));
  const never = bounds.filter((bound) => !named.includes(bound)).map(unbounded);
  const lost = named.filter((bound) => !names(left, bound)).map((bound) => `${bound}:`);
  return [...left.filter((right) => !never.includes(right)), ...lost];
}

function unbounded(bound: Bound): string {
  return bound === "path" ? "path:**" : `${bound}:*`;
}

function boundOf(right: string): Bound | undefined {
  const kind = boundKindOf(right);
  return kind === "read" ? "path" : kind;
}

function names(grants: readonly string[], bound: Bound): boolean {
  return grants.some((grant) => boundOf(grant) === bound);
}
