import type { ErrorCode } from "./error-codes.ts";

interface Meaning {
  readonly means: string;
  readonly remedy: string;
}

/** The meaning of each code and its remedy. The compiler asks for an entry when a code is added. */
export const errorMeanings: Readonly<Record<ErrorCode, Meaning>> = {
  SCHEMA_NOT_FOUND: {
    means: "A contract is named that is not registered.",
    remedy: "`writ schema list` names those there are.",
  },
  SCHEMA_INVALID: {
    means: "A schema of the workspace is no JSON Schema.",
    remedy: "Mend the file and line that the message names, then `writ pkg adopt`.",
  },
  SCHEMA_VIOLATION: {
    means: "A document does not keep its contract.",
    remedy: "The message names the place, what was expected and what was found.",
  },
  MALFORMED_INPUT: {
    means: "What was handed in cannot be read or is not what the command takes.",
    remedy: "`writ help COMMAND` shows what it takes.",
  },
  MALFORMED_AGENT_MESSAGE: {
    means: "A model answered with something other than its role's contract, also after its chance to mend it.",
    remedy:
      "Both attempts are in the log. Another model, or a plainer skill; `limits.repair_attempts` gives more chances.",
  },
  OUTPUT_TRUNCATED: {
    means:
      "A model's answer reached the limit on its output, also when it was asked again with all that it can put out.",
    remedy: "Raise `max_output_tokens` in `writ.yaml`, name a model that can put out more, or ask for less at once.",
  },
  MODEL_REFUSED: {
    means: "A model, or a filter of its vendor, refused to answer. The message has its words.",
    remedy: "Ask in another way, or name another model; the same question gets the same answer.",
  },
  EMPTY_ANSWER: {
    means: "A model answered with nothing, also when the router asked for one.",
    remedy: "Ask again, or name another model.",
  },
  LOOP_DETECTED: {
    means: "An agent made the same call with the same arguments again and again and got the same result.",
    remedy: "`writ session show last` has the call. Say in the request what the result means, or name another model.",
  },
  CONTEXT_OVERFLOW: {
    means: "A conversation is longer than its model's window, also after it was shortened.",
    remedy: "Ask for less at once, or name a model with a larger window; `limits.context_tokens` shortens earlier.",
  },
  MODALITY_UNSUPPORTED: {
    means: "A picture is attached to a message, and the model is known to see none. Nothing was sent.",
    remedy: "Name a model that reads pictures (`writ models list`), or leave the picture out.",
  },
  REVIEW_FAILED: {
    means: "The reviewer did not pass the work within the rounds allowed.",
    remedy: "Its feedback is in the log; `limits.rework_rounds` allows more rounds.",
  },
  ACCEPTANCE_FAILED: {
    means: "A test or check of the work order's `acceptance` did not hold.",
    remedy: "`writ session show last` names it; mend the work, or the order.",
  },
  PARTIAL_RESULT: {
    means:
      "The agent answered, and something that it asked for was refused or failed and never made good. Nothing of it landed.",
    remedy:
      "`undone` of the result lists it: see why it was asked for before you grant it. `on_partial: land` in the order lets the rest land.",
  },
  PART_FAILED: {
    means: "An order handed parts of its work down, and one of them did not succeed.",
    remedy: "The message names the child orders and why each failed; `writ session show` tells the whole story.",
  },
  ATTENTION_EMPTY: {
    means: "The attention template found nothing and says that this is a failure.",
    remedy: "Put there what it looks for, or set `on_empty` in the template.",
  },
  ATTENTION_LIMIT: {
    means: "Gathering context met a limit.",
    remedy: "Raise the template's `limits`, or set `on_limit: return_partial`.",
  },
  CONFIG_INVALID: {
    means: "`writ.yaml` says something that Writ does not understand.",
    remedy: "The message names the line and the key that was probably meant.",
  },
  SECRET_NOT_FOUND: {
    means: "`${secret:NAME}` leads nowhere.",
    remedy: "Set the variable, or say under `secrets` where the value is.",
  },
  WORKSPACE_NOT_FOUND: {
    means: "There is no `writ.yaml` here or above.",
    remedy: "`writ init`, or name the workspace with `--root`.",
  },
  NOT_FOUND: { means: "What was named does not exist.", remedy: "The `list` of the same command names what there is." },
  AMBIGUOUS_ID: { means: "A shortened id fits more than one thing.", remedy: "Give more of its characters." },
  TOOL_NOT_FOUND: { means: "No tool has this name.", remedy: "`writ tool list` names those there are." },
  TOOL_NOT_ALLOWED: {
    means:
      "The tool exists, but this request may not call it: skill, order or framework does not name it, or its definition is not the approved one.",
    remedy:
      "See first why it was asked for: `writ session show` tells what the agent had read before. If the request needs it, its author names it in the order; a server's tool is approved by `writ tool approve`.",
  },
  GATE_DENIED: {
    means: "A hook denied, or a gate over contracts is shut.",
    remedy:
      "Ask for what the rule allows, or change the rule: `writ hook list` names the hooks, `writ gate check` the gates.",
  },
  PROMPT_DENIED: {
    means: "A hook refused the prompt.",
    remedy: "The reason is in the message; rephrase, or change the hook.",
  },
  POLICY_DENIED: {
    means: "A policy of the cycle denied.",
    remedy: "`writ session show last` shows the rule and the values it saw.",
  },
  NOT_AUTHORIZED: {
    means: "The caller has not the right.",
    remedy: "`identity.roles` and `identity.callers` grant rights; another person may have to decide.",
  },
  FEATURE_DISABLED: { means: "It is switched off in this workspace.", remedy: "`v2_features` in `writ.yaml`." },
  FRAMEWORK_NOT_FOUND: {
    means: "The work order names a framework that is not registered.",
    remedy: "`writ pkg list`; adopt or install the package that brings it.",
  },
  AGENT_CLASS_NOT_PERMITTED: {
    means: "The framework does not permit this class of agent.",
    remedy: "Use another framework, or change its manifest and adopt it.",
  },
  WORK_ORDER_INVALID: {
    means: "The order is incomplete, contradicts itself, or asks for more than its author may give.",
    remedy: "`writ flow explain FILE` says which right decides.",
  },
  PACKAGE_REFUSED: {
    means: "A package does not pass examination: hostile paths, wrong hashes, no trusted signature.",
    remedy: "The message says what is wrong; `packages.trust_roots` names whose packages may come in.",
  },
  PACKAGE_CONFLICT: {
    means: "Two packages, or a package and you, claim one file or version.",
    remedy: "Remove the other one, or build it with a new version.",
  },
  WORKFLOW_UNKNOWN_ID: {
    means: "A cycle, phase, policy, persona or artifact is named that is not registered.",
    remedy: "`writ workflow list` names the cycles, `writ workflow check` what is unsound.",
  },
  WORKFLOW_INVALID: {
    means: "A definition under `workflows/` is unsound.",
    remedy: "`writ workflow check` names file, line and what would be right.",
  },
  WORKFLOW_HALTED: {
    means: "A bound of the cycle was reached.",
    remedy: "Look why it loops; `loop_bounds` and loop-halt policies set the bounds.",
  },
  WORKFLOW_ABORTED: {
    means: "The cycle was given up by its own condition, or a person said no.",
    remedy: "The reason is in the message.",
  },
  WORKSPACE_NOT_TRUSTED: {
    means:
      "The workspace names programs, addresses or looser rules that this user has not agreed to, or no longer as they are now.",
    remedy:
      "`writ trust` shows all of it and asks; where no person can be asked, `WRIT_TRUST=DIGEST` agrees to what `writ trust --show` shows.",
  },
  STORE_BEHIND: {
    means: "The store is behind what this machine saw of it, as after an older backup was put back.",
    remedy: "Put the newest one back, or take it as it is: `writ anchor accept`.",
  },
  HALTED: {
    means: "A person pulled the kill switch.",
    remedy: "`writ halt` says who and why; `writ halt --lift`, then `writ session resume`.",
  },
  FOREIGN_SESSION: {
    means:
      "A session of a program that Writ did not make does not go on: that program cannot be brought back to where it was.",
    remedy:
      "Start the program again, with a token of its own: `writ gateway token`. What the session holds stays readable and can be proved.",
  },
  LAW_CHANGED: {
    means: "The session began under other tools or hooks than there are now.",
    remedy: "Put them back, or `writ session fork` to go on under the new ones.",
  },
  BUDGET_EXHAUSTED: {
    means: "A call would cost more than is left.",
    remedy: "Raise `budget` in the order or in `writ.yaml`; `workspace_budget` counts everything.",
  },
  PRICE_UNKNOWN: {
    means: "A limit on money applies to a model whose price is not known, so the limit could not be kept.",
    remedy: "Write the model's price under `prices` in `writ.yaml`, or `unknown_price: free` if it costs nothing.",
  },
  RATE_LIMITED: { means: "Too many calls in too little time.", remedy: "Wait; `rate_limits` sets how fast." },
  WRITE_CONFLICT: {
    means: "What was to be replaced is not what it was.",
    remedy: "Look at what is there now, then repeat.",
  },
  CAPABILITY_VIOLATION: {
    means:
      "A file, program or host is outside the order's mandate, or a turn declared what its rights do not cover. It did not happen.",
    remedy:
      "See first why it was asked for: `writ session show` tells what the agent had read before. A turn of your own declares less.",
  },
  UNDECLARED_WRITE: {
    means: "A turn changed something that it had not declared. Nothing landed.",
    remedy: "`writ turn quarantine show` shows it; declare it, or do not write it.",
  },
  MISSING_OUTPUT: {
    means: "A turn did not write what it had declared. Nothing landed.",
    remedy: "Mend the program, or declare less.",
  },
  TURN_FAILED: { means: "The program of a turn ended badly.", remedy: "Its last lines are in the message." },
  TURN_LIMIT: {
    means: "A turn used more time, memory, processes, files or output than it may.",
    remedy: "`sandbox` in `writ.yaml` sets the limits.",
  },
  SEALED_VALUE_REFUSED: {
    means:
      "A call names a value that redaction took out (`[SEALED:…]`, `[REDACTED:…]`), and may not have it: the session has no such value, it is older than its limit, or nothing grants it to this tool.",
    remedy:
      "A value goes back into the file that it was read from. For anything else `tool_permissions[].opens` of the order grants it, or a person approves the call; after `redaction.keep_sealed_hours` read the file again.",
  },
  SANDBOX_UNAVAILABLE: {
    means: "This machine cannot hold a turn.",
    remedy: "`writ doctor` says what is missing and how to install it.",
  },
  PROVIDER_ERROR: {
    means: "The model's server failed or refused.",
    remedy: "`writ doctor --provider PROFILE` looks into it; `fallback` in `writ.yaml` names others to try.",
  },
  PROVIDER_TIMEOUT: {
    means: "The model's server took too long.",
    remedy: "Try again, or raise `limits.model_call_timeout_seconds`.",
  },
  CIRCUIT_OPEN: {
    means: "The server failed so often that it is left alone for a while.",
    remedy: "Wait `circuit_breaker.recovery_seconds`, or use another profile.",
  },
  TOOL_ERROR: { means: "A tool ran and failed.", remedy: "The message is the tool's." },
  TOOL_TIMEOUT: {
    means: "A tool took too long.",
    remedy: "`limits.tool_timeout_seconds`, or `timeout_seconds` of its server.",
  },
  EFFECT_IN_DOUBT: {
    means: "A call was started and its end is not recorded. It may have taken effect.",
    remedy: "Look at the other side, then `writ session resolve`.",
  },
  ACT_HELD: {
    means:
      "An act waits for a person, who is asked about it with whatever else waits when the agent has done all it can.",
    remedy: "`writ inbox`, once the order waits.",
  },
  APPROVAL_PENDING: { means: "A person has to decide first.", remedy: "`writ inbox`, then `writ session resume`." },
  INTERRUPTED: { means: "The process ended before the work did.", remedy: "`writ session resume`." },
  CANCELED: { means: "It was called off.", remedy: "`writ session fork` goes on from any of its events." },
  TIMEOUT: {
    means: "The time of the order, or of the flow, is over.",
    remedy: "Raise `budget.timeout_seconds` in the order, or `limits.flow_timeout_seconds` in `writ.yaml`.",
  },
  LEASE_LOST: {
    means: "A worker spoke after its lease had gone to another.",
    remedy:
      "Nothing: what it said was refused, and the item is in other hands. A longer `--lease` if it happens often.",
  },
  REVISION_CONFLICT: {
    means: "A revision was made on a head that is no longer the head.",
    remedy: "The app is asked again with the new head.",
  },
  PATCH_ALREADY_APPLIED: { means: "A patch was to be settled twice.", remedy: "Nothing: it counted once." },
  RUN_CLOSED: { means: "The run has ended.", remedy: "Start another one." },
  RUN_HAS_OPEN_WORK: {
    means: "A run cannot be completed while work is open.",
    remedy: "Wait for the work, or cancel the run.",
  },
  NOT_AUTHENTICATED: {
    means: "The server does not know who asks.",
    remedy: "Send an API key; `writ key create CALLER` makes one.",
  },
  TOO_LARGE: {
    means: "A body or document is larger than allowed.",
    remedy: "`server.body_bytes`, `limits.payload_bytes`.",
  },
  METHOD_NOT_ALLOWED: {
    means: "The address is right, but it takes another HTTP method.",
    remedy: "The answer's `Allow` header names those that it takes; `/api` lists all of them.",
  },
  WRONG_MEDIA_TYPE: {
    means: "The request's content type is not JSON.",
    remedy: "Send `content-type: application/json`.",
  },
  MISDIRECTED: {
    means: "The request names a host that this server does not serve.",
    remedy: "`server.allowed_hosts`.",
  },
  OVERLOADED: {
    means: "The server has as much as it can do.",
    remedy: "Try again after the time that the answer names.",
  },
  LEDGER_CORRUPT: {
    means: "A record is not what was written.",
    remedy: "`writ session verify` names the first bad event. Restore it; nothing is appended meanwhile.",
  },
  REPLAY_DIVERGED: {
    means: "Taken up again, the session did not come where its record is.",
    remedy: "`writ session fork` goes on from an event of yours; please report it.",
  },
  VALUE_LABEL_DRIFT: {
    means: "The record says of a value that it came from somewhere, and the events before it say otherwise.",
    remedy: "`writ session verify` names the call. `writ session fork` goes on from an event before it.",
  },
  LEDGER_UNAVAILABLE: {
    means: "The log cannot be written: the disk is full or read-only, or the database is away.",
    remedy: "Make room or mend it, then `writ session resume`.",
  },
  SESSION_BUSY: { means: "Another process writes this session.", remedy: "Wait for it, or end it." },
  SESSION_CLOSED: { means: "The session has ended.", remedy: "`writ session fork` starts one from it." },
  STORE_UNAVAILABLE: { means: "The shared database does not answer.", remedy: "`writ doctor` looks at it." },
  STORE_TOO_NEW: { means: "The database was written by a newer Writ.", remedy: "Use that version." },
  INTERNAL: {
    means: "Something broke inside Writ.",
    remedy:
      "This is a defect of Writ, not of your input: run it again with `--debug`, and please report what it prints.",
  },
};
