import { type ReactNode, useState } from "react";
import type { Answers as Four } from "../../../src/log/answers/answers.ts";
import { count, usd } from "../ui/numbers.ts";
import { State, type StateName } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";

type Item<T extends "allowed_by" | "saw" | "wrote"> = Four[T]["items"][number];

/** Items of a column before “all”. */
const shownFirst = 5;

/** Who allowed it, what did it see, what did it write, what did it cost: each item leads to its event. */
export function FourAnswers({
  answers,
  onGo,
}: {
  readonly answers: Four | null;
  readonly onGo: (seq: number) => void;
}) {
  const { allowed_by, saw, wrote, cost } = answers ?? {};
  return (
    <div className="answers">
      <Column title="Allowed by" known={answers !== null} count={allowed_by?.count ?? 0} none="no rule had a say">
        {allowed_by &&
          [...allowed_by.items].sort(byWeight).map((item) => <Allowed key={keyOf(item)} item={item} onGo={onGo} />)}
      </Column>
      <Column title="Saw" known={answers !== null} count={saw?.count ?? 0} none="nothing but the request itself">
        {saw && [...saw.items].sort(filesFirst).map((item) => <Saw key={keyOf(item)} item={item} onGo={onGo} />)}
      </Column>
      <Column title="Wrote" known={answers !== null} count={wrote?.count ?? 0} none="nothing">
        {wrote?.items.map((item) => (
          <Wrote key={item.path} item={item} onGo={onGo} />
        ))}
      </Column>
      <section className="card answer" aria-label="Cost" tabIndex={0}>
        <h3>Cost</h3>
        {cost ? <Cost cost={cost} /> : <p className="faint">adding up …</p>}
      </section>
    </div>
  );
}

function Column(props: {
  readonly title: string;
  readonly known: boolean;
  readonly count: number;
  readonly none: string;
  readonly children: readonly ReactNode[] | undefined;
}) {
  const [all, setAll] = useState(false);
  const { children = [] } = props;
  const hidden = children.length - shownFirst;
  return (
    <section className="card answer" aria-label={props.title} tabIndex={0}>
      <h3>
        {props.title} {props.count > 0 && <span className="faint">{count(props.count)}</span>}
      </h3>
      {!props.known && <p className="faint">adding up …</p>}
      {props.known && children.length === 0 && <p className="soft">{props.none}</p>}
      {children.length > 0 && <ul>{all ? children : children.slice(0, shownFirst)}</ul>}
      {all && props.count > children.length && (
        <p className="soft">and {count(props.count - children.length)} more: the timeline has them all</p>
      )}
      {hidden > 0 && (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fewer" : `all ${count(children.length)}`}
        </button>
      )}
    </section>
  );
}

function Line(props: {
  readonly seq: number;
  readonly onGo: (seq: number) => void;
  readonly mark: StateName;
  readonly said: string;
  readonly name: string;
  readonly about?: string | null | undefined;
  readonly end?: ReactNode;
}) {
  const about = props.about ?? "";
  return (
    <li>
      <State name={props.mark} label={props.said} />
      <button
        type="button"
        className="link clip"
        title={`${visible(props.name)}${about === "" ? "" : `\n${visible(about)}`} (event ${props.seq})`}
        onClick={() => props.onGo(props.seq)}
      >
        {visible(props.name)}
        {about !== "" && <span className="faint"> {visible(about)}</span>}
      </button>
      {props.end && <span className="end">{props.end}</span>}
    </li>
  );
}

const decided: Readonly<Record<string, StateName>> = {
  deny: "denied",
  ask: "waiting",
  allow: "done",
  approve: "done",
  transform: "idle",
  grant: "idle",
  ends: "idle",
};

function Allowed({ item, onGo }: { readonly item: Item<"allowed_by">; readonly onGo: (seq: number) => void }) {
  const said = item.shadow ? `would ${item.decision}` : item.decision === "grant" ? item.kind : item.decision;
  const about = [item.where !== item.rule ? item.where : null, item.about].filter(Boolean).join(" · ");
  return (
    <Line
      seq={item.seq}
      onGo={onGo}
      mark={item.shadow ? "idle" : (decided[item.decision] ?? "idle")}
      said={said}
      name={item.rule}
      about={about}
      end={item.times > 1 ? `${count(item.times)} ×` : null}
    />
  );
}

function Saw({ item, onGo }: { readonly item: Item<"saw">; readonly onGo: (seq: number) => void }) {
  const mark = item.trust === "untrusted" ? "doubt" : item.trust === null ? "idle" : "done";
  return (
    <Line
      seq={item.seq}
      onGo={onGo}
      mark={mark}
      said={item.trust ?? item.kind}
      name={item.name}
      about={item.kind === "output" ? "output of a tool" : item.kind === "file" ? null : item.kind}
      end={item.hash && <code title={item.hash}>{item.hash.slice(0, 6)}</code>}
    />
  );
}

const stood: Readonly<Record<Item<"wrote">["state"], StateName>> = {
  landed: "done",
  waiting: "waiting",
  quarantined: "quarantined",
  dropped: "denied",
};

function Wrote({ item, onGo }: { readonly item: Item<"wrote">; readonly onGo: (seq: number) => void }) {
  const { added, removed } = item;
  const lines = [added === null ? "" : `+${count(added)}`, removed ? `−${count(removed)}` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <Line
      seq={item.call_seq ?? item.seq}
      onGo={onGo}
      mark={stood[item.state]}
      said={item.state === "quarantined" ? "in quarantine" : item.state === "waiting" ? "not landed" : item.state}
      name={item.path}
      about={item.change}
      end={
        <>
          {lines} {item.hash && <code title={item.hash}>{item.hash.slice(0, 6)}</code>}
        </>
      }
    />
  );
}

function Cost({ cost }: { readonly cost: Four["cost"] }) {
  const tokens = cost.input + cost.output;
  const cached = cost.input > 0 ? Math.round((cost.cached / cost.input) * 100) : 0;
  return (
    <>
      <p className="sum">
        <strong>{usd(cost.usd)}</strong>{" "}
        {cost.usd_limit !== null && <span className="soft">of {usd(cost.usd_limit)}</span>}
        <span className="soft">
          {" "}
          · {count(tokens)}
          {cost.token_limit !== null && ` of ${count(cost.token_limit)}`} tokens{cost.estimated && ", estimated"}
        </span>
      </p>
      <Bar spent={cost.usd} limit={cost.usd_limit} what="money" />
      <Bar spent={tokens} limit={cost.token_limit} what="tokens" />
      {cost.by.length > 0 && (
        <table>
          <tbody>
            {cost.by.map(({ role, model, calls, input, output, usd: money }) => (
              <tr key={`${role} ${model}`}>
                <th scope="row">{visible(role)}</th>
                <td className="clip soft">{visible(model)}</td>
                <td className="number soft">{count(calls)} ×</td>
                <td className="number soft">{count(input + output)}</td>
                <td className="number">{usd(money)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="soft">
        {count(cost.calls)} {cost.calls === 1 ? "call" : "calls"}
        {cached > 0 && `, ${cached} % cached`} · gates {Math.round(cost.gates_ms)} ms
        {cost.below.orders > 0 && ` · ${count(cost.below.orders)} orders below: ${usd(cost.below.usd)}`}
      </p>
    </>
  );
}

/** From zero to the limit; nothing where there is none. */
function Bar({ spent, limit, what }: { readonly spent: number; readonly limit: number | null; readonly what: string }) {
  if (limit === null || limit === 0) return null;
  const share = Math.min(1, spent / limit);
  return (
    <div
      className="spent"
      role="meter"
      aria-label={`Spent of the ${what}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}

const weights: Readonly<Record<string, number>> = { deny: 0, ask: 1 };

/** What was refused or asked first; then people and the order; then the rest as it came. */
function byWeight(a: Item<"allowed_by">, b: Item<"allowed_by">): number {
  return weightOf(a) - weightOf(b) || a.seq - b.seq;
}

function weightOf({ decision, shadow, kind }: Item<"allowed_by">): number {
  if (!shadow && decision in weights) return weights[decision] ?? 0;
  return kind === "person" || kind === "order" ? 2 : shadow ? 3 : kind === "hook" ? 5 : 4;
}

function filesFirst(a: Item<"saw">, b: Item<"saw">): number {
  return Number(a.kind !== "file") - Number(b.kind !== "file") || a.seq - b.seq;
}

function keyOf(item: Item<"allowed_by"> | Item<"saw">): string {
  return JSON.stringify(item);
}
