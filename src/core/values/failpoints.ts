/**
 * A named point between two effects, where a test may kill the process. The real runtime is passed `noFailpoints`;
 * nothing in the environment can switch one on.
 */
export type Failpoint = (name: string) => void;

export const noFailpoints: Failpoint = () => undefined;
