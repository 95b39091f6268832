import { type DomainError, domainError } from "#core/errors";
import { type Sha256 } from "#core/values";

const hashShape = /^[0-9a-f]{64}$/;

export function isHash(text: string): boolean {
  return hashShape.test(text);
}

export function malformedHash(hash: string): DomainError {
  return domainError("MALFORMED_INPUT", `"${hash}" names no document; expected the 64 hex digits of its SHA-256`, {
    details: { sha256: hash },
  });
}

export function noSuchDocument(hash: Sha256): DomainError {
  return domainError("NOT_FOUND", `there is no document ${hash}`, { details: { sha256: hash } });
}

export function changedDocument(hash: Sha256): DomainError {
  return domainError("LEDGER_CORRUPT", `document ${hash} no longer matches its name: what is kept was changed`, {
    details: { sha256: hash },
  });
}
