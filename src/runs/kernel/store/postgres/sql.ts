import { type Statement, statementsBeside } from "#core/database";

/** The kernel's queries for PostgreSQL, each in its own file. */
export const sql: (name: string) => Statement = statementsBeside(import.meta.url, "kernel");
