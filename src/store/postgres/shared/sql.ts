import { type Statement, statementsBeside } from "../statement.ts";

/** The shared store's queries for PostgreSQL, each in its own file. */
export const sql: (name: string) => Statement = statementsBeside(import.meta.url, "shared");
