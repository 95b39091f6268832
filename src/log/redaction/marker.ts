/** The text in place of a secret. */
export function markerFor(kind: string): string {
  return `[REDACTED:${kind}]`;
}

export const kindShape: RegExp = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export const marker: RegExp = /\[REDACTED:[a-z0-9][a-z0-9_-]{0,39}\]/;

export const everyMarker: RegExp = /\[REDACTED:([a-z0-9][a-z0-9_-]{0,39})\]/g;
