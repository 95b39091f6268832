export type Scheme = "system" | "light" | "dark";

const name = "writ.scheme";

export const readScheme = (): Scheme => (localStorage.getItem(name) as Scheme | null) ?? "system";

export function applyScheme(scheme: Scheme = readScheme()): void {
  localStorage.setItem(name, scheme);
  if (scheme === "system") delete document.documentElement.dataset["scheme"];
  else document.documentElement.dataset["scheme"] = scheme;
}
