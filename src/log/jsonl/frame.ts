import { canonicalJson, isJsonObject, sha256 } from "#core/values";
import type { SessionMarks } from "../session-state.ts";
import type { Tier } from "../tier.ts";

/**
 * A journal is a sequence of batches, one per sync. A batch is a header of fixed width and then lines: events, byte for
 * byte as they will be in their session's file, and frames that say whose they are.
 */

/** The first line of every generation: who writes it. */
export interface OwnerFrame {
  readonly frame: "owner";
  readonly instance: string;
  readonly generation: number;
  readonly pid: number;
  readonly host: string;
  readonly started_at: string;
}

/** The claim on a session and its low-water mark: up to here its files are authoritative, above it this journal. */
export interface BaseFrame {
  readonly frame: "base";
  readonly session_id: string;
  readonly tier: Tier;
  readonly base: SessionMarks;
}

/** The end of a claim; the session's files hold everything and are synced. */
export interface ReleaseFrame {
  readonly frame: "release";
  readonly session_id: string;
}

export type Frame = OwnerFrame | BaseFrame | ReleaseFrame;

const frameStart = '{"frame":"';
const checkStart = ',"check":"';

export function encodeFrame(frame: Frame): string {
  const { frame: kind, ...rest } = frame;
  const body = `${frameStart}${kind}",${canonicalJson(rest).slice(1, -1)}`;
  return `${body}${checkStart}${sha256(body)}"}`;
}

/** The frame, or undefined when the line is not a valid one. */
export function decodeFrame(line: string): Frame | undefined {
  const cut = line.length - checkStart.length - 64 - 2;
  if (cut < 0 || line.slice(cut, cut + checkStart.length) !== checkStart) return undefined;
  if (sha256(line.slice(0, cut)) !== line.slice(cut + checkStart.length, -2)) return undefined;
  const value: unknown = JSON.parse(line);
  return isJsonObject(value) ? (value as unknown as Frame) : undefined;
}

const headerStart = "@batch ";
/** `@batch`, twelve digits of its number, ten of its length, sixteen of a check, with spaces and LF. */
export const headerLength = 48;

/** `journal` names the file, so that bytes of another journal never pass as this one's. */
export function encodeHeader(journal: string, number: number, bytes: number): string {
  const text = `${headerStart}${String(number).padStart(12, "0")} ${String(bytes).padStart(10, "0")}`;
  return `${text} ${sha256(`${journal} ${text}`).slice(0, 16)}\n`;
}

export function decodeHeader(
  journal: string,
  text: string,
): { readonly number: number; readonly bytes: number } | undefined {
  const number = Number(text.slice(7, 19));
  const bytes = Number(text.slice(20, 30));
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(bytes)) return undefined;
  return encodeHeader(journal, number, bytes) === text ? { number, bytes } : undefined;
}

export const headerMarker: Buffer = Buffer.from(headerStart);
