import type { Approval } from "../api/types.ts";
import { Fact, Facts } from "../ui/facts.tsx";
import { visible, visibleBytes } from "../ui/visible.ts";

type ForeseenThings = NonNullable<Approval["foreseen"]>;

/** Why it may no longer be what was asked for: said before the answer, not after it. */
export function Stale({ foreseen }: { readonly foreseen: ForeseenThings | undefined }) {
  if (!foreseen || foreseen.stale.length === 0) return null;
  return (
    <div className="note bad" role="alert">
      <strong>Not as it was asked for:</strong> {foreseen.stale.map(visible).join("; ")}
    </div>
  );
}

/** What the agent had read before and which rule asks, with its line. */
export function LedTo({ foreseen }: { readonly foreseen: ForeseenThings | undefined }) {
  if (!foreseen) return null;
  const { asked_by, read_before } = foreseen;
  return (
    <Facts>
      <Fact name="rule">
        {asked_by.length > 0 &&
          asked_by.map(({ rule, where }) => (
            <span key={`${rule} ${where}`} className="part">
              {visible(rule)}
              {where !== null && <span className="mono soft"> {visible(where)}</span>}
            </span>
          ))}
      </Fact>
      <Fact name="read before">
        {read_before.length > 0 &&
          read_before.map(({ what, trust, sha256 }, index) => (
            <span key={`${index} ${what}`} className="part">
              {visible(what)}{" "}
              <span className={trust === "untrusted" ? "warn" : "soft"} title={sha256 ?? ""}>
                {trust}
              </span>
            </span>
          ))}
      </Fact>
    </Facts>
  );
}

/** A file, against the file as it is now. */
export function Change({ change }: { readonly change: NonNullable<ForeseenThings["change"]> }) {
  const lines = change.difference === "" ? [] : change.difference.split("\n");
  return (
    <section aria-label="What changes in the file">
      <h3>
        {visible(change.path)}, as it is now: −{change.removed} +{change.added}
      </h3>
      <pre className="difference" tabIndex={0} aria-label="The difference">
        {lines.map((line, index) => (
          // A difference does not change while it is shown.
          <span key={`${index} ${line}`} className={kinds[line[0] ?? ""] ?? ""}>
            {visibleBytes(line)}
          </span>
        ))}
        {change.is_cut && <span className="soft">… more than is shown here; the bytes below are whole</span>}
      </pre>
    </section>
  );
}

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "faint" };

/** A program, with what its order lets it reach. */
export function Program({ program }: { readonly program: NonNullable<ForeseenThings["program"]> }) {
  const named = (patterns: readonly string[]) => (patterns.length === 0 ? "none" : patterns.map(visible).join("  "));
  return (
    <Facts>
      <Fact name="runs">
        <code className="command">{visible(program.command)}</code>
      </Fact>
      <Fact name="in">{visible(program.cwd) || "the workspace"}</Fact>
      <Fact name="may read">{named(program.reads)}</Fact>
      <Fact name="may write">{named(program.writes)}</Fact>
      <Fact name="may reach">{named(program.hosts)}</Fact>
    </Facts>
  );
}
