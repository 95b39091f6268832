import type { ReactNode } from "react";
import { type FormField, fieldsOf, type Wanted } from "../../../src/people/approvals/answer-form.ts";
import type { Approval } from "../api/types.ts";
import { visible } from "../ui/visible.ts";
import { wantedBy } from "./approval-texts.ts";

export type Fields = Readonly<Record<string, FieldValue>>;
type FieldValue = string | number | boolean | readonly string[];

interface Given {
  readonly given: Fields;
  readonly onGiven: (fields: Fields) => void;
}

/** What a yes holds beside its words: the fields of a form, or the address that is to be visited. */
export function AnswerFields({ approval, ...given }: Given & { readonly approval: Approval }) {
  const wanted: Wanted | undefined = wantedBy(approval);
  if (!wanted) return null;
  if ("url" in wanted) return <Visit url={wanted.url} />;
  const fields = fieldsOf(wanted.form);
  if (fields.length === 0) return null;
  const secrets = fields.filter(({ isSecret }) => isSecret).map(({ title }) => visible(title));
  return (
    <fieldset className="stack" aria-label="The fields that are asked for">
      {secrets.length > 0 && (
        <p className="note wait" role="alert">
          <strong>{secrets.join(", ")}</strong> looks like a secret. A form may not ask for one, and who asks gets what
          you write.
        </p>
      )}
      {fields.map((field) => (
        <Field key={field.name} field={field} {...given} />
      ))}
    </fieldset>
  );
}

/** A page of a stranger: its host stands out, and it gets no word of where the reader comes from. */
function Visit({ url }: { readonly url: string }) {
  const host = URL.canParse(url) ? new URL(url).host : "";
  return (
    <p className="note wait">
      You are asked to visit a page at <strong>{visible(host)}</strong>, and to answer then:{" "}
      <a href={/^https?:/.test(url) ? url : undefined} target="_blank" rel="noreferrer noopener">
        {visible(url)}
      </a>
    </p>
  );
}

function Field({ field, given, onGiven }: Given & { readonly field: FormField }) {
  const { name, title, description, isRequired, limits } = field;
  const set = (value: FieldValue | undefined) => {
    const { [name]: _, ...others } = given;
    onGiven(value === undefined ? others : { ...others, [name]: value });
  };
  const hint = [visible(description), limits, isRequired ? "required" : "", fallbackOf(field)]
    .filter(Boolean)
    .join(" · ");
  return (
    <label className="stack">
      <span>
        <strong>{visible(title)}</strong> {hint !== "" && <span className="soft">{hint}</span>}
      </span>
      {inputFor(field, Object.hasOwn(given, name) ? given[name] : undefined, set)}
    </label>
  );
}

function fallbackOf({ default: value }: FormField): string {
  return value === undefined ? "" : `else ${visible(typeof value === "string" ? value : JSON.stringify(value))}`;
}

function inputFor(
  field: FormField,
  value: FieldValue | undefined,
  set: (value: FieldValue | undefined) => void,
): ReactNode {
  const { kind, choices, title } = field;
  const label = visible(title);
  switch (kind) {
    case "number":
    case "integer":
      return (
        <input
          className="field"
          type="number"
          step={kind === "integer" ? 1 : "any"}
          aria-label={label}
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => set(target.value === "" ? undefined : Number(target.value))}
        />
      );
    case "boolean":
      return (
        <select
          className="field"
          aria-label={label}
          value={value === undefined ? "" : String(value)}
          onChange={({ target }) => set(target.value === "" ? undefined : target.value === "true")}
        >
          <option value="" />
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case "one of":
      return (
        <select
          className="field"
          aria-label={label}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => set(target.value === "" ? undefined : target.value)}
        >
          <option value="" />
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {visible(choice.title)}
            </option>
          ))}
        </select>
      );
    case "some of":
      return (
        <select
          className="field"
          multiple
          aria-label={label}
          value={Array.isArray(value) ? [...value] : []}
          onChange={({ target }) => set([...target.selectedOptions].map((option) => option.value))}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {visible(choice.title)}
            </option>
          ))}
        </select>
      );
    case "text":
      return (
        <input
          className="field wide"
          type={field.isSecret ? "password" : "text"}
          aria-label={label}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => set(target.value === "" ? undefined : target.value)}
        />
      );
  }
}
