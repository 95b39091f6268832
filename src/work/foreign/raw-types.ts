import type { Router } from "#agents";

/** What the router wants of a request in a program's own words. */
export type RawRequest = Parameters<NonNullable<Router["exchange"]>>[1];
export type RawAnswer = Parameters<RawRequest["take"]>[0];
export type RawTerms = Parameters<RawRequest["take"]>[1];
export type RawTaken = Extract<Awaited<ReturnType<RawRequest["take"]>>, { ok: true }>["value"];
