import {
  declarationsOf,
  declaredSink,
  guessSink,
  type Sink,
  type ToolDeclaration,
  type ValueRights,
} from "./declarations.ts";

/** What Writ takes an argument of a tool for, and who said so. */
export interface SinkDescription {
  readonly argument: string;
  readonly sink: Sink["sink"];
  readonly kind?: string;
  /** `guessed` by its name: nothing of what a service returns serves such an argument. */
  readonly by: "declared" | "guessed";
}

export interface ToolSinks {
  readonly tool: string;
  /** Whether its calls are judged as acts; a reading is judged only by the links that it follows. */
  readonly acts: boolean;
  readonly arguments: readonly SinkDescription[];
}

interface DescribedTool {
  readonly name: string;
  readonly annotations: { readonly readOnly?: boolean };
  readonly schema_in: object;
}

/** The arguments of every tool as the rules over values see them. */
export function describeSinks(tools: readonly DescribedTool[], rights: ValueRights): readonly ToolSinks[] {
  const declarationOf = declarationsOf(rights);
  return tools.map(({ name, annotations, schema_in }) => {
    const declaration = declarationOf(name);
    const reads = declaration.reads ?? annotations.readOnly === true;
    return { tool: name, acts: !reads, arguments: reads ? [] : argumentsOf(schema_in, declaration) };
  });
}

function argumentsOf(schema: object, declaration: ToolDeclaration): readonly SinkDescription[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> };
  return Object.entries(properties).map(([argument, { type }]) => {
    const declared = declaredSink(declaration, [argument]);
    const { sink, kind } = declared ?? guessSink(argument, type === "boolean" ? true : "");
    return { argument, sink, ...(kind === undefined ? {} : { kind }), by: declared ? "declared" : "guessed" };
  });
}
