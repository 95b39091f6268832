import { visible } from "./visible.ts";

/** What was tried just now and did not happen. */
export function Failure({ message }: { readonly message: string | null }) {
  return (
    message && (
      <div className="note bad" role="alert">
        {visible(message)}
      </div>
    )
  );
}
