import { readFileSync } from "node:fs";

/** A query in a file of its own. */
export interface Statement {
  /** The server stores its plan under this name. */
  readonly name: string;
  readonly text: string;
  /** The client sets no timeout; the server decides how long the statement takes. */
  readonly hasNoTimeout?: true;
}

/** Reads queries from `queries/` beside the file that names them, in src/ and in dist/. */
export function statementsBeside(where: string, component: string): (name: string) => Statement {
  return (name) => ({
    name: `${component}/${name}`,
    text: readFileSync(new URL(`./queries/${name}.sql`, where), "utf8"),
  });
}
