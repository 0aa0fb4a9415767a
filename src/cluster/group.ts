import type { Cause, ClusterFailure } from "./cause.ts";

/** A group of like failures. */
export interface Cluster {
  /** Stable across machines, runs and additions: from the content that founded the cluster. */
  readonly id: string;
  /** One line that a person understands: "tool_error in refund: card closed". */
  readonly label: string;
  readonly signature: string;
  /** How many failing traces it stands for, equal ones counted. */
  readonly size: number;
  /** Id of the member that stands for all. */
  readonly representative: string;
  /** Sorted ids. */
  readonly members: readonly string[];
  /** When its newest member began, in epoch milliseconds; missing when no member knows. */
  readonly latest?: number;
  /** What its members cost together; missing when no member knows. */
  readonly cost?: number;
  /** How many different normalised messages its members have: all others only repeat one of them. */
  readonly wordings: number;
  /** Ids of earlier clusters that became one with this, each with its representative: what was kept under them is found here. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** One failing run, or a repro of several equal ones. */
export interface Clusterable {
  readonly id: string;
  readonly failures: readonly ClusterFailure[];
  /** How many failing traces it stands for. Default 1. */
  readonly seen?: number;
  /** Epoch milliseconds; the oldest member represents its cluster. */
  readonly at?: number;
  /** What the run used up, in a unit of the caller's, as tokens. */
  readonly cost?: number;
}

/** What is known of a cluster of an earlier time. */
export interface KnownCluster extends Pick<
  Cluster,
  "id" | "label" | "size" | "representative" | "aliases"
> {
  /** By these it is known again when its representative is gone. */
  readonly members?: readonly string[];
}

export interface Member {
  readonly item: Clusterable;
  readonly cause: Cause;
}

/** How many failing traces a group stands for. */
export function sizeOf(group: readonly Member[]): number {
  return group.reduce((sum, { item }) => sum + (item.seen ?? 1), 0);
}
