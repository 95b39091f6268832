import { useState } from "react";

/** Every id copies on click. */
export function Copy({ value, shown }: { readonly value: string; readonly shown?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 1200);
  };
  return (
    <button
      type="button"
      className="copy"
      title={`${value} (click to copy)`}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
    >
      {copied ? "copied" : (shown ?? value)}
    </button>
  );
}

/** `SES-20261115-m34nvy8f…` becomes `m34nvy`: what a person types. */
export function shortId(id: string): string {
  const tail = id.slice(id.lastIndexOf("-") + 1);
  return tail.length > 8 ? tail.slice(0, 6) : id;
}
