import type { MandateV1 } from "#core/contracts";
import { nameMatcher } from "../paths/rights.ts";
import { declaredSink, guessSink, type Sink, type ToolDeclaration } from "./declarations.ts";

type Args = NonNullable<MandateV1["permissions"][number]["args"]>;

/** From what a value may be without any question to what has to be known best. */
const strictness: readonly Sink["sink"][] = [
  "plain",
  "content",
  "label",
  "when",
  "measure",
  "object",
  "secret",
  "reach",
];

export function isStricter({ sink }: Sink, than: Sink): boolean {
  return strictness.indexOf(sink) > strictness.indexOf(than.sink);
}

/**
 * What an order and those above it say of arguments (`tool_permissions[].args`), over what is declared and guessed. The strictest
 * counts: an order that a model handed down may say as much of an argument as it likes, and loosens none.
 */
export function withOrderArgs(
  declarationOf: (tool: string) => ToolDeclaration,
  mandate: MandateV1,
): (tool: string) => ToolDeclaration {
  const said = argsIn(mandate);
  if (said.length === 0) return declarationOf;
  return (tool) => {
    const declaration = declarationOf(tool);
    const args: Record<string, Sink> = { ...declaration.args };
    let isOther = false;
    for (const { matches, args: own } of said) {
      if (!matches(tool)) continue;
      for (const [name, { sink, kind }] of Object.entries(own)) {
        const known = declaredSink({ ...declaration, args }, name.split(".")) ?? guessSink(name, "");
        const asked = { sink, ...(kind === undefined ? {} : { kind }) };
        if (!isStricter(asked, known)) continue;
        args[name] = asked;
        isOther = true;
      }
    }
    return isOther ? { ...declaration, args } : declaration;
  };
}

function argsIn({ permissions, within }: MandateV1): readonly {
  readonly matches: (tool: string) => boolean;
  readonly args: Args;
}[] {
  const own = permissions.flatMap(({ tool, args }) => (args ? [{ matches: nameMatcher(tool), args }] : []));
  return within ? [...own, ...argsIn(within)] : own;
}
