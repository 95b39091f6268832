import type { ReviewFindingsV1 } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";

type Said = ReviewFindingsV1["findings"][number];

/**
 * Identity of a finding, to recognise duplicates. A fingerprint that the persona gives is used; otherwise the location and
 * the category count, or, where one of them is missing, the words of the title without case, signs and numbers.
 */
export function fingerprintOf(said: Said): string {
  if (said.fingerprint !== undefined) return said.fingerprint;
  const file = said.file?.replaceAll("\\", "/").replace(/^\.\//, "") ?? null;
  const what =
    said.line !== undefined && said.category !== undefined
      ? { line: said.line, category: wordsOf(said.category) }
      : { line: said.line ?? null, title: wordsOf(said.title) };
  return sha256(canonicalJson({ file, ...what })).slice(0, 16);
}

function wordsOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{Letter}]+/gu, " ")
    .trim();
}
