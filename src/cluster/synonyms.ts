/** What an error says, in any of its wordings. */
export interface ErrorClass {
  readonly name: string;
  /** HTTP statuses that mean it. */
  readonly statuses: readonly number[];
  /** Every phrase holds one of these; looking for them is much quicker than the pattern. */
  readonly hints: readonly string[];
  /** Phrases that mean it, as one linear pattern; matched in lower-case text. */
  readonly phrases: RegExp;
  /** Whether the class alone is the cause, whatever else the message says. */
  readonly decisive: boolean;
}

/** The longest phrases come first: "429 too many requests" is one error, not two. */
export const ERROR_CLASSES: readonly ErrorClass[] = [
  {
    name: "rate_limited",
    statuses: [429],
    hints: ["too", "limit", "throttl", "quota"],
    phrases:
      /(?<![<\w])(?:too[ _]many[ _]requests|(?:rate|request)[ _-]?limit(?:s|ed|ing)?(?: (?:was |is |has been )?(?:exceeded|reached|hit))?|throttl(?:ed|ing)|quota (?:was |has been )?exceeded)\b/g,
    decisive: true,
  },
  {
    name: "unauthorized",
    statuses: [401],
    hints: ["unauth", "authentic", "invalid"],
    phrases:
      /(?<![<\w])(?:unauthori[sz]ed|unauthenticated|not authenticated|authentication (?:failed|required)|invalid (?:api key|credentials|token))\b/g,
    decisive: true,
  },
  {
    name: "forbidden",
    statuses: [403],
    hints: ["forbidden", "denied", "eacces", "eperm", "permitted"],
    phrases:
      /(?<![<\w])(?:forbidden|(?:permission|access)(?: was| is)?[ _]denied|eacces|eperm|not permitted)\b/g,
    decisive: false,
  },
  {
    name: "not_found",
    statuses: [404, 410],
    hints: ["found", "exist", "no such", "enoent"],
    phrases: /(?<![<\w])(?:not[ _]found|does not exist|doesn't exist|no such|enoent)\b/g,
    decisive: false,
  },
  {
    name: "timed_out",
    statuses: [408, 504],
    hints: ["out", "deadline"],
    phrases:
      /(?<![<\w])(?:(?:gateway |request )?time[ds]?[ _-]?out|timeouterror|deadline exceeded|etimedout|esockettimedout)\b/g,
    decisive: true,
  },
  {
    name: "unavailable",
    statuses: [502, 503],
    hints: ["unavailable", "gateway", "overload", "econn", "refused"],
    phrases:
      /(?<![<\w])(?:(?:service|server)?(?: is| was)?(?: temporarily)? ?unavailable|bad gateway|overloaded|econnrefused|connection refused)\b/g,
    decisive: true,
  },
  {
    name: "conflict",
    statuses: [409],
    hints: ["conflict"],
    phrases: /(?<![<\w])(?:conflict)\b/g,
    decisive: false,
  },
  {
    name: "bad_request",
    statuses: [400],
    hints: ["bad"],
    phrases: /(?<![<\w])(?:bad[ _]request)\b/g,
    decisive: false,
  },
  {
    name: "unprocessable",
    statuses: [422],
    hints: ["unprocessable"],
    phrases: /(?<![<\w])(?:unprocessable (?:entity|content))\b/g,
    decisive: false,
  },
  {
    name: "server_error",
    statuses: [500],
    hints: ["internal"],
    phrases: /(?<![<\w])(?:internal[ _](?:server[ _])?error)\b/g,
    decisive: false,
  },
];

const BY_STATUS = new Map(
  ERROR_CLASSES.flatMap((entry) => entry.statuses.map((status) => [status, entry.name] as const)),
);
const DECISIVE = new Set(
  ERROR_CLASSES.filter((entry) => entry.decisive).map((entry) => entry.name),
);

/** Statuses that are in use, as pairs of first and last; any other number is a number, whatever stands before it. */
const STATUSES: readonly (readonly [number, number])[] = [
  [400, 418],
  [421, 426],
  [428, 429],
  [431, 431],
  [451, 451],
  [499, 508],
  [510, 511],
  [520, 530],
];

/** The token of a status: its class when it has a well-known one, else the number itself; undefined for no status. */
export function statusToken(status: number): string | undefined {
  if (!STATUSES.some(([first, last]) => status >= first && status <= last)) return undefined;
  return `<${BY_STATUS.get(status) ?? `status_${String(status)}`}>`;
}

/** A lower-case text with a token for each phrase that names an error class; only the classes of these bits are looked for. */
export function withClasses(text: string, classes: number): string {
  if (classes === 0) return text;
  let result = text;
  for (const [place, { name, hints, phrases }] of ERROR_CLASSES.entries()) {
    if ((classes & (1 << place)) !== 0 && hints.some((hint) => result.includes(hint)))
      result = result.replaceAll(phrases, `<${name}>`);
  }
  return result;
}

/** Whether a token names an error whose class alone is the cause. */
export function isDecisive(token: string): boolean {
  return DECISIVE.has(token.slice(1, -1));
}
