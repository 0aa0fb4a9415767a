import { sha256 } from "../shared/hash.ts";
import { slug } from "../shared/text.ts";

/** Names that Windows keeps for devices, with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
/** A name that looks like one of ours with a digest gets a digest too, so nobody can choose another agent's file. */
const LIKE_OURS = /-[0-9a-f]{8}$/;

/** The beginning of an agent's file names: its name when that is plainly a name, else made safe, with a digest of it. */
export function fileStem(agent: string): string {
  const plain = slug(agent);
  if (plain === agent && plain !== "" && !RESERVED.test(plain) && !LIKE_OURS.test(plain))
    return plain;
  return `${plain === "" ? "agent" : plain}-${sha256(agent, 8)}`;
}

/** A part of a file name for a cluster; its id when it is one of ours. */
export function clusterStem(id: string): string {
  return /^c_[0-9a-f]{10}$/.test(id) ? id : `c_${sha256(id, 10)}`;
}

export const REPROS_ENDING = ".repros.json";
export const BASELINE_ENDING = ".baseline.json";
/** Names of generated specs, of any style. */
export const SPEC_NAME = /\.agent\.spec\.[cm]?[jt]s$/;
