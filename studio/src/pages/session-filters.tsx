import { useState } from "react";
import { useSearchParams } from "wouter";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly type?: "date" | "number";
  readonly choices?: readonly string[];
}

const fields: readonly Field[] = [
  {
    name: "kind",
    label: "kind",
    hint: "requests",
    choices: ["work", "decision", "rejection", "halt", "record", "all"],
  },
  {
    name: "state",
    label: "state",
    hint: "any",
    choices: ["running", "waiting", "halted", "interrupted", "done", "failed", "refused", "in_doubt", "quarantined"],
  },
  { name: "caller", label: "asked by", hint: "ada@example.org" },
  { name: "allowed_by", label: "allowed by", hint: "rule or person" },
  { name: "saw", label: "saw", hint: "path or source" },
  { name: "wrote", label: "wrote", hint: "path" },
  { name: "cost_above", label: "cost above $", hint: "0.10", type: "number" },
  { name: "tool", label: "tool", hint: "fs.write" },
  { name: "skill", label: "skill", hint: "greet" },
  { name: "cycle", label: "cycle", hint: "code-review" },
  { name: "since", label: "began since", hint: "", type: "date" },
  { name: "until", label: "began before", hint: "", type: "date" },
];

/** Parts of the address that narrow the list, and the order that it stands in. */
export const filterNames: readonly string[] = [...fields.map(({ name }) => name), "q", "refused", "sort"];

/** The four answers, people and time as filters: in the address, so that a list can be sent. */
export function SessionFilters() {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === "") next.delete(name);
      else next.set(name, value);
      next.delete("shown");
      return next;
    });
  const chosen = fields.filter(({ name }) => search.has(name));
  const [open, setOpen] = useState(false);
  return (
    <section className="panel filter-bar" aria-label="Filters">
      <div className="row">
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          Filter
        </button>
        {chosen.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-label={`Take away the filter ${label}`}
            onClick={() => set(name, "")}
          >
            {label}: {search.get(name)} ×
          </button>
        ))}
        <label className="row">
          <input
            type="checkbox"
            checked={search.get("refused") === "true"}
            onChange={({ target }) => set("refused", target.checked ? "true" : "")}
          />
          with refused acts
        </label>
      </div>
      {open && (
        <div className="filter-fields">
          {fields.map((field) => (
            <label key={field.name} className="stack">
              <span className="soft">{field.label}</span>
              <Input field={field} value={search.get(field.name) ?? ""} onSet={(value) => set(field.name, value)} />
            </label>
          ))}
        </div>
      )}
    </section>
  );
}

function Input(props: { readonly field: Field; readonly value: string; readonly onSet: (value: string) => void }) {
  const { field, value, onSet } = props;
  if (field.choices)
    return (
      <select className="field" value={value} onChange={({ target }) => onSet(target.value)}>
        <option value="">{field.hint}</option>
        {field.choices
          .filter((choice) => choice !== "work")
          .map((choice) => (
            <option key={choice} value={choice}>
              {choice.replaceAll("_", " ")}
            </option>
          ))}
      </select>
    );
  return (
    <input
      className="field"
      type={field.type ?? "text"}
      key={value}
      defaultValue={value}
      placeholder={field.hint}
      {...(field.type === "number" ? { min: 0, step: "any" } : {})}
      onKeyDown={(event) => event.key === "Enter" && onSet(event.currentTarget.value)}
      onBlur={({ currentTarget }) => currentTarget.value !== value && onSet(currentTarget.value)}
    />
  );
}
