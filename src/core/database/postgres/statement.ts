import { readFileSync } from "node:fs";

/** A query in a file of its own. */
export interface Statement {
  /** Under which the server keeps its plan. */
  readonly name: string;
  readonly text: string;
  /** The server decides how long it takes; nobody here gives it up before. */
  readonly hasNoTimeout?: true;
}

/** Reads queries that lie in `queries/` beside the file that names them, in src/ and in dist/. */
export function statementsBeside(where: string, component: string): (name: string) => Statement {
  return (name) => ({
    name: `${component}/${name}`,
    text: readFileSync(new URL(`./queries/${name}.sql`, where), "utf8"),
  });
}
