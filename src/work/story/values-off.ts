/** What a closing line says where nothing looked at the values of the order's calls. */
export function valuesOffText(document: string): string {
  return `values are not judged (${document})`;
}
