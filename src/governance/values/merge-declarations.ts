import {
  declarationsOf,
  declaredSink,
  type Field,
  type Sink,
  type ToolDeclaration,
  type ValueRights,
} from "./declarations.ts";
import { isStricter } from "./order-args.ts";

type Declared = Readonly<Record<string, ToolDeclaration>>;

/** What a framework says of tools together with what people said when they approved them: the stricter counts. */
export function withApproved(rights: ValueRights, approved: Declared | undefined): ValueRights {
  if (approved === undefined) return rights;
  const of = declarationsOf({ ...rights, tools: rights.tools ?? {} });
  const merged = Object.entries(approved).map(([tool, said]) => [tool, mergeDeclarations(of(tool), said)] as const);
  return { ...rights, tools: { ...rights.tools, ...Object.fromEntries(merged) } };
}

/** Each trusts as little as the one of the two that trusts less. */
export function mergeDeclarations(one: ToolDeclaration, other: ToolDeclaration): ToolDeclaration {
  const args = mergeArgs(one, other);
  const fields = mergeFields(one, other);
  const reads = bothSay(one.reads, other.reads);
  const directory = bothSay(one.directory, other.directory);
  const destroys = one.destroys === true || other.destroys === true || (one.destroys ?? other.destroys);
  return {
    ...(reads === undefined ? {} : { reads }),
    ...(destroys === undefined ? {} : { destroys }),
    ...(args ? { args } : {}),
    ...(fields ? { fields } : {}),
    ...(directory === undefined ? {} : { directory }),
  };
}

function bothSay(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one && other;
}

function mergeArgs(one: ToolDeclaration, other: ToolDeclaration): Record<string, Sink> | undefined {
  if (!one.args || !other.args) return one.args ?? other.args;
  const args: Record<string, Sink> = {};
  for (const name of new Set([...Object.keys(one.args), ...Object.keys(other.args)])) {
    const [first, second] = [one, other].map((each) => declaredSink(each, name === "*" ? [] : name.split(".")));
    const stricter = first && second ? (isStricter(second, first) ? second : first) : (first ?? second);
    if (stricter) args[name] = stricter;
  }
  return args;
}

const trusting: readonly Field["from"][] = ["system", "owner", "fact", "foreign"];

function mergeFields({ fields: one }: ToolDeclaration, { fields: other }: ToolDeclaration): ToolDeclaration["fields"] {
  if (!one || !other) return one ?? other;
  const fields: Record<string, Field> = { ...one };
  for (const [name, field] of Object.entries(other)) {
    const known = Object.hasOwn(one, name) ? one[name] : undefined;
    const less = known && trusting.indexOf(known.from) > trusting.indexOf(field.from) ? known : field;
    fields[name] = { ...less, ...(known?.secret || field.secret ? { secret: true } : {}) };
  }
  return fields;
}
