import type { FrameworkManifest } from "#core/contracts";

type AgentClass = FrameworkManifest["agent_classes"][number];

/** The classes that each ring permits: an inner ring has those of the rings around it besides its own. */
const permitted: Readonly<Record<FrameworkManifest["ring"], readonly AgentClass[]>> = {
  resident: ["RESIDENT"],
  admin: ["RESIDENT", "ADMIN"],
  kernel: ["RESIDENT", "ADMIN", "KERNEL.semantic", "KERNEL.syntactic"],
};

/** Where a manifest contradicts itself: classes that its ring does not permit, a default that it does not name. */
export function whyUnlawful({ ring, agent_classes, default_agent_class }: FrameworkManifest): readonly string[] {
  const outside = agent_classes.filter((each) => !permitted[ring].includes(each));
  return [
    ...(outside.length === 0
      ? []
      : [
          `agent_classes names ${outside.join(", ")}, and the ring ${ring} permits ${permitted[ring].join(", ")}: take them out, or set the ring that has them`,
        ]),
    ...(agent_classes.includes(default_agent_class)
      ? []
      : [`default_agent_class is ${default_agent_class}, and agent_classes does not name it`]),
  ];
}
