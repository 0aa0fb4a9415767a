/** What an error says, in any of its wordings. */
export interface ErrorClass {
  readonly name: string;
  /** HTTP statuses that mean it. */
  readonly statuses: readonly number[];
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
    phrases:
      /(?<![<\w])(?:too[ _]many[ _]requests|(?:rate|request)[ _-]?limit(?:s|ed|ing)?(?: (?:was |is |has been )?(?:exceeded|reached|hit))?|throttl(?:ed|ing)|quota (?:was |has been )?exceeded)\b/g,
    decisive: true,
  },
  {
    name: "unauthorized",
    statuses: [401],
    phrases:
      /(?<![<\w])(?:unauthori[sz]ed|unauthenticated|not authenticated|authentication (?:failed|required)|invalid (?:api key|credentials|token))\b/g,
    decisive: true,
  },
  {
    name: "forbidden",
    statuses: [403],
    phrases:
      /(?<![<\w])(?:forbidden|(?:permission|access)(?: was| is)?[ _]denied|eacces|eperm|not permitted)\b/g,
    decisive: false,
  },
  {
    name: "not_found",
    statuses: [404, 410],
    phrases: /(?<![<\w])(?:not[ _]found|does not exist|doesn't exist|no such|enoent)\b/g,
    decisive: false,
  },
  {
    name: "timed_out",
    statuses: [408, 504],
    phrases:
      /(?<![<\w])(?:(?:gateway |request )?time[ds]?[ _-]?out|timeouterror|deadline exceeded|etimedout|esockettimedout)\b/g,
    decisive: true,
  },
  {
    name: "unavailable",
    statuses: [502, 503],
    phrases:
      /(?<![<\w])(?:(?:service|server)?(?: is| was)?(?: temporarily)? ?unavailable|bad gateway|overloaded|econnrefused|connection refused)\b/g,
    decisive: true,
  },
  { name: "conflict", statuses: [409], phrases: /(?<![<\w])(?:conflict)\b/g, decisive: false },
  {
    name: "bad_request",
    statuses: [400],
    phrases: /(?<![<\w])(?:bad[ _]request)\b/g,
    decisive: false,
  },
  {
    name: "unprocessable",
    statuses: [422],
    phrases: /(?<![<\w])(?:unprocessable (?:entity|content))\b/g,
    decisive: false,
  },
  {
    name: "server_error",
    statuses: [500],
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

/** The token of a status: its class when it has a well-known one, else the number itself. */
export function statusToken(status: number): string {
  return `<${BY_STATUS.get(status) ?? `status_${String(status)}`}>`;
}

/** Whether a token names an error whose class alone is the cause. */
export function isDecisive(token: string): boolean {
  return DECISIVE.has(token.slice(1, -1));
}
