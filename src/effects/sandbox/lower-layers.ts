/** What lies below a sandbox's own layer: the workspace, or the snapshot of a program over what it may see of the workspace. */
export type LowerLayers = "workspace" | { readonly code: string; readonly workspace: boolean };
