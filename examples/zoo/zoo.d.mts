/** A fault that shows a bug. */
export interface Fault {
  type: string;
  tool: string;
  occurrence?: number;
}

/** An agent with one planted bug, its fixed twin, and the world and the property that they are tried with. */
export interface Animal {
  name: string;
  /** The check of the twelve that its bug breaks: `I1 at most one effect`. */
  check: string;
  /** The smallest schedule of faults that shows the bug. */
  schedule: Fault[];
  /** Faults that a search tries only when it is told of them. */
  extra?: Fault[];
  task: string;
  /** What `defineWorld` takes. */
  world: {
    name: string;
    state: object;
    tools: Record<
      string,
      { kind: "read" | "write"; execute: (args: never, state: never) => unknown }
    >;
    rival?: (state: never) => void;
  };
  agent: (task: never, context: never) => unknown;
  fixed: (task: never, context: never) => unknown;
  /** Throws where the check does not hold. */
  property: (trial: never) => void;
}

export const looksBeforeItTriesAgain: Animal;
export const trustsOneLook: Animal;
export const believesAYes: Animal;
export const leavesHalfBehind: Animal;
export const callsUnknownNotSent: Animal;
export const takesTheBackDoor: Animal;
export const doesNotWait: Animal;
export const triesAgainBlindly: Animal;
export const overwritesBlindly: Animal;
export const missesAnItem: Animal;
export const postsWhatItGot: Animal;
export const neverGivesUp: Animal;
export const staysDown: Animal;
