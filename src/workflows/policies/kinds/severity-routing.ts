import { moreConservative, type Route, routes } from "../../findings/finding.ts";
import { findingCases, judgeFinding } from "../finding-rules.ts";
import { type PolicyKindSpec, reviews } from "../policy-kind.ts";

/** What is done with a finding. Where policies disagree, the most conservative route is taken. */
export const severityRouting: PolicyKindSpec<"severity-routing"> = {
  kind: "severity-routing",
  decisions: ["deny", ...routes.toReversed(), "none"],
  unasked: "none",
  synonyms: { allow: "none" },
  variables: { own: ["finding"], known: "any" },
  asked: "finding",
  judge: judgeFinding,
  settle: (finding, decisions) => {
    const route = decisions
      .flatMap(({ decision }) => routes.filter((each) => each === decision))
      .reduce<Route | undefined>(careful, undefined);
    return route === undefined ? finding : { ...finding, route };
  },
  simulate: "with the finding",
  check: { isAskedIn: reviews, cases: findingCases },
  studio: {
    marks: {
      deny: "denied",
      advisory: "idle",
      manual: "waiting",
      gated: "waiting",
      apply: "done",
      none: "done",
      allow: "done",
    },
  },
};

function careful(most: Route | undefined, next: Route): Route {
  return most === undefined ? next : moreConservative(routes, most, next);
}
