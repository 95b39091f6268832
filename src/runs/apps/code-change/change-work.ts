import type { AppTurnActionsV1, ChangePlanV1, WorkItemV1 } from "#core/contracts";

type WorkRequest = Extract<AppTurnActionsV1["actions"][number], { readonly type: "request_work" }>;
export type PlannedFile = ChangePlanV1["changes"][number];

export const surveyKey = "survey";
const readable = ["**/*.{ts,tsx,js,jsx,mjs,cjs,py,go,rs,java,rb,c,h,cpp,cs,sh,sql,html,css,json,yaml,yml,toml,md}"];
const keyShape = /^change\/(\d+)\/(.+)$/;

export function requestSurvey(objective: string): WorkRequest {
  return {
    type: "request_work",
    capability: "research",
    objective: `What in the workspace does this concern: ${objective}`,
    depends_on: [],
    idempotency_key: surveyKey,
    input: { question: objective, sources: readable, base_revision_id: null, max_findings: 12 },
  };
}

/** Requests one whole file from one worker. */
export function requestFile({ path, instruction }: PlannedFile, attempt: number, notes?: string): WorkRequest {
  return {
    type: "request_work",
    capability: "agent",
    objective: instruction,
    depends_on: [],
    idempotency_key: `change/${attempt}/${path}`,
    input: {
      question: instruction,
      skill: "change-file",
      tools: ["fs.read", "fs.list", "fs.search"],
      target: { op: "file.write", path, expected_hash: null },
      base_revision_id: null,
      ...(notes === undefined ? {} : { notes }),
    },
  };
}

/** The file of a work item and the number of the attempt; undefined for other work. */
export function fileOf(item: WorkItemV1 | undefined): { readonly path: string; readonly attempt: number } | undefined {
  const [, attempt, path] = keyShape.exec(item?.idempotency_key ?? "") ?? [];
  return path === undefined ? undefined : { path, attempt: Number(attempt) };
}
