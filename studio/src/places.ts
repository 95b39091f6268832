export interface Place {
  readonly name: string;
  readonly href: string;
  /** The letter after `g`. */
  readonly key: string;
}

export const places: readonly Place[] = [
  { name: "Home", href: "/", key: "h" },
  { name: "Sessions", href: "/sessions", key: "s" },
  { name: "Threads", href: "/threads", key: "c" },
  { name: "Runs", href: "/runs", key: "r" },
  { name: "Workflows", href: "/workflows", key: "w" },
  { name: "Inbox", href: "/inbox", key: "i" },
  { name: "Policies", href: "/policies", key: "p" },
  { name: "Evals", href: "/evals", key: "e" },
  { name: "Settings", href: "/settings", key: "t" },
];
