import { Component, type ErrorInfo, type ReactNode } from "react";

/** An error boundary: when one page fails, it shows the error and the rest of the studio keeps working. */
export class Fault extends Component<{ readonly children: ReactNode }, { readonly thrown: unknown }> {
  override readonly state: { readonly thrown: unknown } = { thrown: null };

  static getDerivedStateFromError(thrown: unknown): { readonly thrown: unknown } {
    return { thrown };
  }

  override componentDidCatch(thrown: unknown, info: ErrorInfo): void {
    console.error("a page of the studio failed", thrown, info.componentStack);
  }

  override render(): ReactNode {
    if (this.state.thrown === null) return this.props.children;
    return (
      <div className="page">
        <div className="note bad" role="alert">
          <strong>This page failed.</strong>
          <p>{textOf(this.state.thrown)}</p>
          <p className="soft">
            Nothing was changed by it. Reload the page; if it fails again, the log of the browser says where.
          </p>
          <button type="button" className="button" onClick={() => this.setState({ thrown: null })}>
            Try again
          </button>
        </div>
      </div>
    );
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : JSON.stringify(thrown);
}
