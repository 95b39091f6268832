import { KeyForm } from "./key-form.tsx";

/** In the place of any page, while the caller is not known: after the sign-in the page is where the address says. */
export function SignIn() {
  return (
    <div className="page">
      <section className="panel sign-in" aria-label="Sign in">
        <div className="title">
          <h1>Sign in</h1>
        </div>
        <div className="body stack">
          <p>This server belongs to a team: it shows nothing before it knows who you are.</p>
          <KeyForm />
          <p className="soft">
            An administrator makes a key with <code>writ key create you@example.org</code>.
          </p>
        </div>
      </section>
    </div>
  );
}
