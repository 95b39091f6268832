import type { Reducers } from "../draft.ts";

export const agentReducers: Reducers = {
  "agent.transition": (draft, { actor, payload }) => {
    draft.agents.set(actor, payload.to);
  },
  "worker.report": (draft, { payload }) => {
    draft.output = payload.output;
  },
  "review.result": (draft, { payload }) => {
    draft.verdict = payload.verdict;
  },
  "skill.invoke": (draft, { payload }) => {
    draft.skills.push(payload.skill);
  },
};
