import type { ReviewFindingsV1 } from "#core/contracts";
import { canonicalJson } from "#core/values";
import {
  type AutofixClass,
  autofixClasses,
  type Finding,
  moreConservative,
  severities,
  severityOf,
} from "./finding.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** What one persona handed in. */
export interface PersonaFindings {
  readonly persona: string;
  readonly said: ReviewFindingsV1;
}

/**
 * All findings of all personas, one per fingerprint. Where they disagree the conservative choice wins: the graver severity,
 * the more careful fix, the higher confidence, and what one of them calls new or open is new and open. The result does not
 * depend on who answered first.
 */
export function mergeFindings(reports: readonly PersonaFindings[]): readonly Finding[] {
  const byPersona = reports.toSorted((a, b) => compare(a.persona, b.persona));
  const merged = new Map<string, Finding>();
  for (const { persona, said } of byPersona)
    for (const each of said.findings) {
      const finding = complete(persona, each);
      const before = merged.get(finding.fingerprint ?? "");
      merged.set(finding.fingerprint ?? "", before ? mergeTwo(before, finding) : finding);
    }
  return [...merged.values()].toSorted(byGravity);
}

function complete(persona: string, said: PersonaFindings["said"]["findings"][number]): Finding {
  const fingerprint = fingerprintOf(said);
  return {
    ...said,
    id: `F-${fingerprint.slice(0, 16)}`,
    reviewer: persona,
    reviewers: [persona],
    severity: severityOf(said.severity),
    autofix_class: said.autofix_class ?? "manual",
    fingerprint,
    pre_existing: said.pre_existing ?? false,
    resolved: said.resolved ?? false,
    schema_version: "v1",
  };
}

function mergeTwo(a: Finding, b: Finding): Finding {
  const evidence = unique([...(a.evidence ?? []), ...(b.evidence ?? [])]);
  const { fix, ...words } = { ...b, ...a }; // in words, the first by name speaks
  const isDisputed = a.fix && b.fix && canonicalJson(a.fix) !== canonicalJson(b.fix);
  const ways: readonly AutofixClass[] = [a.autofix_class, b.autofix_class, ...(isDisputed ? ["manual" as const] : [])];
  return {
    ...words,
    // Two who would mend it differently leave it to a person.
    ...(fix === undefined || isDisputed ? {} : { fix }),
    reviewers: unique([...(a.reviewers ?? []), ...(b.reviewers ?? [])]),
    severity: moreConservative(severities, a.severity, b.severity),
    autofix_class: ways.reduce((most, way) => moreConservative(autofixClasses, most, way)),
    confidence: a.confidence >= b.confidence ? a.confidence : b.confidence,
    pre_existing: a.pre_existing === true && b.pre_existing === true,
    resolved: a.resolved === true && b.resolved === true,
    ...(evidence.length > 0 ? { evidence } : {}),
  };
}

function byGravity(a: Finding, b: Finding): number {
  return (
    severities.indexOf(b.severity) - severities.indexOf(a.severity) || compare(a.fingerprint ?? "", b.fingerprint ?? "")
  );
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)].toSorted(compare);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
