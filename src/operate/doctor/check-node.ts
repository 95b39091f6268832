import { type DoctorCheck, doctorCheck } from "#core/shapes";

export const checkNode: DoctorCheck = doctorCheck({
  id: "node",
  title: "Node.js",
  run: async () => {
    const { node } = process.versions;
    const [major = 0, minor = 0] = node.split(".").map(Number);
    return major > 20 || (major === 20 && minor >= 19)
      ? { health: "works", found: `version ${node} on ${process.platform} ${process.arch}` }
      : { health: "broken", found: `version ${node}; Writ needs 20.19 or newer`, why: null, cause: "old" };
  },
  remedy: () => "install Node 20.19 or newer",
});
